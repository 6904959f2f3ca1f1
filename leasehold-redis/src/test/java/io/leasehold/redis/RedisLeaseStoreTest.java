package io.leasehold.redis;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireAnswer.Granted;
import io.leasehold.AcquireAnswer.Held;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeasePage;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer.Lost;
import io.leasehold.RenewAnswer.Renewed;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is particular to Redis, on one server that is up all the time. */
class RedisLeaseStoreTest {

  private static final Duration TTL = ofMinutes(10);

  /** Time is not what these tests are about, and the machine may be busy. */
  private static final RedisLeaseOptions PATIENT =
      RedisLeaseOptions.defaults().timeout(ofSeconds(30));

  private static final LeaseName NAME = LeaseName.of("order/42");

  private static RedisProcess server;
  private RedisLeaseStore store;

  @BeforeAll
  static void startServer() {
    server = RedisProcess.started();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void open() {
    server.commands().flushall();
    server.commands().configSet("maxmemory-policy", "noeviction");
    store = RedisLeaseStore.open(server.uri(), PATIENT);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void noKeyEverCarriesATimeToLive() {
    Map<String, Runnable> operations =
        Map.of(
            "acquire", () -> granted(NAME),
            "renew", () -> store.renew(granted(NAME), TTL),
            "refused acquire", () -> held(NAME),
            "release", () -> store.release(granted(NAME), ZERO),
            "lingering release", () -> store.release(granted(NAME), TTL),
            "abandon", () -> store.abandon(NAME, "a", granted(NAME).attempt()),
            "read", () -> store.read(NAME),
            "inspect", () -> store.inspect("", Page.first(100)),
            "reclaim", () -> store.reclaim(TTL),
            "the same attempt again",
                () -> {
                  Lease lease = granted(NAME);
                  assertThat(store.acquire(NAME, "a", lease.attempt(), TTL))
                      .isInstanceOf(Granted.class);
                });
    operations.forEach(
        (operation, run) -> {
          server.commands().flushall();
          granted(LeaseName.of("another"));
          run.run();
          List<String> keys = server.commands().keys("*");
          assertThat(keys).as(operation).isNotEmpty();
          for (String key : keys) {
            assertThat(server.commands().pttl(key)).as("PTTL after %s", operation).isEqualTo(-1);
          }
        });
  }

  @Test
  void aRecordIsAHashWithSevenTexts() {
    Lease lease = granted(NAME);
    Map<String, String> fields = server.commands().hgetall("{leasehold:order/42}");
    assertThat(fields)
        .containsEntry("token", lease.token().toString())
        .containsEntry("owner", "a")
        .containsEntry("attempt", lease.attempt())
        .containsEntry("granted", "" + lease.grantedAt().toEpochMilli())
        .containsEntry("renewed", "" + lease.grantedAt().toEpochMilli())
        .containsEntry("expires", "" + lease.expiresAt().toEpochMilli())
        .containsEntry("released", "0")
        .hasSize(7);
    store.release(lease, ZERO);
    assertThat(server.commands().hget("{leasehold:order/42}", "released")).isEqualTo("1");
    assertThat(server.commands().hget("{leasehold:order/42}", "token"))
        .isEqualTo(lease.token().toString());
  }

  @Test
  void theFirstTokenIsTheServersClockInMicroseconds() {
    List<String> time = server.commands().time();
    long before = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    assertThat(granted(NAME).token().value())
        .isGreaterThan(before)
        .isLessThan(before + 60_000_000); // a minute: the machine may be slow
  }

  @Test
  void aTokenNearTheGreatestIsWrittenWithAllItsDigits() {
    store.release(granted(NAME), ZERO);
    server.commands().hset("{leasehold:order/42}", "token", "9007199254740989");
    Lease last = granted(NAME);
    assertThat(last.token().value()).isEqualTo(9_007_199_254_740_990L);
    assertThat(store.renew(last, TTL)).isInstanceOf(Renewed.class);
    store.release(last, ZERO);
    assertThat(granted(NAME).token().value()).isEqualTo(9_007_199_254_740_991L);
    store.release(store.read(NAME).orElseThrow().asLease(), ZERO);
    assertThatThrownBy(() -> granted(NAME))
        .isInstanceOf(LeaseStoreException.class)
        .hasMessageContaining("used up");
  }

  @Test
  void aSecondStoreContinuesTheSequence() {
    Lease first = granted(NAME);
    store.release(first, ZERO);
    try (RedisLeaseStore second = RedisLeaseStore.open(server.uri())) {
      Lease next = ((Granted) second.acquire(NAME, "b", attempt(), TTL)).lease();
      assertThat(next.token().value()).isEqualTo(first.token().value() + 1);
    }
  }

  @Test
  void aHolderWhoseRecordIsFlushedLosesItAndTheNextTokenIsGreater() {
    Lease lost = granted(NAME);
    server.commands().flushall();
    assertThat(store.renew(lost, TTL)).isEqualTo(new Lost(Optional.empty()));
    assertThat(store.release(lost, ZERO)).isEqualTo(ReleaseAnswer.ALREADY_ENDED);
    assertThat(granted(NAME).token()).matches(next -> next.supersedes(lost.token()));
  }

  @Test
  void aHolderWhoseRecordIsEvictedLosesItAndTheNextTokenIsGreater() {
    Lease lost = granted(NAME);
    String key = "{leasehold:order/42}";
    server.commands().configSet("maxmemory-policy", "allkeys-random");
    long used = Long.parseLong(infoField("used_memory"));
    server.commands().configSet("maxmemory", "" + (used + 500_000));
    try {
      String filler = "x".repeat(20_000);
      for (int i = 0; i < 5_000 && server.commands().exists(key) == 1; i++) {
        server.commands().set("filler" + i, filler);
      }
      assertThat(server.commands().exists(key)).as("the record was evicted").isZero();
      assertThat(store.renew(lost, TTL)).isEqualTo(new Lost(Optional.empty()));
    } finally {
      server.commands().configSet("maxmemory", "0");
    }
    assertThat(granted(NAME).token()).matches(next -> next.supersedes(lost.token()));
  }

  @Test
  void aFlushedScriptCacheIsFilledAgainInEveryCall() {
    forEachCall(
        call -> {
          server.commands().scriptFlush();
          call.run();
        });
    List<AcquireRequest> requests = requests("bulk", 500);
    server.commands().scriptFlush();
    List<Lease> leases = leases(store.acquireAll(requests));
    server.commands().scriptFlush();
    assertThat(store.renewAll(leases, TTL)).hasSize(500).allMatch(Renewed.class::isInstance);
    server.commands().scriptFlush();
    assertThat(store.releaseAll(leases, ZERO)).hasSize(500).containsOnly(ReleaseAnswer.RELEASED);
  }

  @Test
  void aFullServerStillRenewsAndReleases() {
    Lease lease = granted(NAME);
    server.commands().configSet("maxmemory", "1000000");
    try {
      assertThatThrownBy(() -> server.commands().set("x", "y")).hasMessageContaining("OOM");
      assertThat(store.renew(lease, TTL)).isInstanceOf(Renewed.class);
      assertThat(store.release(lease, ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
    } finally {
      server.commands().configSet("maxmemory", "0");
    }
  }

  @Test
  void namesWithBracesAndGlobCharactersAreThemselves() {
    List<String> names =
        List.of(
            "a", "a}", "}", "{", "{}", "{a}", "{}a", "a{b}c", "*", "?", "[a]", "\\", "a:b", "é😀");
    Set<Long> tokens = new HashSet<>();
    for (String name : names) {
      tokens.add(granted(LeaseName.of(name)).token().value());
    }
    assertThat(server.commands().dbsize()).isEqualTo(names.size());
    assertThat(tokens).hasSize(names.size());
    assertThat(all("")).containsExactlyInAnyOrderElementsOf(names);
    assertThat(all("*")).containsExactly("*");
    assertThat(all("[a]")).containsExactly("[a]");
    assertThat(all("\\")).containsExactly("\\");
    assertThat(all("é")).containsExactly("é😀");
    assertThat(all("{")).containsExactlyInAnyOrder("{", "{}", "{a}", "{}a");
  }

  @Test
  void aMissingFieldIsNotAnEmptyText() {
    granted(NAME);
    server.commands().hdel("{leasehold:order/42}", "owner");
    assertThatThrownBy(() -> store.read(NAME))
        .isInstanceOf(LeaseStoreException.class)
        .hasMessageContaining("{leasehold:order/42}");
    assertThatThrownBy(() -> granted(NAME)).isInstanceOf(LeaseStoreException.class);
    assertThat(store.reclaim(ZERO)).isZero();
  }

  @Test
  void aForeignKeyInThePlaceOfARecordIsAnErrorAndStays() {
    server.commands().set("{leasehold:order/42}", "mine");
    server.commands().hset("{leasehold:hash}", "mine", "1");
    assertThatThrownBy(() -> granted(NAME))
        .isInstanceOfSatisfying(
            LeaseStoreException.class,
            e -> assertThat(e.outcome()).isEqualTo(LeaseStoreException.Outcome.NOT_APPLIED));
    assertThatThrownBy(() -> granted(LeaseName.of("hash"))).isInstanceOf(LeaseStoreException.class);
    assertThat(store.inspect("", Page.first(100)).leases()).isEmpty();
    assertThat(store.reclaim(ZERO)).isZero();
    assertThat(server.commands().dbsize()).isEqualTo(2);
  }

  @Test
  void storesWithDifferentPrefixesDoNotMeet() {
    granted(NAME);
    RedisLeaseOptions other = RedisLeaseOptions.defaults().prefix("leasehold.other");
    try (RedisLeaseStore elsewhere = RedisLeaseStore.open(server.uri(), other)) {
      assertThat(elsewhere.read(NAME)).isEmpty();
      assertThat(elsewhere.acquire(NAME, "b", attempt(), TTL)).isInstanceOf(Granted.class);
      assertThat(elsewhere.inspect("", Page.first(10)).leases()).hasSize(1);
    }
    assertThatThrownBy(() -> RedisLeaseOptions.defaults().prefix("a:b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a:b");
  }

  @Test
  void aListingOfManyKeysComesInPagesAndMissesNone() {
    leases(store.acquireAll(requests("n", 3_000)));
    server.commands().set("foreign", "x");
    Set<String> seen = new HashSet<>();
    int pages = 0;
    Optional<String> cursor = Optional.empty();
    do {
      LeasePage page = store.inspect("n", new Page(cursor, 200));
      page.leases().forEach(view -> seen.add(view.name().value()));
      // SCAN gives about as many as it is asked for; a bucket may hold some more.
      assertThat(page.leases()).hasSizeLessThan(600);
      cursor = page.next();
      pages++;
    } while (cursor.isPresent());
    assertThat(seen).hasSize(3_000);
    assertThat(pages).isGreaterThan(5);
    assertThatThrownBy(() -> store.inspect("", Page.at("nonsense", 10)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nonsense");
  }

  @Test
  void manyNamesUsedOnceAreReclaimedAndTheirTokensStillGrow() {
    List<Lease> leases = leases(store.acquireAll(requests("once", 20_000)));
    store.releaseAll(leases, ZERO);
    Lease live = granted(NAME);
    assertThat(store.reclaim(ofMinutes(1))).isZero();
    server.commands().configResetstat();
    assertThat(store.reclaim(ZERO)).isEqualTo(20_000);
    // In steps of a thousand keys, none of which holds up the server for long.
    assertThat(server.commands().info("commandstats"))
        .containsPattern("cmdstat_scan:calls=(1[0-9]|[2-9][0-9])");
    assertThat(server.commands().dbsize()).isEqualTo(1);
    assertThat(store.renew(live, TTL)).isInstanceOf(Renewed.class);
    Lease first = leases.get(0);
    assertThat(granted(first.name()).token()).matches(next -> next.supersedes(first.token()));
  }

  @Test
  void aRecordWhoseTokenIsAheadOfTheClockIsNotReclaimed() {
    store.release(granted(NAME), ZERO);
    long ahead = (Instant.now().getEpochSecond() + 3_600) * 1_000_000;
    server.commands().hset("{leasehold:order/42}", "token", "" + ahead);
    assertThat(store.reclaim(ZERO)).isZero();
    assertThat(granted(NAME).token().value()).isEqualTo(ahead + 1);
  }

  @Test
  void signalsComeOnReleaseAndAbandonButNotWhenTheNameLingers() throws Exception {
    try (RedisLeaseStore other = RedisLeaseStore.open(server.uri())) {
      CountDownLatch released = new CountDownLatch(1);
      CountDownLatch twice = new CountDownLatch(2);
      Lease lease = granted(NAME);
      var subscription =
          other.subscribe(
              NAME,
              () -> {
                released.countDown();
                twice.countDown();
              });
      awaitSubscribers(1);
      store.release(lease, ZERO);
      assertThat(released.await(10, TimeUnit.SECONDS)).isTrue();
      LeaseName name = LeaseName.of("{lingers} é😀");
      Lease lingering = granted(name);
      CountDownLatch lingers = new CountDownLatch(1);
      other.subscribe(name, lingers::countDown);
      awaitSubscribers(2);
      store.release(lingering, TTL);
      store.abandon(NAME, "a", granted(NAME).attempt());
      assertThat(twice.await(10, TimeUnit.SECONDS)).isTrue();
      // Published before the abandon on one connection, so it would have come before it.
      assertThat(lingers.getCount()).isEqualTo(1);
      server.commands().hset(new LeaseKeys("leasehold").key(name), "expires", "1");
      store.release(((Granted) store.acquire(name, "a", attempt(), TTL)).lease(), ZERO);
      assertThat(lingers.await(10, TimeUnit.SECONDS)).isTrue();
      subscription.close();
      subscription.close();
      awaitSubscribers(1);
    }
    awaitSubscribers(0);
  }

  @Test
  void aLostSignalConnectionIsOpenedAgain() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    Lease lease = granted(NAME);
    store.subscribe(NAME, released::countDown);
    awaitSubscribers(1);
    String pubsub =
        server
            .commands()
            .clientList()
            .lines()
            .filter(l -> l.contains("sub=1"))
            .findAny()
            .orElseThrow();
    String id = pubsub.replaceAll("^id=(\\d+) .*", "$1");
    server.commands().clientKill(KillArgs.Builder.id(Long.parseLong(id)));
    Awaitility.await()
        .until(
            () ->
                server.commands().clientList().contains("sub=1")
                    && !server.commands().clientList().contains("id=" + id + " "));
    store.release(lease, ZERO);
    assertThat(released.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aSignalListenerThatThrowsSilencesNobody() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    store.subscribe(
        NAME,
        () -> {
          throw new IllegalStateException("a listener of the test's");
        });
    store.subscribe(NAME, released::countDown);
    awaitSubscribers(1);
    store.release(granted(NAME), ZERO);
    assertThat(released.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void manyThreadsShareOneConnectionAndOnlyOneWinsEachName() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(16);
    try {
      List<Future<Integer>> wins = new ArrayList<>();
      for (int t = 0; t < 16; t++) {
        wins.add(
            threads.submit(
                () ->
                    (int)
                        store.acquireAll(requests("contended", 200)).stream()
                            .filter(Granted.class::isInstance)
                            .count()));
      }
      int total = 0;
      for (Future<Integer> each : wins) {
        total += each.get(30, TimeUnit.SECONDS);
      }
      assertThat(total).isEqualTo(200);
    } finally {
      threads.shutdownNow();
    }
    long connections =
        server.commands().clientList().lines().filter(l -> l.contains("evalsha")).count();
    assertThat(connections).isEqualTo(1);
  }

  @Test
  void anInterruptEndsTheCallAndStaysSet() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> granted(NAME))
        .isInstanceOfSatisfying(
            LeaseStoreException.class,
            e -> assertThat(e.outcome()).isEqualTo(LeaseStoreException.Outcome.NOT_APPLIED));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(store.read(NAME)).isEmpty();
  }

  @Test
  void aStoreOnAGivenClientLeavesItOpen() {
    RedisClient client = RedisClient.create(server.uri());
    try {
      try (RedisLeaseStore shared =
          RedisLeaseStore.of(client, server.uri(), RedisLeaseOptions.defaults())) {
        assertThat(shared.acquire(NAME, "a", attempt(), TTL)).isInstanceOf(Granted.class);
        shared.subscribe(NAME, () -> {});
      }
      assertThat(client.connect().sync().ping()).isEqualTo("PONG");
    } finally {
      client.shutdown(0, 1, TimeUnit.SECONDS);
    }
  }

  @Test
  void aClosedStoreRefusesAndItsThreadsEnd() {
    RedisLeaseStore closing = RedisLeaseStore.open(server.uri());
    store.close();
    closing.subscribe(NAME, () -> {});
    closing.read(NAME);
    closing.close();
    closing.close();
    assertThatThrownBy(() -> closing.read(NAME))
        .isInstanceOf(LeaseStoreException.class)
        .hasMessageContaining("closed");
    assertThat(closing.subscribe(NAME, () -> {})).isNotNull();
    Awaitility.await()
        .atMost(ofSeconds(15))
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet())
                    .noneMatch(thread -> thread.getName().startsWith("leasehold-redis")));
  }

  @Test
  void messagesNameTheStoreAndNeverThePassword() {
    try (RedisLeaseStore refused =
        RedisLeaseStore.open(
            RedisURI.create("redis://user:s3cret@127.0.0.1:" + server.port()),
            RedisLeaseOptions.defaults().timeout(ofMillis(1_500)))) {
      assertThatThrownBy(() -> refused.read(NAME))
          .isInstanceOf(LeaseStoreException.class)
          .hasMessageContaining("127.0.0.1:" + server.port())
          .hasMessageContaining("read")
          .hasStackTraceContaining("WRONGPASS")
          .satisfies(e -> assertThat(stackTrace(e)).doesNotContain("s3cret"));
    }
  }

  private void forEachCall(Consumer<Runnable> around) {
    around.accept(() -> granted(NAME));
    LeaseView view = store.read(NAME).orElseThrow();
    around.accept(() -> assertThat(store.renew(view.asLease(), TTL)).isInstanceOf(Renewed.class));
    around.accept(() -> assertThat(store.read(NAME)).isPresent());
    around.accept(() -> assertThat(store.inspect("", Page.first(9)).leases()).hasSize(1));
    around.accept(
        () -> assertThat(store.release(view.asLease(), ZERO)).isEqualTo(ReleaseAnswer.RELEASED));
    around.accept(() -> store.abandon(NAME, "a", "none"));
    around.accept(() -> assertThat(store.reclaim(ZERO)).isEqualTo(1));
  }

  private Lease granted(LeaseName name) {
    return ((Granted) store.acquire(name, "a", attempt(), TTL)).lease();
  }

  private void held(LeaseName name) {
    granted(name);
    assertThat(store.acquire(name, "b", attempt(), TTL)).isInstanceOf(Held.class);
  }

  private List<String> all(String prefix) {
    List<String> names = new ArrayList<>();
    Optional<String> cursor = Optional.empty();
    do {
      LeasePage page = store.inspect(prefix, new Page(cursor, 5));
      page.leases().forEach(view -> names.add(view.name().value()));
      cursor = page.next();
    } while (cursor.isPresent());
    return names.stream().distinct().toList();
  }

  private void awaitSubscribers(int channels) {
    Awaitility.await()
        .atMost(ofSeconds(10))
        .until(() -> server.commands().pubsubChannels("leasehold:freed:*").size() == channels);
  }

  private static String infoField(String field) {
    return server
        .commands()
        .info()
        .lines()
        .filter(line -> line.startsWith(field + ":"))
        .findFirst()
        .orElseThrow()
        .substring(field.length() + 1);
  }

  private static String stackTrace(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  private static List<AcquireRequest> requests(String stem, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new AcquireRequest(LeaseName.of(stem + "/" + i), "a", attempt(), TTL))
        .toList();
  }

  private static List<Lease> leases(List<? extends AcquireAnswer> answers) {
    return answers.stream().map(answer -> ((Granted) answer).lease()).toList();
  }

  private static String attempt() {
    return UUID.randomUUID().toString();
  }
}
