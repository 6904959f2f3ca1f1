package io.leasehold.journal.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What differs between databases: the text of the statements and what the driver's errors mean.
 * Every statement is stamped by the database's own clock, in milliseconds since the epoch, so
 * neither the session's nor the JVM's time zone can matter.
 */
abstract class Dialect {

  /** A write that is decided under the lock of its instance's row. */
  enum Write {
    FENCE,
    APPEND,
    APPEND_WITH_EVENTS,
    COMPLETE
  }

  /** What an error says of the statement that got it. */
  enum Verdict {
    /** It did not happen, and it would when tried again: a deadlock, a busy file. */
    AGAIN,
    /** It certainly did not happen. */
    NOT_APPLIED,
    /** It may have happened. */
    UNKNOWN
  }

  static final String TERMINAL = "('COMPLETED', 'FAILED', 'TIMED_OUT', 'COMPENSATION_FAILED')";
  static final String RECOVERABLE = "('PENDING', 'RUNNING', 'COMPENSATING')";

  private final JournalTables tables;
  private final String now;
  private final ConcurrentMap<String, NamedSql> statements = new ConcurrentHashMap<>();

  Dialect(JournalTables tables, String now) {
    this.tables = tables;
    this.now = now;
  }

  /**
   * The dialect of a connection's database.
   *
   * @throws SQLException if it is none of ours
   */
  static Dialect of(Connection connection, JournalTables tables) throws SQLException {
    String product = connection.getMetaData().getDatabaseProductName();
    return switch (product.toLowerCase(Locale.ROOT)) {
      case "postgresql" -> new PostgresDialect(tables);
      case "mariadb" -> new MariaDbDialect(tables);
      case "sqlite" -> new SqliteDialect(tables);
      default ->
          throw new SQLException(
              "there is no journal for "
                  + product
                  + "; it can be kept in PostgreSQL, MariaDB and SQLite",
              "0A000");
    };
  }

  /** The folder of the schema files, beside this class. */
  abstract String folder();

  /** What this error says. */
  abstract Verdict verdict(SQLException error);

  /** Whether this error says that a key was there already. */
  abstract boolean isDuplicateKey(SQLException error);

  /** The statement of a write; with {@code count} repetitions for as many questions in one text. */
  abstract String write(Write write, int count);

  /** Inserts an instance; fails or counts no row when it is there. */
  abstract String start();

  /** Holds other migrations of these tables off, until the transaction ends. */
  abstract void lockSchema(Connection connection) throws SQLException;

  /** Ends what {@link #lockSchema} began. */
  abstract void unlockSchema(Connection connection, boolean commit) throws SQLException;

  /** The most questions in one text. */
  abstract int mostAtOnce();

  /** The column by which unfinished instances are found, and what holds of it. */
  abstract String idleSince();

  /** The clock as it was when the statement began, for conditions that an index answers. */
  String stillNow() {
    return now;
  }

  /** The column by which ended instances are found, and what holds of it. */
  abstract String endedSince();

  final JournalTables tables() {
    return tables;
  }

  /** A prepared text, made once per distinct template. */
  final NamedSql sql(String template) {
    return statements.computeIfAbsent(
        template,
        key ->
            NamedSql.of(
                tables
                    .fill(key)
                    .replace("{now}", now)
                    .replace("{stillNow}", stillNow())
                    .replace("{terminal}", TERMINAL)
                    .replace("{recoverable}", RECOVERABLE)));
  }

  /**
   * Asks several questions of one kind and commits once. An exception means that none was written,
   * or that the answer was lost.
   */
  <A> List<A> decide(Connection connection, List<? extends Question<A>> questions)
      throws SQLException {
    if (questions.size() <= mostAtOnce() && commitsByItself(questions.size())) {
      return ask(connection, questions);
    }
    List<A> answers = new ArrayList<>(questions.size());
    connection.setAutoCommit(false);
    boolean committed = false;
    try {
      for (int from = 0; from < questions.size(); from += mostAtOnce()) {
        answers.addAll(
            ask(
                connection,
                questions.subList(from, Math.min(questions.size(), from + mostAtOnce()))));
      }
      connection.commit();
      committed = true;
      return answers;
    } finally {
      if (!committed) {
        connection.rollback();
      }
      connection.setAutoCommit(true);
    }
  }

  /** Whether the text of so many questions commits all of them at its end, or none. */
  abstract boolean commitsByItself(int count);

  private <A> List<A> ask(Connection connection, List<? extends Question<A>> questions)
      throws SQLException {
    NamedSql sql = sql(write(questions.get(0).write(), questions.size()));
    List<A> answers = new ArrayList<>(questions.size());
    try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
      int index = 1;
      int each = sql.names().size() / questions.size();
      for (Question<A> question : questions) {
        Values values = question.values();
        for (String name : sql.names().subList(0, each)) {
          values.bind(statement, index, name);
          index++;
        }
      }
      // All results are read, also those after the last answer: an error may be among them.
      boolean isRows = statement.execute();
      while (isRows || statement.getUpdateCount() != -1) {
        if (isRows) {
          try (ResultSet row = statement.getResultSet()) {
            answers.add(questions.get(answers.size()).answer(Locked.read(row)));
          }
        }
        isRows = statement.getMoreResults();
      }
    }
    return answers;
  }
}
