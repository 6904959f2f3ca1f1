package io.leasehold.http;

import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;

/**
 * On whose behalf this thread sends requests: a short name such as {@code merge-gate-sweeper},
 * {@value #DEFAULT} where nobody named one.
 *
 * <pre>{@code
 * Lane.run("merge-gate-sweeper", () -> sweep.pass());
 * ExecutorService followed = Lane.wrap(executor); // work handed to it keeps the lane of who handed it
 * }</pre>
 *
 * <p>A lane belongs to a thread while the given work runs; lanes nest, and the outer one is
 * restored however the work ends. It does not reach other threads by itself: wrap the executor, or
 * the task. Thread-safe.
 */
public final class Lane {

  /** The lane of requests sent outside any {@link #call}. */
  public static final String DEFAULT = "default";

  /** The most characters the name of a lane may have. */
  public static final int MAX_LENGTH = 64;

  private static final ThreadLocal<String> CURRENT = ThreadLocal.withInitial(() -> DEFAULT);

  private Lane() {}

  /**
   * Work that returns a value and may throw one kind of checked exception.
   *
   * @param <T> what it returns
   * @param <X> what it may throw
   */
  @FunctionalInterface
  public interface Task<T, X extends Exception> {

    /**
     * Does the work.
     *
     * @return its result
     * @throws X if the work fails
     */
    T call() throws X;
  }

  /**
   * Runs the work in the lane, on this thread.
   *
   * @param lane 1 to {@value #MAX_LENGTH} visible ASCII characters, no comma
   * @param work the work
   * @param <T> what the work returns
   * @param <X> what the work may throw
   * @return what the work returned
   * @throws X what the work threw
   * @throws IllegalArgumentException if the name of the lane is not legal
   */
  public static <T, X extends Exception> T call(String lane, Task<T, X> work) throws X {
    String outer = enter(checked(lane));
    try {
      return work.call();
    } finally {
      leave(outer);
    }
  }

  /**
   * Runs the work in the lane, on this thread.
   *
   * @param lane 1 to {@value #MAX_LENGTH} visible ASCII characters, no comma
   * @param work the work
   * @throws IllegalArgumentException if the name of the lane is not legal
   */
  public static void run(String lane, Runnable work) {
    String outer = enter(checked(lane));
    try {
      work.run();
    } finally {
      leave(outer);
    }
  }

  /**
   * The lane of this thread.
   *
   * @return its name, {@value #DEFAULT} outside any lane
   */
  public static String current() {
    return CURRENT.get();
  }

  /**
   * A task that runs in the lane this thread is in now, wherever it runs.
   *
   * @param task the task
   * @return the task, bound to the lane
   */
  public static Runnable bind(Runnable task) {
    String lane = current();
    return () -> run(lane, task);
  }

  /**
   * A task that runs in the lane this thread is in now, wherever it runs.
   *
   * @param task the task
   * @param <T> what it returns
   * @return the task, bound to the lane
   */
  public static <T> Callable<T> bind(Callable<T> task) {
    String lane = current();
    return () -> call(lane, task::call);
  }

  /**
   * An executor whose tasks run in the lane of the thread that handed them over.
   *
   * @param executor what runs the tasks
   * @return the executor to hand tasks to
   */
  public static Executor wrap(Executor executor) {
    return task -> executor.execute(bind(task));
  }

  /**
   * An executor whose tasks run in the lane of the thread that handed them over. Shutting it down
   * shuts down the wrapped one.
   *
   * @param executor what runs the tasks
   * @return the executor to hand tasks to
   */
  public static ExecutorService wrap(ExecutorService executor) {
    return new LaneExecutorService(executor);
  }

  /**
   * An executor whose tasks, delayed and repeated ones too, run in the lane of the thread that
   * handed them over. Shutting it down shuts down the wrapped one.
   *
   * @param executor what runs the tasks
   * @return the executor to hand tasks to
   */
  public static ScheduledExecutorService wrap(ScheduledExecutorService executor) {
    return new LaneScheduledExecutorService(executor);
  }

  private static String enter(String lane) {
    String outer = CURRENT.get();
    CURRENT.set(lane);
    return outer;
  }

  private static void leave(String outer) {
    if (outer.equals(DEFAULT)) {
      CURRENT.remove();
    } else {
      CURRENT.set(outer);
    }
  }

  /** The name itself, if it can stand in a log line whose parts are split by spaces and commas. */
  static String checked(String lane) {
    boolean legal = !lane.isEmpty() && lane.length() <= MAX_LENGTH;
    for (int i = 0; legal && i < lane.length(); i++) {
      char c = lane.charAt(i);
      legal = c > ' ' && c < 0x7f && c != ',';
    }
    if (!legal) {
      throw new IllegalArgumentException(
          "lane '%s' is not legal: use 1 to %d visible ASCII characters without space or comma"
              .formatted(lane, MAX_LENGTH));
    }
    return lane;
  }
}
