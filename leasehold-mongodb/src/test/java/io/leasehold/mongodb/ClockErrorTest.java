package io.leasehold.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClient;
import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import io.leasehold.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An estimate of the server's clock that is wrong: the monotonic clock jumps, as if the machine had
 * slept, or the server's clock had been set.
 */
class ClockErrorTest {

  private static final Duration TTL = Duration.ofMinutes(1);

  private final MongoServerUnderTest server = MongoServerUnderTest.start();
  private final MongoClient client = server.client();
  private final AtomicLong jump = new AtomicLong();
  private final LeaseCollection collection =
      new LeaseCollection(
          client.getDatabase(server.database()), "leases", Duration.ofSeconds(10), Ticker.system());
  private final MongoLeaseStore store =
      new MongoLeaseStore(
          collection,
          new ServerClock(collection::serverTime, () -> System.nanoTime() + jump.get()),
          false,
          () -> {});
  private final LeaseName name = LeaseName.of("job");

  @AfterEach
  void close() {
    store.close();
    client.close();
    server.close();
  }

  /** Less than a sample's life, so that only the server's refusal can show the error. */
  @ParameterizedTest
  @ValueSource(longs = {-9_000, -300, 300, 9_000})
  void aWrongEstimateIsRefusedByTheServerAndMeasuredAgain(long millis) {
    Duration ttl = Duration.ofSeconds(1);
    store.release(take(LeaseName.of("other"), "o", TTL), Duration.ZERO);
    shift(millis);
    assertRight(take(name, "a1", ttl), ttl);
    shift(millis);
    Lease lease = take(name, "a1", ttl);
    shift(millis);
    RenewAnswer renewed = store.renew(lease, TTL);
    assertRight(((RenewAnswer.Renewed) renewed).lease(), TTL);
    shift(millis);
    assertThat(store.release(lease, Duration.ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
    Lease again = take(name, "a2", TTL);
    shift(millis);
    List<RenewAnswer> all = store.renewAll(List.of(again), TTL.multipliedBy(2));
    assertRight(((RenewAnswer.Renewed) all.get(0)).lease(), TTL.multipliedBy(2));
    shift(millis);
    assertThat(store.releaseAll(List.of(again), Duration.ZERO))
        .containsExactly(ReleaseAnswer.RELEASED);
    shift(millis);
    List<AcquireAnswer> acquired =
        store.acquireAll(List.of(new AcquireRequest(name, "alice", "a3", ttl)));
    assertRight(((AcquireAnswer.Granted) acquired.get(0)).lease(), ttl);
    shift(millis);
    store.abandon(name, "alice", "a3");
    assertThat(store.read(name)).isEmpty();
  }

  @Test
  void aClockThatCannotBeFollowedGrantsNothing() {
    MongoLeaseStore lost =
        new MongoLeaseStore(
            collection,
            new ServerClock(
                collection::serverTime,
                // Every look at this clock finds it a minute on, so that no sample is any good.
                () -> jump.addAndGet(Duration.ofMinutes(1).toNanos())),
            false,
            () -> {});
    assertThatThrownBy(() -> lost.acquire(name, "alice", "a1", TTL))
        .isInstanceOf(LeaseStoreException.class)
        .hasMessageContaining("clock");
    jump.set(0);
    assertThat(store.read(name)).isEmpty();
    assertThat(take(name, "a2", TTL).token().value()).isPositive();
  }

  @Test
  void aNameThatComesBackAfterReclaimHasAGreaterTokenEvenOnAnEstimateThatIsBehind() {
    Lease first = take(name, "a1", TTL);
    for (int i = 0; i < 5; i++) {
      store.release(first, Duration.ZERO);
      assertThat(store.reclaim(Duration.ZERO)).isEqualTo(1);
      shift(-5);
      Lease next = take(name, "b" + i, TTL);
      assertThat(next.token()).isGreaterThan(first.token());
      first = next;
    }
  }

  @Test
  void theFirstTokenIsTheServersClockInMicroseconds() {
    long before = Instant.now().minusMillis(1_000).toEpochMilli() * 1_000;
    long after = Instant.now().plusMillis(10_000).toEpochMilli() * 1_000;
    assertThat(take(name, "a1", TTL).token().value()).isBetween(before, after);
  }

  /** Never later than it should be, and earlier by TTL/6 at most: a holder serves 5/6 of it. */
  private static void assertRight(Lease lease, Duration ttl) {
    // The server's clock is this machine's. 200 ms: what a loaded machine takes from there to here.
    Instant due = Instant.now().plus(ttl);
    assertThat(lease.expiresAt())
        .isBetween(due.minus(ttl.dividedBy(6)).minusMillis(200), due.plusMillis(1));
    assertThat(lease.remaining()).isBetween(ttl.multipliedBy(5).dividedBy(6), ttl);
  }

  private void shift(long millis) {
    jump.addAndGet(Duration.ofMillis(millis).toNanos());
  }

  private Lease take(LeaseName taken, String attempt, Duration ttl) {
    return ((AcquireAnswer.Granted) store.acquire(taken, "alice", attempt, ttl)).lease();
  }
}
