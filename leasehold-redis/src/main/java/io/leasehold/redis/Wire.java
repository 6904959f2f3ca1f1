package io.leasehold.redis;

import io.leasehold.Ticker;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way to one server: a line that is opened when it is needed, and opened anew when it is closed
 * or mute.
 *
 * <p>Why not the driver's own reconnection: it queues what is called while the connection is down
 * and sends again what was not answered, so an acquire could be applied long after its caller gave
 * up. Here a command is sent at most once, a call on a server that is down fails at once, and the
 * first call after the server is back finds it, without waiting out a back-off.
 */
// The futures are watched by callbacks, or nobody waits for them to be done, as when closing.
@SuppressWarnings("FutureReturnValueIgnored")
final class Wire {

  /** A line that is open, or is to be, since an instant of the clock. */
  private record Opening(CompletableFuture<Line> line, long since) {}

  private final Supplier<? extends CompletionStage<StatefulRedisConnection<String, String>>> opener;
  private final Duration timeout;
  private final Ticker ticker;
  private final AtomicReference<@Nullable Opening> current = new AtomicReference<>();
  private volatile boolean closed;

  Wire(
      Supplier<? extends CompletionStage<StatefulRedisConnection<String, String>>> opener,
      Duration timeout,
      Ticker ticker) {
    this.opener = opener;
    this.timeout = timeout;
    this.ticker = ticker;
  }

  /** The line, or its opening. Never blocks; many callers share one opening. */
  CompletableFuture<Line> line() {
    Opening seen = current.get();
    if (seen != null && isUsable(seen)) {
      return seen.line();
    }
    Opening fresh = new Opening(new CompletableFuture<>(), ticker.nanos());
    if (!current.compareAndSet(seen, fresh)) {
      return line();
    }
    if (seen != null) {
      closeWhenOpen(seen);
    }
    open(fresh.line());
    return fresh.line();
  }

  /** Has the line opened if it is not, without waiting for it. */
  void prepare() {
    line();
  }

  /** Ends the wire; a line that is still being opened is closed when it comes. */
  void close() {
    closed = true;
    Opening last = current.getAndSet(null);
    if (last != null) {
      closeWhenOpen(last);
    }
  }

  private void open(CompletableFuture<Line> opening) {
    CompletionStage<StatefulRedisConnection<String, String>> connecting;
    try {
      connecting = opener.get();
    } catch (RuntimeException e) {
      opening.completeExceptionally(e);
      return;
    }
    connecting.whenComplete(
        (connection, failure) -> {
          if (failure != null) {
            opening.completeExceptionally(failure);
            return;
          }
          opening.complete(new Line(connection, timeout, ticker));
          if (closed) {
            connection.closeAsync();
          }
        });
  }

  /** An opening that takes longer than a call may is given up: its server does not greet. */
  private boolean isUsable(Opening opening) {
    CompletableFuture<Line> line = opening.line();
    if (!line.isDone()) {
      return ticker.nanos() - opening.since() <= timeout.toNanos();
    }
    return !line.isCompletedExceptionally() && line.join().isUsable();
  }

  private static void closeWhenOpen(Opening opening) {
    opening.line().thenAccept(Line::close);
  }
}
