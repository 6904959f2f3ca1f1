package io.leasehold.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What every adapter has to do: the meter's counts are those of a real server, hop by hop. The API
 * is the path here, so that a hop counted under the wrong address shows.
 */
public abstract class AdapterContract {

  /** What the client under test makes of one request. */
  public record Answer(int status) {}

  protected final CountingServer server = new CountingServer();
  protected final CountingServer elsewhere = new CountingServer();
  protected final RequestMeter meter =
      RequestMeter.builder("test").classifier((host, path) -> path).build();

  protected abstract void closeClient() throws Exception;

  /** Sends a request with an Authorization header; a body goes with it unless it is empty. */
  protected abstract Answer send(String method, String url, String body) throws Exception;

  /** Whether the client itself sends a GET again whose connection was dropped. */
  protected boolean resendsGet() {
    return true;
  }

  /** Whether the client itself sends a POST again whose connection was dropped. */
  protected abstract boolean resendsPost();

  @AfterEach
  final void closeAll() throws Exception {
    closeClient();
    server.close();
    elsewhere.close();
  }

  @Test
  public void aRedirectChainCountsEveryHop() throws Exception {
    server.redirect("/a", 302, "/b").redirect("/b", 302, server.url("/c")).ok("/c");

    Answer answer = send("GET", server.url("/a"), "");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(metered())
        .isEqualTo(server.counts())
        .isEqualTo(Map.of("GET /a", 1L, "GET /b", 1L, "GET /c", 1L));
    assertThat(meter.snapshot().answers(302)).isEqualTo(2);
    assertThat(meter.snapshot().answers(200)).isEqualTo(1);
  }

  @Test
  public void aRedirectToAnotherServerCountsForThatServerAndLeavesTheCredentialsBehind()
      throws Exception {
    server.redirect("/a", 302, elsewhere.url("/b"));
    elsewhere.ok("/b");

    send("GET", server.url("/a"), "");

    // Apache's client does not follow such a redirect at all when there are credentials.
    Map<String, Long> received = new TreeMap<>(server.counts());
    received.putAll(elsewhere.counts());
    assertThat(metered()).isEqualTo(received);
    assertThat(server.seen().get(0).header("Authorization")).isEqualTo("Bearer secret");
    assertThat(elsewhere.seen()).allSatisfy(s -> assertThat(s.header("Authorization")).isEmpty());
    assertThat(meter.snapshot().counts())
        .allSatisfy(
            c ->
                assertThat(c.series().port())
                    .isEqualTo(c.series().api().equals("/a") ? server.port() : elsewhere.port()));
  }

  @Test
  public void aRefusedConnectionCountsAsOneRequestThatReachedNobody() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }

    assertThatThrownBy(() -> send("GET", "http://127.0.0.1:" + port + "/nobody", ""))
        .isInstanceOf(IOException.class);

    assertThat(metered()).isEqualTo(Map.of("GET /nobody", 1L));
    assertThat(meter.snapshot().unconnected()).isEqualTo(1);
  }

  @Test
  public void aBusyServersAnswerCountsAndSoDoesTheRetryItAskedFor() throws Exception {
    CopyOnWriteArrayList<String> refused = new CopyOnWriteArrayList<>();
    server.on(
        "/busy",
        request -> {
          if (refused.isEmpty()) {
            refused.add("once");
            return CountingServer.answer("503 Busy", "Retry-After: 0");
          }
          return CountingServer.answer("200 OK");
        });

    send("GET", server.url("/busy"), "");

    assertThat(metered()).isEqualTo(server.counts());
    assertThat(meter.snapshot().answers(503)).isEqualTo(1);
  }

  @Test
  public void aGetWhoseConnectionWasDroppedCountsEveryTimeItWasSent() throws Exception {
    server.ok("/warm").dropOnce("/drop");
    send("GET", server.url("/warm"), "");

    if (resendsGet()) {
      assertThat(send("GET", server.url("/drop"), "").status()).isEqualTo(200);
    } else {
      assertThatThrownBy(() -> send("GET", server.url("/drop"), ""))
          .isInstanceOf(IOException.class);
    }

    assertThat(metered())
        .isEqualTo(server.counts())
        .isEqualTo(Map.of("GET /warm", 1L, "GET /drop", resendsGet() ? 2L : 1L));
  }

  @Test
  public void aPostWhoseConnectionWasDroppedCountsEveryTimeItWasSent() throws Exception {
    server.ok("/warm").dropOnce("/drop");
    send("GET", server.url("/warm"), "");

    if (resendsPost()) {
      assertThat(send("POST", server.url("/drop"), "body").status()).isEqualTo(200);
    } else {
      assertThatThrownBy(() -> send("POST", server.url("/drop"), "body"))
          .isInstanceOf(IOException.class);
    }

    assertThat(metered())
        .isEqualTo(server.counts())
        .isEqualTo(Map.of("GET /warm", 1L, "POST /drop", resendsPost() ? 2L : 1L));
  }

  /**
   * The one difference: a request written to a connection that the server had already closed was
   * sent, but no server saw it. It may count, once per request at most.
   */
  @Test
  public void aConnectionTheServerHadClosedCostsAtMostOneRequestMoreThanItSaw() throws Exception {
    server.ok("/warm").ok("/next");
    send("GET", server.url("/warm"), "");
    server.closeConnections();

    try {
      assertThat(send("GET", server.url("/next"), "").status()).isEqualTo(200);
    } catch (IOException e) {
      assertThat(server.counts()).doesNotContainKey("GET /next");
    }

    assertThat(metered().get("GET /warm")).isEqualTo(1);
    long received = server.counts().getOrDefault("GET /next", 0L);
    assertThat(metered().get("GET /next")).isBetween(received, received + 1);
  }

  @Test
  public void aRedirectedPostArrivesAsTheStatusSays() throws Exception {
    server.redirect("/see", 303, "/seen").ok("/seen").redirect("/keep", 307, "/kept").ok("/kept");

    send("POST", server.url("/see"), "one");
    send("POST", server.url("/keep"), "two");

    assertThat(metered())
        .isEqualTo(server.counts())
        .isEqualTo(Map.of("POST /see", 1L, "GET /seen", 1L, "POST /keep", 1L, "POST /kept", 1L));
    assertThat(server.seen())
        .filteredOn(s -> s.path().equals("/kept"))
        .extracting(CountingServer.Seen::body)
        .containsExactly("two");
  }

  @Test
  public void everyHopIsInTheLaneOfTheCaller() throws Exception {
    server.redirect("/a", 302, "/b").redirect("/b", 302, "/c").ok("/c");

    Lane.call("sweeper", () -> send("GET", server.url("/a"), ""));

    assertThat(meter.snapshot().counts())
        .hasSize(3)
        .allSatisfy(c -> assertThat(c.series().lane()).isEqualTo("sweeper"));
  }

  @Test
  public void theRateLimitIsKeptForTheHostAndTheCredential() throws Exception {
    Instant reset = Instant.now().plusSeconds(1_800);
    server.ok(
        "/limited",
        "X-RateLimit-Limit: 5000",
        "X-RateLimit-Remaining: 4987",
        "X-RateLimit-Reset: " + reset.getEpochSecond(),
        "X-RateLimit-Resource: core");

    send("GET", server.url("/limited"), "");

    RateBudget budget =
        meter.budget("127.0.0.1", Optional.of("Bearer secret"), "core").orElseThrow();
    assertThat(budget.limit()).isEqualTo(5_000);
    assertThat(budget.remaining()).isEqualTo(4_987);
    assertThat(budget.reset().getEpochSecond()).isEqualTo(reset.getEpochSecond());
    assertThat(meter.snapshot().toString()).doesNotContain("secret");
  }

  /** What the meter counted, by method and path. */
  protected final Map<String, Long> metered() {
    Map<String, Long> counts = new TreeMap<>();
    meter
        .snapshot()
        .counts()
        .forEach(
            c ->
                counts.merge(
                    c.series().method() + " " + c.series().api(), c.requests(), Long::sum));
    return counts;
  }

  /** Waits for the server to have seen this many requests. */
  protected final void awaitSeen(int requests) {
    Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> server.seen().size() >= requests);
  }
}
