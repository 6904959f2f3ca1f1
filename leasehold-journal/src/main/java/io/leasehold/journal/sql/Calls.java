package io.leasehold.journal.sql;

import io.leasehold.LeaseStoreException.Outcome;
import io.leasehold.journal.JournalException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Takes a connection for each call, in auto-commit mode, tries again what lost a deadlock, and says
 * what an error means.
 */
final class Calls {

  /** What is done on a connection. */
  @FunctionalInterface
  interface Work<T> {
    T on(Connection connection, Dialect dialect) throws SQLException;
  }

  /** With the pauses between them, some seconds of losing every race. */
  private static final int MOST_TRIES = 100;

  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  private final DataSource source;
  private final JournalTables tables;
  private volatile @Nullable Dialect dialect;

  Calls(DataSource source, JournalTables tables) {
    this.source = source;
    this.tables = tables;
  }

  <T> T call(String call, Work<T> work) {
    for (int tries = 1; ; tries++) {
      Connection connection;
      try {
        connection = source.getConnection();
      } catch (SQLException e) {
        throw failed(Outcome.NOT_APPLIED, call, e);
      }
      try (connection) {
        return inAutoCommit(connection, work);
      } catch (SQLException e) {
        Dialect known = dialect;
        Dialect.Verdict verdict = known == null ? Dialect.Verdict.NOT_APPLIED : known.verdict(e);
        if (verdict != Dialect.Verdict.AGAIN || tries == MOST_TRIES) {
          throw failed(
              verdict == Dialect.Verdict.UNKNOWN ? Outcome.UNKNOWN : Outcome.NOT_APPLIED, call, e);
        }
        if (Thread.currentThread().isInterrupted()) {
          throw failed(Outcome.NOT_APPLIED, call, e);
        }
      }
      LockSupport.parkNanos(
          ThreadLocalRandom.current()
              .nextLong(Math.min(LONGEST_PAUSE, tries * TimeUnit.MILLISECONDS.toNanos(1))));
    }
  }

  /** A pool may hand out connections that do not commit by themselves. */
  private <T> T inAutoCommit(Connection connection, Work<T> work) throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    if (!autoCommit) {
      connection.setAutoCommit(true);
    }
    try {
      return work.on(connection, dialectOf(connection));
    } finally {
      if (!autoCommit && !connection.isClosed()) {
        connection.setAutoCommit(false);
      }
    }
  }

  private Dialect dialectOf(Connection connection) throws SQLException {
    Dialect known = dialect;
    if (known == null) {
      known = Dialect.of(connection, tables);
      dialect = known;
    }
    return known;
  }

  private JournalException failed(Outcome outcome, String call, SQLException error) {
    return new JournalException(
        outcome,
        "the journal in the tables "
            + tables
            + " gave no answer to "
            + call
            + (outcome == Outcome.UNKNOWN ? "; it may have happened" : "; it did not happen")
            + " (SQL state "
            + error.getSQLState()
            + ", error "
            + error.getErrorCode()
            + ")",
        error);
  }
}
