package io.leasehold.redis;

import io.leasehold.LeaseStore.Subscription;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells candidates that a name was given back. Pub/sub, on a connection that is open only while
 * somebody listens.
 *
 * <p>Everything but the set of listeners belongs to one thread, which also calls the listeners, so
 * that a slow one never holds up the driver's own threads. That thread opens the connection without
 * waiting for it, compares what is subscribed with what is wanted, and pings it once a second: a
 * connection that does not answer is replaced. What is published meanwhile is lost, which costs the
 * candidates their poll.
 */
// The futures are watched by callbacks, or nobody waits for them to be done, as when closing.
@SuppressWarnings("FutureReturnValueIgnored")
final class ReleaseSignals {

  private static final Logger log = LoggerFactory.getLogger(ReleaseSignals.class);
  private static final long PERIOD_SECONDS = 1;

  private final Supplier<? extends CompletionStage<StatefulRedisPubSubConnection<String, String>>>
      opener;
  private final ConcurrentHashMap<String, List<Runnable>> listeners = new ConcurrentHashMap<>();
  private final ScheduledThreadPoolExecutor thread;

  // The thread's own.
  private final Set<String> subscribed = new HashSet<>();
  private @Nullable StatefulRedisPubSubConnection<String, String> connection;
  private @Nullable RedisFuture<String> ping;
  private boolean opening;
  private boolean ticking;
  private boolean failed;

  ReleaseSignals(
      Supplier<? extends CompletionStage<StatefulRedisPubSubConnection<String, String>>> opener) {
    this.opener = opener;
    this.thread =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread fresh = new Thread(work, "leasehold-redis-signals");
              fresh.setDaemon(true);
              return fresh;
            });
    thread.setRemoveOnCancelPolicy(true);
    // Without listeners there is nothing to do, and then there is no thread either.
    thread.setKeepAliveTime(5, TimeUnit.SECONDS);
    thread.allowCoreThreadTimeOut(true);
  }

  /** Listens to a channel until the subscription is closed. Does not wait. */
  Subscription subscribe(String channel, Runnable listener) {
    listen(channel, listener);
    AtomicBoolean over = new AtomicBoolean();
    return () -> {
      if (over.compareAndSet(false, true)) {
        ignore(channel, listener);
      }
    };
  }

  private void listen(String channel, Runnable listener) {
    listeners.compute(
        channel,
        (key, old) -> {
          List<Runnable> all = old == null ? new CopyOnWriteArrayList<>() : old;
          all.add(listener);
          return all;
        });
    onThread(this::adjust);
  }

  private void ignore(String channel, Runnable listener) {
    listeners.computeIfPresent(
        channel,
        (key, all) -> {
          all.remove(listener);
          return all.isEmpty() ? null : all;
        });
    onThread(this::adjust);
  }

  /** Ends them all, the connection and the thread, within the deadline. */
  void close(Deadline deadline) {
    listeners.clear();
    onThread(this::adjust);
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    thread.shutdown();
    try {
      // The connection is closed by the thread, and has to be while the driver is still there.
      if (!thread.awaitTermination(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private void adjust() {
    StatefulRedisPubSubConnection<String, String> open = connection;
    if (open != null && !open.isOpen()) {
      disconnect();
      open = null;
    }
    if (listeners.isEmpty()) {
      disconnect();
    } else if (open == null) {
      connect();
    } else {
      subscribe(open);
    }
    if (!listeners.isEmpty() && !ticking) {
      ticking = true;
      after(PERIOD_SECONDS, this::tick);
    }
  }

  private void tick() {
    ticking = false;
    RedisFuture<String> last = ping;
    StatefulRedisPubSubConnection<String, String> open = connection;
    if (open != null && last != null && !last.isDone()) {
      disconnect();
    } else if (open != null) {
      ping = open.async().ping();
    }
    adjust();
  }

  private void connect() {
    if (opening) {
      return;
    }
    opening = true;
    try {
      opener.get().whenComplete((fresh, failure) -> onThread(() -> opened(fresh, failure)));
    } catch (RuntimeException e) {
      opened(null, e);
    }
  }

  private void opened(
      @Nullable StatefulRedisPubSubConnection<String, String> fresh, @Nullable Throwable failure) {
    opening = false;
    if (fresh == null) {
      if (!failed) {
        log.info(
            "signals of releases are off until the server can be reached: {}",
            ScriptDispatch.reason(failure));
      }
      failed = true; // the next tick tries again
      return;
    }
    failed = false;
    connection = fresh;
    fresh.addListener(
        new RedisPubSubAdapter<String, String>() {
          @Override
          public void message(String channel, String message) {
            onThread(() -> wake(channel));
          }
        });
    adjust();
  }

  private void disconnect() {
    StatefulRedisPubSubConnection<String, String> old = connection;
    connection = null;
    ping = null;
    subscribed.clear();
    if (old != null) {
      old.closeAsync();
    }
  }

  private void subscribe(StatefulRedisPubSubConnection<String, String> open) {
    Set<String> wanted = new HashSet<>(listeners.keySet());
    String[] fresh =
        wanted.stream().filter(each -> !subscribed.contains(each)).toArray(String[]::new);
    String[] stale =
        subscribed.stream().filter(each -> !wanted.contains(each)).toArray(String[]::new);
    if (fresh.length > 0) {
      open.async().subscribe(fresh).exceptionally(ReleaseSignals::refused);
      subscribed.addAll(List.of(fresh));
    }
    if (stale.length > 0) {
      open.async().unsubscribe(stale).exceptionally(ReleaseSignals::refused);
      List.of(stale).forEach(subscribed::remove);
    }
  }

  private static @Nullable Void refused(Throwable failure) {
    log.debug("signals of releases: {}", ScriptDispatch.reason(failure));
    return null;
  }

  private void wake(String channel) {
    for (Runnable listener : listeners.getOrDefault(channel, List.of())) {
      try {
        listener.run();
      } catch (RuntimeException e) {
        log.warn("a listener for the releases of {} threw", channel, e);
      }
    }
  }

  private void onThread(Runnable work) {
    try {
      thread.execute(work);
    } catch (RejectedExecutionException closed) {
      log.trace("signals are closed");
    }
  }

  private void after(long seconds, Runnable work) {
    try {
      thread.schedule(work, seconds, TimeUnit.SECONDS);
    } catch (RejectedExecutionException closed) {
      log.trace("signals are closed");
    }
  }
}
