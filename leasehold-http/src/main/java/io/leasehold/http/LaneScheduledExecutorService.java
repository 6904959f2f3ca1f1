package io.leasehold.http;

import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** {@link LaneExecutorService} for delayed and repeated tasks. */
final class LaneScheduledExecutorService extends LaneExecutorService
    implements ScheduledExecutorService {

  private final ScheduledExecutorService executor;

  LaneScheduledExecutorService(ScheduledExecutorService executor) {
    super(executor);
    this.executor = executor;
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return executor.schedule(Lane.bind(task), delay, unit);
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    return executor.schedule(Lane.bind(task), delay, unit);
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable task, long initialDelay, long period, TimeUnit unit) {
    return executor.scheduleAtFixedRate(Lane.bind(task), initialDelay, period, unit);
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long initialDelay, long delay, TimeUnit unit) {
    return executor.scheduleWithFixedDelay(Lane.bind(task), initialDelay, delay, unit);
  }
}
