package io.leasehold.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls from many threads at one instant. */
final class AtOnce {

  private static final int PATIENCE_SECONDS = 90;

  private AtOnce() {}

  /** The answers in order. An exception in one call is a broken guarantee: nobody gets one. */
  static <T> List<T> call(List<? extends Callable<? extends T>> calls) throws InterruptedException {
    CyclicBarrier start = new CyclicBarrier(calls.size());
    List<FutureTask<T>> tasks = new ArrayList<>();
    for (Callable<? extends T> call : calls) {
      FutureTask<T> task =
          new FutureTask<>(
              () -> {
                start.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
                return call.call();
              });
      tasks.add(task);
      Thread thread = new Thread(task, "leasehold-tck-candidate-" + tasks.size());
      thread.setDaemon(true);
      thread.start();
    }
    List<T> answers = new ArrayList<>();
    for (FutureTask<T> task : tasks) {
      try {
        answers.add(task.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
      } catch (ExecutionException e) {
        throw new AssertionError(
            "a call made at the same time as others gets an answer, not " + e.getCause(), e);
      } catch (TimeoutException e) {
        throw new AssertionError(
            "a call made at the same time as others is answered within " + PATIENCE_SECONDS + " s",
            e);
      }
    }
    return answers;
  }
}
