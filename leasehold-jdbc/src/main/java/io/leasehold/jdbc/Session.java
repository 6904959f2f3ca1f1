package io.leasehold.jdbc;

import io.leasehold.LeaseView;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A connection while it carries one call. It leaves the connection as it found it.
 *
 * <p>The call's deadline is the socket's time-out, so that a server which accepts and never answers
 * does not hold the caller; what the server itself does about a deadline is in the dialect's
 * statements.
 */
final class Session implements AutoCloseable {

  private final Connection connection;
  private final Dialect dialect;
  private final boolean autoCommit;
  private final int networkTimeout;
  private boolean autoCommitChanged;
  private boolean readOnlyChanged;
  private boolean networkTimeoutChanged;
  private boolean applied;
  private @Nullable SQLException failure;

  Session(Connection connection, Dialect dialect, Duration deadline) throws SQLException {
    this.connection = connection;
    this.dialect = dialect;
    this.autoCommit = connection.getAutoCommit();
    dialect.enter(connection);
    this.networkTimeout = limit(deadline);
    if (!autoCommit && dialect.wantsAutoCommit()) {
      connection.setAutoCommit(true);
      autoCommitChanged = true;
    }
    if (dialect.wantsWritable()) {
      connection.setReadOnly(false);
      readOnlyChanged = true;
    }
  }

  /** Whether a statement of this call has changed something, for all that is known. */
  boolean applied() {
    return applied;
  }

  /** Runs a script once, or until every question has its answer. */
  void ask(Dialect.Operation operation, List<? extends Question<?>> questions) throws SQLException {
    if (!dialect.wantsTransaction(operation, questions.size())) {
      askOnce(operation, questions, !dialect.commitsItself());
      return;
    }
    if (connection.getAutoCommit()) {
      connection.setAutoCommit(false);
      autoCommitChanged = true;
    }
    askOnce(operation, questions, false);
    connection.commit();
  }

  private void askOnce(
      Dialect.Operation operation, List<? extends Question<?>> questions, boolean commitEach)
      throws SQLException {
    // In the order of names, so that calls for the same names lock them in the same order.
    Map<String, Question<?>> open = new TreeMap<>();
    questions.forEach(question -> open.put(question.name().value(), question));
    Set<String> seen = new HashSet<>();
    for (Dialect.Step step : dialect.script(operation)) {
      List<String> asked = open.values().stream().map(Question::json).toList();
      Outcome outcome = run(step, step.sql(), JsonText.array(asked), commitEach);
      if (step.counted() && outcome.count() == open.size()) {
        open.values().forEach(Question::changed);
      }
      for (LeaseRow row : outcome.rows()) {
        String name = row.view().name().value();
        seen.add(name);
        Question<?> question = open.get(name);
        if (question != null) {
          question.row(row);
        }
      }
      open.values().removeIf(question -> !question.isOpen());
      if (open.isEmpty()) {
        return;
      }
    }
    // A name of which no statement returned a row has no record.
    open.forEach(
        (name, question) -> {
          if (!seen.contains(name)) {
            question.noRow();
          }
        });
  }

  /** The records that a script's only statement returns, at most so many. */
  List<LeaseView> list(Dialect.Operation operation, JsonText parameter, int limit)
      throws SQLException {
    return runOnly(operation, parameter, limit).rows().stream().map(LeaseRow::view).toList();
  }

  /** How many records a script's only statement changes. */
  long count(Dialect.Operation operation, JsonText parameter) throws SQLException {
    return runOnly(operation, parameter, 0).count();
  }

  private Outcome runOnly(Dialect.Operation operation, JsonText parameter, int limit)
      throws SQLException {
    Dialect.Step step = dialect.script(operation).get(0);
    // A number of ours: no database takes a limit from within a JSON text.
    String sql = step.sql().replace("{limit}", Integer.toString(limit));
    return run(step, sql, JsonText.array(List.of(parameter.toString())), !dialect.commitsItself());
  }

  /**
   * What a statement gave.
   *
   * @param rows the records it returned
   * @param count how many it changed, by its own count or else the driver's
   */
  private record Outcome(List<LeaseRow> rows, long count) {}

  private Outcome run(Dialect.Step step, String sql, String parameter, boolean commit)
      throws SQLException {
    List<LeaseRow> rows = new ArrayList<>();
    long updated = 0;
    long counted = -1;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      dialect.tune(statement);
      statement.setString(1, parameter);
      boolean isRows = statement.execute();
      while (true) {
        if (isRows) {
          // To the end: SQLite commits when the last row has been read.
          try (ResultSet found = statement.getResultSet()) {
            boolean counts = found.getMetaData().getColumnCount() == 1;
            while (found.next()) {
              if (counts) {
                counted = found.getLong(1);
              } else {
                rows.add(LeaseRow.read(found));
              }
            }
          }
        } else {
          int changed = statement.getUpdateCount();
          if (changed < 0) {
            break;
          }
          updated += changed;
        }
        isRows = statement.getMoreResults();
      }
      if (commit && !connection.getAutoCommit()) {
        connection.commit();
      }
    } catch (SQLException e) {
      failure = e;
      throw e;
    }
    applied |= step.changes();
    return new Outcome(rows, counted < 0 ? updated : counted);
  }

  private int limit(Duration deadline) throws SQLException {
    try {
      int before = connection.getNetworkTimeout();
      connection.setNetworkTimeout(Runnable::run, (int) Math.max(1, deadline.toMillis()));
      networkTimeoutChanged = true;
      return before;
    } catch (SQLFeatureNotSupportedException e) {
      return 0;
    }
  }

  /** Restores the connection. If that fails, the connection is broken and the pool finds out. */
  @Override
  public void close() {
    try {
      if (connection.isClosed()) {
        return;
      }
      if (failure != null) {
        dialect.recover(connection, failure);
      }
      if (readOnlyChanged) {
        connection.setReadOnly(true);
      }
      if (autoCommitChanged) {
        connection.setAutoCommit(autoCommit);
      }
      if (networkTimeoutChanged) {
        connection.setNetworkTimeout(Runnable::run, networkTimeout);
      }
    } catch (SQLException e) {
      try {
        connection.abort(Runnable::run);
      } catch (SQLException again) {
        e.addSuppressed(again);
      }
    }
  }
}
