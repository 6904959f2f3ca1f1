package io.leasehold.http;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Binds each task to the lane of the thread that hands it over, then passes it on. */
class LaneExecutorService implements ExecutorService {

  private final ExecutorService executor;

  LaneExecutorService(ExecutorService executor) {
    this.executor = executor;
  }

  @Override
  public void execute(Runnable task) {
    executor.execute(Lane.bind(task));
  }

  @Override
  public <T> Future<T> submit(Callable<T> task) {
    return executor.submit(Lane.bind(task));
  }

  @Override
  public <T> Future<T> submit(Runnable task, T result) {
    return executor.submit(Lane.bind(task), result);
  }

  @Override
  public Future<?> submit(Runnable task) {
    return executor.submit(Lane.bind(task));
  }

  @Override
  public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks)
      throws InterruptedException {
    return executor.invokeAll(bound(tasks));
  }

  @Override
  public <T> List<Future<T>> invokeAll(
      Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
      throws InterruptedException {
    return executor.invokeAll(bound(tasks), timeout, unit);
  }

  @Override
  public <T> T invokeAny(Collection<? extends Callable<T>> tasks)
      throws InterruptedException, ExecutionException {
    return executor.invokeAny(bound(tasks));
  }

  @Override
  public <T> T invokeAny(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    return executor.invokeAny(bound(tasks), timeout, unit);
  }

  @Override
  public void shutdown() {
    executor.shutdown();
  }

  @Override
  public List<Runnable> shutdownNow() {
    return executor.shutdownNow();
  }

  @Override
  public boolean isShutdown() {
    return executor.isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return executor.isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return executor.awaitTermination(timeout, unit);
  }

  private static <T> List<Callable<T>> bound(Collection<? extends Callable<T>> tasks) {
    return tasks.stream().<Callable<T>>map(Lane::bind).toList();
  }
}
