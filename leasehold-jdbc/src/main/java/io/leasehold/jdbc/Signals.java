package io.leasehold.jdbc;

import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells subscribers of releases, on one daemon thread that lives while somebody is subscribed.
 *
 * <p>{@code lock} guards the thread's coming and going; it is never held while a subscriber runs or
 * the database is asked.
 */
abstract class Signals implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Signals.class);

  /** How long after a failure the watch begins again; until then candidates poll. */
  private static final long RESTART_MILLIS = 500;

  /** An object of its own, so that closing twice does not end another wish of the same runnable. */
  private static final class Wish {
    private final Runnable onRelease;

    private Wish(Runnable onRelease) {
      this.onRelease = onRelease;
    }
  }

  private final String threadName;
  private final ConcurrentHashMap<LeaseName, List<Wish>> subscribers = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private @Nullable Thread thread;
  private boolean nudged;
  private volatile boolean closed;

  Signals(String threadName) {
    this.threadName = threadName;
  }

  /** Watches while {@link #isWanted()}; whatever it throws, it is called again after a pause. */
  abstract void watch() throws SQLException, InterruptedException;

  /** Makes a blocked {@link #watch} return soon. */
  abstract void interruptWatch(Thread watching);

  final LeaseStore.Subscription subscribe(LeaseName name, Runnable onRelease) {
    Wish wish = new Wish(onRelease);
    subscribers.compute(
        name,
        (key, all) -> {
          List<Wish> now = all == null ? new CopyOnWriteArrayList<>() : all;
          now.add(wish);
          return now;
        });
    nudge();
    return () ->
        subscribers.computeIfPresent(
            name,
            (key, all) -> {
              all.remove(wish);
              return all.isEmpty() ? null : all;
            });
  }

  /** Starts the thread if it is wanted, and has it look now. */
  final void nudge() {
    lock.lock();
    try {
      nudged = true;
      changed.signalAll();
      if (thread == null && isWanted()) {
        // A few a process at most, and none while nobody is subscribed.
        Thread fresh = new Thread(this::run, threadName);
        fresh.setDaemon(true);
        fresh.start();
        thread = fresh;
      }
    } finally {
      lock.unlock();
    }
  }

  final boolean isWanted() {
    return !closed && !subscribers.isEmpty();
  }

  /** Gives the watch up for good: there is nothing to watch. */
  final void turnOff() {
    closed = true;
  }

  final Set<LeaseName> names() {
    return subscribers.keySet();
  }

  final void tell(LeaseName name) {
    List<Wish> all = subscribers.get(name);
    if (all != null) {
      for (Wish each : all) {
        try {
          each.onRelease.run();
        } catch (RuntimeException e) {
          log.warn("a subscriber to releases of {} failed", name, e);
        }
      }
    }
  }

  /** Waits this long, or until there is something to look at. */
  final void sleep(long millis) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = TimeUnit.MILLISECONDS.toNanos(millis);
      while (!nudged && isWanted() && left > 0) {
        left = changed.awaitNanos(left);
      }
      nudged = false;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    while (true) {
      try {
        try {
          watch();
        } catch (SQLException | RuntimeException e) {
          log.debug("the watch for releases ended and begins again", e);
          sleep(RESTART_MILLIS);
        }
      } catch (InterruptedException e) {
        // Only close() interrupts this thread; the question below sees it.
        log.trace("interrupted");
      }
      lock.lock();
      try {
        if (!isWanted()) {
          thread = null;
          return;
        }
      } finally {
        lock.unlock();
      }
    }
  }

  @Override
  public void close() {
    Thread watching;
    lock.lock();
    try {
      closed = true;
      watching = thread;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (watching == null || watching == Thread.currentThread()) {
      return;
    }
    interruptWatch(watching);
    try {
      watching.join(2_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
