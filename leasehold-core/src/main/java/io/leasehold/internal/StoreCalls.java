package io.leasehold.internal;

import io.leasehold.LeaseStoreException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Runs store calls on threads of their own, so that a call which never returns stops nobody.
 *
 * <p>A call that hangs keeps its thread; there is no way to take it back from a driver that ignores
 * the interrupt. So the number of threads is bounded: once {@value #MAX_CALLS} calls are stuck,
 * further ones are refused at once, as not sent, until one returns. Calls that give something back
 * have {@value #MAX_GIVE_BACKS} threads more, so that stuck attempts do not keep a holder from
 * releasing.
 *
 * <p>Thread-safe. {@link #close} takes no more calls and lets idle threads end; it waits for none.
 */
public final class StoreCalls implements AutoCloseable {

  /** How many calls may be under way at once. */
  public static final int MAX_CALLS = 8;

  /** How many more calls may be under way that give something back. */
  public static final int MAX_GIVE_BACKS = 4;

  private static final long IDLE_SECONDS = 60;

  private final ThreadPoolExecutor threads;
  private final AtomicInteger underWay = new AtomicInteger();
  private final ConcurrentHashMap<Long, Thread> running = new ConcurrentHashMap<>();

  /**
   * No call under way.
   *
   * @param threads makes the threads
   */
  public StoreCalls(ThreadFactory threads) {
    this.threads =
        new ThreadPoolExecutor(
            0,
            MAX_CALLS + MAX_GIVE_BACKS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            threads);
  }

  /**
   * Runs a call. Exactly one of the two consumers is called, on the call's thread, or on this one
   * if the call is refused.
   *
   * @param id names the call for {@link #cancel}
   * @param givesBack whether the call gives something back
   * @param call the call
   * @param answered takes the answer
   * @param failed takes what the call threw
   * @param <T> the answer
   */
  public <T> void run(
      long id,
      boolean givesBack,
      Supplier<T> call,
      Consumer<? super T> answered,
      Consumer<? super Throwable> failed) {
    int limit = givesBack ? MAX_CALLS + MAX_GIVE_BACKS : MAX_CALLS;
    if (underWay.incrementAndGet() > limit) {
      underWay.decrementAndGet();
      failed.accept(notSent(limit + " store calls are stuck; this one was not sent"));
      return;
    }
    try {
      threads.execute(() -> runHere(id, call, answered, failed));
    } catch (RejectedExecutionException e) {
      underWay.decrementAndGet();
      failed.accept(notSent("closed; this store call was not sent"));
    } catch (OutOfMemoryError e) {
      // No thread could be made. Nothing was sent, and the caller's own thread goes on.
      underWay.decrementAndGet();
      failed.accept(e);
    }
  }

  private <T> void runHere(
      long id, Supplier<T> call, Consumer<? super T> answered, Consumer<? super Throwable> failed) {
    running.put(id, Thread.currentThread());
    T answer;
    try {
      answer = call.get();
    } catch (Throwable e) { // a store may throw anything; it must not end the campaign
      endCall(id);
      failed.accept(e);
      return;
    }
    endCall(id);
    answered.accept(answer);
  }

  private void endCall(long id) {
    running.remove(id);
    Thread.interrupted(); // a cancel that came too late is not for the next call
    underWay.decrementAndGet();
  }

  /**
   * Interrupts a call, if it is under way.
   *
   * @param id which call
   */
  public void cancel(long id) {
    running.computeIfPresent(
        id,
        (key, thread) -> {
          thread.interrupt();
          return thread;
        });
  }

  @Override
  public void close() {
    threads.shutdown();
  }

  /**
   * Whether a failed call may have happened all the same.
   *
   * @param failure what it threw
   * @return false only if it certainly did not
   */
  public static boolean mayHaveHappened(Throwable failure) {
    return !(failure instanceof IllegalArgumentException)
        && !(failure instanceof LeaseStoreException known
            && known.outcome() == LeaseStoreException.Outcome.NOT_APPLIED);
  }

  private static LeaseStoreException notSent(String message) {
    return new LeaseStoreException(LeaseStoreException.Outcome.NOT_APPLIED, message);
  }

  /** Numbers the threads of one owner. */
  public static final class Threads {
    private Threads() {}

    /**
     * Daemon threads with a role and a subject in their names.
     *
     * @param threads makes the threads
     * @param role what they do, such as {@code call}
     * @param subject whom they do it for
     * @return a factory
     */
    public static ThreadFactory named(ThreadFactory threads, String role, String subject) {
      AtomicLong count = new AtomicLong();
      return task -> {
        Thread thread = threads.newThread(task);
        thread.setName("leasehold-" + role + "-" + subject + "-" + count.incrementAndGet());
        thread.setDaemon(true);
        return thread;
      };
    }
  }
}
