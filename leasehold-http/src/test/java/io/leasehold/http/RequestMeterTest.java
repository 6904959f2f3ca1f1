package io.leasehold.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestMeterTest {

  private static final URI PULLS = URI.create("https://api.github.com/repos/a/b/pulls");
  private static final URI GRAPHQL = URI.create("https://api.github.com/graphql");

  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-09-30T14:37:00Z"));
  private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
  private final RequestMeter meter = meter("forge").build();

  private RequestMeter.Builder meter(String name) {
    InstantSource clock = now::get;
    return RequestMeter.builder(name).clock(clock).reports(report -> lines.add(report.line()));
  }

  private void at(String time) {
    now.set(Instant.parse("2026-09-30T" + time + "Z"));
  }

  private void send(int times, URI uri) {
    for (int i = 0; i < times; i++) {
      meter.sent(OutgoingRequest.of("GET", uri));
    }
  }

  @Nested
  class TheHourlyLine {

    @Test
    void isWrittenByTheFirstRequestOfALaterHourAndSaysWhenItsHourWasPartial() {
      Lane.run("merge-gate-sweeper", () -> send(3, PULLS));
      send(1, GRAPHQL);
      at("14:59:59.999");
      send(1, PULLS);
      assertThat(lines).isEmpty();

      at("15:00:00");
      send(1, PULLS);

      assertThat(lines)
          .containsExactly(
              "forge HTTP: 5 requests in the hour ending 2026-09-30T15:00Z"
                  + " (counted from 14:37:00Z) — api.github.com rest merge-gate-sweeper 3,"
                  + " api.github.com graphql default 1, api.github.com rest default 1");
    }

    @Test
    void isWholeForAnHourThatWasCountedFromItsStart() {
      at("15:00:05");
      send(2, PULLS);
      at("16:12:00");
      send(1, PULLS);

      assertThat(lines)
          .containsExactly(
              "forge HTTP: 2 requests in the hour ending 2026-09-30T16:00Z"
                  + " — api.github.com rest default 2");
    }

    @Test
    void isLateAfterAnIdleGapButNamesItsOwnHourAndNoneIsWrittenForIdleHours() {
      at("16:12:00");
      send(1, PULLS);
      at("19:05:00");
      send(1, PULLS);

      assertThat(lines)
          .containsExactly(
              "forge HTTP: 1 request in the hour ending 2026-09-30T17:00Z"
                  + " — api.github.com rest default 1");
    }

    @Test
    void isWrittenOnCloseForTheHourAsFarAsItGotAndOnlyOnce() {
      at("18:05:00");
      send(2, PULLS);
      at("18:20:30");
      meter.close();
      meter.close();

      assertThat(lines)
          .containsExactly(
              "forge HTTP: 2 requests in the hour ending 2026-09-30T19:00Z"
                  + " (until 18:20:30Z, stopping) — api.github.com rest default 2");
    }

    @Test
    void saysBothEndsOfAnHourThatBeganAndStoppedInside() {
      send(1, PULLS);
      at("14:50:00");
      meter.close();

      assertThat(lines)
          .containsExactly(
              "forge HTTP: 1 request in the hour ending 2026-09-30T15:00Z"
                  + " (counted from 14:37:00Z, until 14:50:00Z, stopping)"
                  + " — api.github.com rest default 1");
    }

    @Test
    void isWholeWhenTheMeterIsClosedInALaterHour() {
      at("15:10:00");
      send(1, PULLS);
      at("17:10:00");
      meter.close();

      assertThat(lines)
          .containsExactly(
              "forge HTTP: 1 request in the hour ending 2026-09-30T16:00Z"
                  + " — api.github.com rest default 1");
    }

    @Test
    void ofRequestsSentAfterCloseSaysSinceWhenItCounts() {
      send(1, PULLS);
      at("14:40:00");
      meter.close();
      send(1, PULLS);
      at("15:01:00");
      send(1, PULLS);

      assertThat(lines.get(1))
          .isEqualTo(
              "forge HTTP: 1 request in the hour ending 2026-09-30T15:00Z"
                  + " (counted from 14:40:00Z) — api.github.com rest default 1");
    }

    @Test
    void doesNotReopenAnHourWhenTheClockIsSteppedBack() {
      at("15:00:00");
      send(1, PULLS);
      at("14:30:00");
      send(1, PULLS);
      at("16:00:00");
      send(1, PULLS);

      assertThat(lines)
          .containsExactly(
              "forge HTTP: 2 requests in the hour ending 2026-09-30T16:00Z"
                  + " — api.github.com rest default 2");
    }

    @Test
    void showsAPeculiarPort() {
      send(1, URI.create("http://forge.test:8080/x"));
      meter.close();
      assertThat(lines.get(0)).endsWith("— forge.test:8080 rest default 1");
    }

    @Test
    void thatNobodyTakesCostsNoRequest() {
      RequestMeter failing =
          meter("forge")
              .reports(
                  report -> {
                    throw new IllegalStateException("full");
                  })
              .build();
      failing.sent(OutgoingRequest.of("GET", PULLS));
      at("15:00:00");
      failing.sent(OutgoingRequest.of("GET", PULLS));
      assertThat(failing.snapshot().requests()).isEqualTo(2);
    }
  }

  @Test
  void noRequestIsLostOrBookedTwiceWhileHoursTurn() throws Exception {
    AtomicLong millis = new AtomicLong(0);
    AtomicLong reported = new AtomicLong();
    RequestMeter busy =
        RequestMeter.builder("busy")
            .clock(() -> Instant.ofEpochMilli(millis.getAndAdd(10_000)))
            .reports(report -> reported.addAndGet(report.total()))
            .build();
    int threads = 8;
    int each = 20_000;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    CountDownLatch go = new CountDownLatch(1);
    for (int i = 0; i < threads; i++) {
      String lane = "lane-" + i % 3;
      pool.execute(
          () -> {
            try {
              go.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            for (int n = 0; n < each; n++) {
              busy.sent(OutgoingRequest.of("GET", PULLS, lane));
            }
          });
    }
    go.countDown();
    pool.shutdown();
    assertThat(pool.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    busy.close();

    assertThat(busy.snapshot().requests()).isEqualTo((long) threads * each);
    assertThat(reported).hasValue((long) threads * each);
  }

  @ParameterizedTest
  @CsvSource({
    "/graphql,graphql",
    "/graphql/,graphql",
    "/api/graphql,graphql",
    "/api/graphql///,graphql",
    "/GraphQL,rest",
    "/graphql/schema,rest",
    "/v1/graphql,rest",
    "/api/v3/repos,rest",
    "/,rest"
  })
  void theApiIsToldByThePath(String path, String api) {
    assertThat(ApiClassifier.REST_OR_GRAPHQL.api("forge.test", path)).isEqualTo(api);
  }

  @Test
  void aClassifierThatFailsCostsNeitherTheRequestNorItsCount() {
    RequestMeter failing =
        meter("forge")
            .classifier(
                (host, path) -> {
                  throw new IllegalStateException("no idea");
                })
            .build();
    failing.sent(OutgoingRequest.of("GET", PULLS));
    assertThat(failing.snapshot().counts())
        .singleElement()
        .satisfies(c -> assertThat(c.series().api()).isEqualTo("unclassified"));
  }

  @Test
  void hostsBeyondTheLimitAreCountedTogetherAndNothingIsDropped() {
    send(100, PULLS);
    for (int i = 0; i < 192; i++) {
      send(1, URI.create("https://host-" + i + ".test/"));
    }
    send(1, PULLS);

    MeterSnapshot snapshot = meter.snapshot();
    assertThat(snapshot.requests()).isEqualTo(293);
    assertThat(snapshot.counts().stream().map(c -> c.series().host()).distinct())
        .hasSize(65)
        .contains("(other hosts)");
    assertThat(snapshot.counts())
        .filteredOn(c -> c.series().host().equals("api.github.com"))
        .extracting(MeterSnapshot.Count::requests)
        .containsExactly(101L);
  }

  @Test
  void hostsAreComparedWithoutCaseAndUnknownMethodsCountTogether() {
    meter.sent(OutgoingRequest.of("GET", URI.create("https://API.GitHub.com/")));
    meter.sent(OutgoingRequest.of("GET", URI.create("https://api.github.com")));
    meter.sent(OutgoingRequest.of("BREW", PULLS));
    assertThat(meter.snapshot().counts())
        .extracting(c -> c.series().method() + " " + c.series().host() + " " + c.requests())
        .containsExactly("GET api.github.com 2", "_OTHER api.github.com 1");
  }

  @Test
  void micrometerShowsTheCountsOfSeriesOldAndNew() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    send(2, PULLS);
    new RequestMeterMetrics(meter).bindTo(registry);
    OutgoingRequest later = OutgoingRequest.of("POST", GRAPHQL, "sweeper");
    meter.sent(later);
    meter.answered(later, 304, name -> Optional.empty(), Optional.empty());
    send(1, PULLS);

    assertThat(
            registry
                .get("leasehold.http.requests")
                .tags("http.request.method", "GET", "server.address", "api.github.com")
                .tags("server.port", "443", "api", "rest", "lane", "default")
                .functionCounter()
                .count())
        .isEqualTo(3);
    FunctionCounter answers =
        registry
            .get("leasehold.http.answers")
            .tags("http.response.status_code", "304", "lane", "sweeper", "api", "graphql")
            .functionCounter();
    assertThat(answers.count()).isEqualTo(1);
  }

  @Nested
  class ABudget {

    private void answer(String credential, String remaining, String reset) {
      Map<String, String> headers =
          Map.of(
              "x-ratelimit-limit",
              "5000",
              "x-ratelimit-remaining",
              remaining,
              "x-ratelimit-reset",
              reset,
              "x-ratelimit-resource",
              "core");
      meter.answered(
          OutgoingRequest.of("GET", PULLS),
          200,
          name -> Optional.ofNullable(headers.get(name)),
          Optional.of(credential));
    }

    private long remaining(String credential) {
      return meter
          .budget("api.github.com", Optional.of(credential), "core")
          .orElseThrow()
          .remaining();
    }

    private final long reset = Instant.parse("2026-09-30T15:00:00Z").getEpochSecond();

    @Test
    void belongsToItsCredentialAlone() {
      answer("token a", "10", "" + reset);
      answer("token b", "20", "" + reset);
      assertThat(remaining("token a")).isEqualTo(10);
      assertThat(remaining("token b")).isEqualTo(20);
      assertThat(meter.budget("api.github.com", Optional.of("token c"), "core")).isEmpty();
    }

    @Test
    void isNotRaisedByAnAnswerThatWasOvertaken() {
      answer("token", "10", "" + reset);
      answer("token", "11", "" + (reset - 1));
      assertThat(remaining("token")).isEqualTo(10);
    }

    @Test
    void isWholeAgainInTheNextWindow() {
      answer("token", "10", "" + reset);
      RateBudget old = meter.budget("api.github.com", Optional.of("token"), "core").orElseThrow();
      assertThat(old.remainingAt(Instant.ofEpochSecond(reset).minusMillis(1))).isEqualTo(10);
      assertThat(old.remainingAt(Instant.ofEpochSecond(reset))).isEqualTo(5_000);

      answer("token", "4999", "" + (reset + 3_600));
      answer("token", "9", "" + reset);
      assertThat(remaining("token")).isEqualTo(4_999);
    }

    @Test
    void mayBeGivenInSecondsFromNow() {
      answer("token", "10", "60");
      assertThat(meter.budget("api.github.com", Optional.of("token"), "core").orElseThrow().reset())
          .isEqualTo(Instant.parse("2026-09-30T14:38:00Z"));
    }

    @Test
    void thatMakesNoSenseIsIgnored() {
      answer("token", "many", "soon");
      answer("token", "1", "-5");
      answer("token", "1", "9223372036854775807");
      assertThat(meter.snapshot().budgets()).isEmpty();
    }

    @Test
    void ofACredentialOutOfUseIsForgotten() {
      answer("old", "10", "" + reset);
      at("17:00:00");
      answer("new", "10", "" + (reset + 7_200));
      assertThat(meter.snapshot().budgets()).hasSize(1);
    }
  }

  @Test
  void optionsThatMakeNoSenseAreRefused() {
    assertThatThrownBy(() -> RequestMeter.builder(" "))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> meter("m").maxHosts(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 10,000");
  }
}
