package io.leasehold.redis;

import io.leasehold.Ticker;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One open connection, shared by all threads.
 *
 * <p>A connection may be dead without being closed: the network drops what is sent, and TCP takes a
 * quarter of an hour to notice. So a line that owes an answer and has said nothing for one and a
 * half time-outs is <em>mute</em> and gets replaced. One and a half, and not one, so that the
 * abandon that follows an unanswered acquire still goes down the same line and stays behind it.
 */
// The futures are watched by callbacks, or nobody waits for them to be done, as when closing.
@SuppressWarnings("FutureReturnValueIgnored")
final class Line {

  private static final long NOTHING_OWED = 0;

  private final StatefulRedisConnection<String, String> connection;
  private final Ticker ticker;
  private final long patience;
  private final Set<LeaseScript> taught = ConcurrentHashMap.newKeySet();
  private final AtomicLong owedSince = new AtomicLong(NOTHING_OWED);

  Line(StatefulRedisConnection<String, String> connection, Duration timeout, Ticker ticker) {
    this.connection = connection;
    this.ticker = ticker;
    this.patience = timeout.toNanos() * 3 / 2;
  }

  /**
   * Sends commands in this order, in one flush. It does not touch the connection's auto-flush mode,
   * which other threads rely on.
   */
  void send(List<Sent> commands) {
    // An odd number cannot be mistaken for "nothing owed".
    owedSince.compareAndSet(NOTHING_OWED, ticker.nanos() | 1);
    for (Sent command : commands) {
      command.whenComplete(
          (value, failure) -> {
            if (failure == null || failure instanceof RedisCommandExecutionException) {
              owedSince.set(NOTHING_OWED);
            }
          });
    }
    connection.dispatch(commands);
  }

  /**
   * Whether the next use of a script has to be by its text. True once per script and line: those
   * sent behind it find it in the server's cache.
   */
  boolean teaches(LeaseScript script) {
    return taught.add(script);
  }

  /** The server no longer knows a script: its cache was flushed. */
  void forget(LeaseScript script) {
    taught.remove(script);
  }

  boolean isUsable() {
    return connection.isOpen() && !isMute();
  }

  /** An answer did not come: closes the line if it has been mute for too long. */
  void unanswered() {
    if (isMute()) {
      close();
    }
  }

  RedisAsyncCommands<String, String> commands() {
    return connection.async();
  }

  /** Closes the connection without waiting; what it still owes fails. */
  void close() {
    connection.closeAsync();
  }

  private boolean isMute() {
    long since = owedSince.get();
    return since != NOTHING_OWED && ticker.nanos() - since > patience;
  }
}
