package io.leasehold.internal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs callbacks in order, on one thread of their own, so that one which blocks or throws delays
 * nobody but the callbacks behind it.
 *
 * <p>Thread-safe. The thread ends with {@link #finish}, once the callbacks given before have run.
 */
public final class Listeners {

  private static final Logger log = LoggerFactory.getLogger(Listeners.class);

  /**
   * Behind a blocked callback, more than this many may be waiting before the lesser are dropped.
   */
  private static final int CROWDED = 1_000;

  private final LinkedBlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread thread;
  private volatile boolean finishing;
  private boolean failing;

  /**
   * Starts the thread.
   *
   * @param threads makes it
   */
  public Listeners(ThreadFactory threads) {
    thread = threads.newThread(this::runAll);
    thread.start();
  }

  /**
   * Queues a callback.
   *
   * @param callback the callback
   * @param droppable whether it may be dropped when a callback has blocked for long
   */
  public void call(Runnable callback, boolean droppable) {
    if (!(droppable && queue.size() > CROWDED)) {
      queue.add(callback);
    }
  }

  /** Ends the thread after the callbacks that are queued now. */
  public void finish() {
    queue.add(() -> finishing = true);
  }

  /**
   * Waits for the end that {@link #finish} asked for.
   *
   * @param millis at most how long
   * @throws InterruptedException if interrupted
   */
  public void awaitDone(long millis) throws InterruptedException {
    boolean ended = done.await(millis, TimeUnit.MILLISECONDS);
    if (!ended) {
      log.warn("a listener has not returned; its thread {} is left to end by itself", thread);
    }
  }

  /**
   * Whether the caller is a callback.
   *
   * @return whether this is the listeners' thread
   */
  public boolean isCurrentThread() {
    return Thread.currentThread() == thread;
  }

  private void runAll() {
    try {
      while (!finishing) {
        runNext();
      }
    } finally {
      done.countDown();
    }
  }

  private void runNext() {
    try {
      queue.take().run();
      failing = false;
    } catch (InterruptedException e) {
      // Only a callback could have asked for this, of its own thread. The callbacks go on.
      log.debug("a listener left its thread interrupted", e);
    } catch (Throwable e) { // a listener may throw anything; the next one is still called
      if (!failing) {
        failing = true;
        log.warn("a listener threw; the election goes on", e);
      }
    }
  }
}
