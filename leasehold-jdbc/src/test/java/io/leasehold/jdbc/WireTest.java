package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseStoreException.Outcome;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import io.leasehold.tck.net.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What happens, and how often something travels, between the store and its server. */
class WireTest {

  private static final Duration LONG = Duration.ofMinutes(5);
  private static final LeaseName NAME = LeaseName.of("nightly");

  /**
   * Hikari asks a connection that was idle for 500 ms whether it is alive; here that would be a
   * round trip of its own, and on a slow machine the one that is cut.
   */
  private static final String NO_LIVENESS_TEST = "com.zaxxer.hikari.aliveBypassWindowMs";

  static {
    System.setProperty(NO_LIVENESS_TEST, "600000");
  }

  @AfterAll
  static void testLivenessAgain() {
    System.clearProperty(NO_LIVENESS_TEST);
  }

  private final HikariDataSource pool = new HikariDataSource();
  private TcpProxy wire = TcpProxy.to("127.0.0.1", 1);

  private JdbcLeaseStore store(Backend backend, Duration timeout) {
    boolean postgres = backend == Backend.POSTGRESQL;
    wire.close();
    wire =
        TcpProxy.to(
            "127.0.0.1", postgres ? PostgresServer.shared().port : MariadbServer.shared().port);
    pool.setJdbcUrl(
        postgres ? PostgresServer.url(wire.port()) : MariadbServer.leasesUrl(wire.port()));
    pool.setMaximumPoolSize(1);
    pool.setConnectionTimeout(1_000);
    return backend.store(pool, backend.freshTable(), timeout);
  }

  @AfterEach
  void closeAll() {
    pool.close();
    wire.close();
  }

  private static Lease take(JdbcLeaseStore store, String attempt) {
    return ((AcquireAnswer.Granted) store.acquire(NAME, "a", attempt, LONG)).lease();
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatNeverAnswersEndsTheCallAtItsDeadline(Backend backend) {
    try (JdbcLeaseStore store = store(backend, Duration.ofMillis(600))) {
      Lease lease = take(store, "1");
      wire.stall();
      long start = System.nanoTime();
      assertUnknown(() -> store.renew(lease, LONG));
      // The deadline is 600 ms; the margin is for a busy machine.
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isBetween(Duration.ofMillis(550), Duration.ofSeconds(4));
      wire.restore();
      org.awaitility.Awaitility.await()
          .ignoreExceptions()
          .until(() -> store.renew(lease, LONG) instanceof RenewAnswer.Renewed);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aGrantWhoseAnswerIsLostLocksNobodyOutOnceItIsAbandoned(Backend backend) {
    try (JdbcLeaseStore store = store(backend, Duration.ofSeconds(5))) {
      Lease first = take(store, "1");
      store.release(first, Duration.ZERO);
      wire.cutAtAnswer();
      assertUnknown(() -> store.acquire(NAME, "a", "2", LONG));
      wire.restore();
      // It did happen; the same attempt is told so, another is refused, abandoning it frees.
      org.awaitility.Awaitility.await()
          .ignoreExceptions()
          .until(() -> store.read(NAME).isPresent());
      assertThat(store.acquire(NAME, "b", "3", LONG)).isInstanceOf(AcquireAnswer.Held.class);
      assertThat(take(store, "2").token().value()).isEqualTo(first.token().value() + 1);
      store.abandon(NAME, "a", "2");
      assertThat(take(store, "4").token().value()).isEqualTo(first.token().value() + 2);
    }
  }

  /** The table in docs/postgresql.md and docs/mysql.md. */
  @ParameterizedTest
  @EnumSource
  void everyCallTakesAsManyRoundTripsAsIsWrittenDown(Backend backend) {
    Map<String, Long> trips = new TreeMap<>();
    try (JdbcLeaseStore store = store(backend, Duration.ofSeconds(10))) {
      List<AcquireRequest> requests =
          IntStream.range(0, 1_000)
              .mapToObj(i -> new AcquireRequest(LeaseName.of("order/" + i), "a", "a" + i, LONG))
              .toList();
      // Twice: what the first round learns (types, statements), the second need not ask again.
      for (String round : List.of("warm", "counted")) {
        Lease lease = count(trips, "acquire, granted", () -> take(store, round));
        count(trips, "acquire, held", () -> store.acquire(NAME, "b", round + "b", LONG));
        count(trips, "renew", () -> store.renew(lease, LONG));
        count(trips, "read", () -> store.read(NAME));
        count(trips, "release", () -> store.release(lease, Duration.ZERO));
        count(trips, "renew, lost", () -> store.renew(lease, LONG));
        count(
            trips,
            "abandon",
            () -> {
              store.abandon(NAME, "a", "none");
              return true;
            });
        List<Lease> leases =
            count(trips, "acquireAll(1,000)", () -> store.acquireAll(requests)).stream()
                .map(answer -> ((AcquireAnswer.Granted) answer).lease())
                .toList();
        count(trips, "renewAll(1,000)", () -> store.renewAll(leases, LONG));
        count(trips, "inspect", () -> store.inspect("", Page.first(10)));
        assertThat(count(trips, "releaseAll(1,000)", () -> store.releaseAll(leases, Duration.ZERO)))
            .containsOnly(ReleaseAnswer.RELEASED);
        count(trips, "reclaim, per 1,000 records", () -> store.reclaim(Duration.ZERO));
      }
    }
    System.err.println("round trips on " + backend + ": " + trips);
    boolean two = backend == Backend.MYSQL_STATEMENTS_ON_MARIADB;
    trips.forEach(
        (call, count) -> {
          if (call.equals("read") || call.equals("inspect")) {
            assertThat(count).as(call).isEqualTo(1);
          } else if (call.startsWith("reclaim")) {
            assertThat(count).as(call).isEqualTo(4);
          } else if (two && call.startsWith("releaseAll")) {
            assertThat(count).as(call).isEqualTo(4);
          } else {
            assertThat(count).as(call).isEqualTo(two && !call.equals("release") ? 2 : 1);
          }
        });
  }

  private <T> T count(Map<String, Long> trips, String call, java.util.function.Supplier<T> work) {
    long before = wire.roundTrips();
    T answer = work.get();
    trips.put(call, wire.roundTrips() - before);
    return answer;
  }

  private static void assertUnknown(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            LeaseStoreException.class,
            e -> assertThat(e.outcome()).as(e.getMessage()).isEqualTo(Outcome.UNKNOWN));
  }
}
