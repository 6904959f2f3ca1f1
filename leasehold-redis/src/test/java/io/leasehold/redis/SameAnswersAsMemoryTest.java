package io.leasehold.redis;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireAnswer.Granted;
import io.leasehold.AcquireAnswer.Held;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.RenewAnswer;
import io.leasehold.RenewAnswer.Lost;
import io.leasehold.RenewAnswer.Renewed;
import io.leasehold.memory.MemoryLeaseStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Random calls in random order, made to this store and to the memory store, which is the reference:
 * the answers must be the same. Leases are for ten minutes, or for 1 ms and then 3 ms are waited,
 * so that no answer depends on how fast a call is. A failure prints the seed.
 */
class SameAnswersAsMemoryTest {

  private static final int CALLS = 3_000;
  private static final Duration LONG = ofMinutes(10);

  @Test
  void everyAnswerIsTheOneTheMemoryStoreGives() throws InterruptedException {
    long seed = System.nanoTime();
    try (RedisProcess server = RedisProcess.started();
        RedisLeaseStore redis =
            RedisLeaseStore.open(
                server.uri(), RedisLeaseOptions.defaults().timeout(ofSeconds(30)))) {
      LeaseStore memory = new MemoryLeaseStore(InstantSource.system());
      Random random = new Random(seed);
      List<Both> leases = new ArrayList<>();
      List<String> attempts = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        LeaseName name = LeaseName.of("n" + random.nextInt(3));
        String history = "seed " + seed + ", call " + i;
        switch (random.nextInt(9)) {
          case 0, 1, 2 -> {
            boolean brief = random.nextInt(3) == 0;
            String attempt =
                attempts.isEmpty() || random.nextInt(4) > 0
                    ? UUID.randomUUID().toString()
                    : attempts.get(random.nextInt(attempts.size()));
            attempts.add(attempt);
            Duration ttl = brief ? ofMillis(1) : LONG;
            AcquireAnswer theirs = memory.acquire(name, "a", attempt, ttl);
            AcquireAnswer ours = redis.acquire(name, "a", attempt, ttl);
            if (brief) {
              TimeUnit.MILLISECONDS.sleep(3);
            }
            assertThat(told(ours)).as(history).isEqualTo(told(theirs));
            if (ours instanceof Granted mine && theirs instanceof Granted other) {
              leases.add(new Both(mine.lease(), other.lease()));
            }
          }
          case 3, 4 -> {
            if (!leases.isEmpty()) {
              Both lease = leases.get(random.nextInt(leases.size()));
              assertThat(told(redis.renew(lease.ours(), LONG)))
                  .as(history)
                  .isEqualTo(told(memory.renew(lease.theirs(), LONG)));
            }
          }
          case 5, 6 -> {
            if (!leases.isEmpty()) {
              Both lease = leases.get(random.nextInt(leases.size()));
              Duration linger = random.nextInt(4) == 0 ? LONG : ZERO;
              assertThat(redis.release(lease.ours(), linger))
                  .as(history)
                  .isEqualTo(memory.release(lease.theirs(), linger));
            }
          }
          case 7 -> {
            if (!attempts.isEmpty()) {
              String attempt = attempts.get(random.nextInt(attempts.size()));
              redis.abandon(name, "a", attempt);
              memory.abandon(name, "a", attempt);
            }
          }
          default -> {
            assertThat(redis.read(name).map(SameAnswersAsMemoryTest::told))
                .as(history)
                .isEqualTo(memory.read(name).map(SameAnswersAsMemoryTest::told));
            assertThat(all(redis)).as(history).isEqualTo(all(memory));
            if (random.nextInt(4) == 0) {
              // A lingering name would block it for the rest: start afresh.
              TimeUnit.MILLISECONDS.sleep(2);
              assertThat(redis.reclaim(ZERO)).as(history).isEqualTo(memory.reclaim(ZERO));
            }
          }
        }
        if (random.nextInt(100) == 0) {
          server.commands().flushall();
          memory = new MemoryLeaseStore(InstantSource.system());
          leases.clear();
        }
      }
    }
  }

  /** One grant, as each of the two stores made it. */
  private record Both(Lease ours, Lease theirs) {}

  private static List<String> all(LeaseStore store) {
    return store.inspect("", Page.first(100)).leases().stream()
        .map(SameAnswersAsMemoryTest::told)
        .sorted()
        .toList();
  }

  private static String told(AcquireAnswer answer) {
    if (answer instanceof Granted granted) {
      return "granted " + granted.lease().attempt();
    }
    return "held " + told(((Held) answer).view());
  }

  private static String told(RenewAnswer answer) {
    if (answer instanceof Renewed renewed) {
      return "renewed " + renewed.lease().attempt();
    }
    return "lost " + ((Lost) answer).current().map(SameAnswersAsMemoryTest::told);
  }

  private static String told(LeaseView view) {
    return view.name() + " " + view.owner() + " " + view.attempt() + " " + view.state();
  }
}
