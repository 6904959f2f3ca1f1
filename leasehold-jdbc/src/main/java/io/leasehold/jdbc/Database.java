package io.leasehold.jdbc;

import io.leasehold.LeaseStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A database, as calls see it: every call gets a connection of its own, is retried while the
 * database asks for that, and ends by its deadline.
 */
final class Database implements AutoCloseable {

  /** Something to be done on a connection. It is done again if the database asks for that. */
  interface Work<T> {
    T on(Session session) throws SQLException;
  }

  private final Connections connections;
  private final Dialects dialects;
  private final Duration timeout;

  Database(Connections connections, Dialects dialects, Duration timeout) {
    this.connections = connections;
    this.dialects = dialects;
    this.timeout = timeout;
  }

  /**
   * Has a look at the database and the lease table; every call does until one has seen them.
   *
   * @throws LeaseStoreException if there is no connection
   * @throws UnfitTableException if the table cannot keep leases
   */
  void look(String call) {
    try {
      call(call, session -> true);
    } catch (LeaseStoreException e) {
      throw e.getCause() instanceof UnfitTableException unfit ? unfit : e;
    }
  }

  /** Asks until every question has its answer. */
  void ask(String call, Dialect.Operation operation, List<? extends Question<?>> questions) {
    call(
        call,
        session -> {
          List<? extends Question<?>> open = questions.stream().filter(Question::isOpen).toList();
          session.ask(operation, open);
          if (open.stream().anyMatch(Question::isOpen)) {
            throw new LostRaceException();
          }
          return true;
        });
  }

  /**
   * Does some work within the deadline.
   *
   * @throws LeaseStoreException if there was no answer
   */
  <T> T call(String call, Work<T> work) {
    long start = System.nanoTime();
    boolean applied = false;
    for (int tries = 1; ; tries++) {
      Duration left = timeout.minusNanos(System.nanoTime() - start);
      Connection connection;
      try {
        connection = connections.take(left);
      } catch (SQLException | RuntimeException e) {
        if (verdict(e) != Dialect.Verdict.AGAIN || expired(start)) {
          throw noAnswer(call, applied, "no connection", e);
        }
        pause(call, applied, tries);
        continue;
      }
      Session session = null;
      try {
        Dialect dialect = dialects.of(connection);
        session = new Session(connection, dialect, left);
        return work.on(session);
      } catch (SQLException e) {
        applied |= session != null && session.applied();
        Dialect.Verdict verdict = verdict(e);
        if (verdict != Dialect.Verdict.AGAIN || expired(start)) {
          // Without a session nothing of the call was sent yet.
          boolean unknown = verdict == Dialect.Verdict.UNKNOWN && session != null;
          throw noAnswer(call, applied || unknown, "failed", e);
        }
      } catch (UnfitTableException e) {
        throw noAnswer(call, applied, "refused", e);
      } catch (RuntimeException e) {
        // A driver that throws these has lost its footing; nothing is known.
        throw noAnswer(call, true, "failed", e);
      } finally {
        if (session != null) {
          session.close();
        }
        connections.giveBack(connection);
      }
      pause(call, applied, tries);
    }
  }

  /** How fine the database's clock is. */
  Duration tick() {
    return dialects.tick();
  }

  private Dialect.Verdict verdict(Exception e) {
    if (e instanceof LostRaceException) {
      return Dialect.Verdict.AGAIN;
    }
    return e instanceof SQLException sql ? dialects.verdict(sql) : Dialect.Verdict.NOT_APPLIED;
  }

  private boolean expired(long start) {
    return timeout.minusNanos(System.nanoTime() - start).toMillis() <= 0;
  }

  /** Lets the others pass: at once after the first failure, then for longer and by chance. */
  private void pause(String call, boolean applied, int tries) {
    if (tries == 1) {
      return;
    }
    try {
      Thread.sleep(ThreadLocalRandom.current().nextLong(1, Math.min(2L << tries, 50)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw noAnswer(call, applied, "interrupted between two tries", e);
    }
  }

  private LeaseStoreException noAnswer(
      String call, boolean perhapsApplied, String what, Exception cause) {
    return new LeaseStoreException(
        perhapsApplied
            ? LeaseStoreException.Outcome.UNKNOWN
            : LeaseStoreException.Outcome.NOT_APPLIED,
        dialects.product() + ": " + call + ": " + what + ": " + reason(cause),
        cause);
  }

  /**
   * The driver's words, without what follows the first line; none of the drivers quotes secrets.
   */
  private static String reason(Exception cause) {
    String message = cause.getMessage();
    return message == null ? cause.toString() : message.lines().findFirst().orElse("");
  }

  @Override
  public void close() {
    connections.close();
  }

  /** The statement found a name free and lost the race for it; it is asked again. */
  private static final class LostRaceException extends SQLException {
    private static final long serialVersionUID = 1L;

    private LostRaceException() {
      super("every try within the time allowed lost a race");
    }

    @Override
    public Throwable fillInStackTrace() {
      return this;
    }
  }
}
