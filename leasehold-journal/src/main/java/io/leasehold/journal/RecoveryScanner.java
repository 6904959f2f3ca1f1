package io.leasehold.journal;

import io.leasehold.LeaseStoreException;
import io.leasehold.Page;
import io.leasehold.keeper.LeaseKeeper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds instances that nobody works on and carries them on, on every node alike. The nodes need not
 * agree: each begins at another place of the list, and an instance that is held or fenced is
 * somebody else's.
 *
 * <pre>{@code
 * RecoveryScanner scanner = RecoveryScanner.of(keeper, journal, ttl, ownership -> resume(ownership));
 * scanner.start(Duration.ofSeconds(10));
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class RecoveryScanner implements AutoCloseable {

  /**
   * Carries an instance on. It runs on the scanner's thread; the ownership is closed afterwards.
   */
  @FunctionalInterface
  public interface Work {
    /**
     * Carries an instance on from its history.
     *
     * @param ownership the instance
     * @throws Exception if it fails; reported, and the instance is abandoned until the next look
     */
    void resume(Ownership ownership) throws Exception;
  }

  private static final Logger log = LoggerFactory.getLogger(RecoveryScanner.class);
  private static final int PAGE = 64;

  private final LeaseKeeper leases;
  private final Journal journal;
  private final Duration idleFor;
  private final Work work;
  private final RandomGenerator random;
  private final CountDownLatch closing = new CountDownLatch(1);
  private boolean started; // guarded by this

  private RecoveryScanner(
      LeaseKeeper leases, Journal journal, Duration idleFor, Work work, RandomGenerator random) {
    this.leases = leases;
    this.journal = journal;
    this.idleFor = idleFor;
    this.work = work;
    this.random = random;
  }

  /**
   * A scanner.
   *
   * @param leases takes the leases
   * @param journal the journal
   * @param idleFor for how long nobody has touched an instance; at least the leases' TTL
   * @param work carries an instance on
   * @return the scanner
   */
  public static RecoveryScanner of(
      LeaseKeeper leases, Journal journal, Duration idleFor, Work work) {
    return of(leases, journal, idleFor, work, RandomGenerator.getDefault());
  }

  /**
   * A scanner with its own chance, for tests.
   *
   * @param leases takes the leases
   * @param journal the journal
   * @param idleFor for how long nobody has touched an instance; at least the leases' TTL
   * @param work carries an instance on
   * @param random where to begin in the list, and when
   * @return the scanner
   */
  public static RecoveryScanner of(
      LeaseKeeper leases, Journal journal, Duration idleFor, Work work, RandomGenerator random) {
    return new RecoveryScanner(leases, journal, idleFor, work, random);
  }

  /**
   * Looks once: at the 64 instances that were left longest, beginning at one of them by chance.
   *
   * @return what came of it
   * @throws JournalException if the journal did not list them
   */
  public RecoveryReport scan() {
    List<AbandonedInstance> page =
        new ArrayList<>(journal.abandoned(idleFor, Page.first(PAGE)).instances());
    if (!page.isEmpty()) {
      Collections.rotate(page, random.nextInt(page.size()));
    }
    int taken = 0;
    int contended = 0;
    int failed = 0;
    for (AbandonedInstance each : page) {
      if (closing.getCount() == 0) {
        break;
      }
      try {
        if (resumed(each)) {
          taken++;
        } else {
          contended++;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        failed++;
        break;
      } catch (Exception e) {
        failed++;
        log.warn("{}: could not be carried on: {}", each.id(), e.toString());
      }
    }
    return new RecoveryReport(page.size(), taken, contended, failed);
  }

  private boolean resumed(AbandonedInstance abandoned) throws Exception {
    TakeAnswer answer = Ownership.take(leases, journal, abandoned.id());
    if (!(answer instanceof TakeAnswer.Owned owned)) {
      return false;
    }
    try (Ownership ownership = owned.ownership()) {
      // Between the list and the lease another node may have carried it on, or to its end.
      if (!ownership.history().instance().state().isRecoverable()) {
        return false;
      }
      work.resume(ownership);
      return true;
    }
  }

  /**
   * Looks again and again, on a thread of its own, until closed.
   *
   * @param interval the time between two looks, &plusmn;25 %
   * @throws IllegalStateException if it was started before
   */
  public synchronized void start(Duration interval) {
    if (started) {
      throw new IllegalStateException("the scanner was started before");
    }
    started = true;
    Thread thread = new Thread(() -> run(interval), "leasehold-recovery");
    thread.setDaemon(true);
    thread.start();
  }

  private void run(Duration interval) {
    boolean reachable = true;
    while (!pausedUntilClosed(interval)) {
      try {
        scan();
        if (!reachable) {
          log.info("the recovery scanner reaches the journal again");
        }
        reachable = true;
      } catch (JournalException | LeaseStoreException e) {
        if (reachable) {
          log.warn("the recovery scanner cannot reach the journal: {}", e.toString());
        }
        reachable = false;
      } catch (RuntimeException e) {
        log.error("the recovery scanner failed and goes on", e);
      }
    }
  }

  private boolean pausedUntilClosed(Duration interval) {
    long nanos = (long) (interval.toNanos() * random.nextDouble(0.75, 1.25));
    try {
      return closing.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  /** Ends the looking: no instance is taken any more. Work that runs is left to end. Idempotent. */
  @Override
  public void close() {
    closing.countDown();
  }
}
