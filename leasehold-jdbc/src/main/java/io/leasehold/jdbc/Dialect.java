package io.leasehold.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What differs between databases: the text of the statements and what the driver's errors mean.
 *
 * <p>Every statement takes exactly one parameter, the {@link JsonText} of the open questions, and
 * returns {@link LeaseRow}s, if any. Every statement is decided by the database's own clock, in
 * milliseconds since the epoch, so neither the session's nor the JVM's time zone can matter.
 */
abstract class Dialect {

  /** What a script does. */
  enum Operation {
    ACQUIRE,
    RENEW,
    RELEASE,
    ABANDON,
    READ,
    /** The records after one name up to another, in the order of their bytes. */
    INSPECT,
    /** The record that ends a stride of so many records after a name. */
    STRIDE,
    /**
     * Deletes what ended long ago after one name up to another. A record whose token is not below
     * the clock stays, so that a new record of the name starts above it whatever the clock did.
     */
    RECLAIM
  }

  /**
   * A statement of a script.
   *
   * @param sql its text
   * @param changes whether it may change a record
   * @param counted whether it returns no rows, but says of how many names it changed the record
   */
  record Step(String sql, boolean changes, boolean counted) {
    Step(String sql, boolean changes) {
      this(sql, changes, false);
    }
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

  /** What is said of a connection that is in use. */
  static final String INSIDE_TRANSACTION =
      "the data source gave a connection that is inside a transaction; give the lease store one that"
          + " takes part in none";

  /** How many records reclaim looks at in one statement. */
  static final int STRIDE = 1_000;

  private final TableName table;
  private final String tableSql;
  private final Map<Operation, List<Step>> scripts = new EnumMap<>(Operation.class);

  Dialect(TableName table, String quote) {
    this.table = table;
    this.tableSql = table.sql(quote);
  }

  /**
   * How long the server may take for a statement: less than the call, so that it is the server that
   * gives up, says so, and takes the statement back; the call's own deadline is left for a server
   * that does not answer.
   */
  static long serverMillis(Duration timeout) {
    return Math.max(1, timeout.toMillis() * 4 / 5);
  }

  /** The database's name, for messages. */
  abstract String product();

  /** What this error says. */
  abstract Verdict verdict(SQLException error);

  /**
   * Refuses a table that cannot keep leases.
   *
   * @throws UnfitTableException if it is missing, or would take two names for one
   */
  abstract void check(Connection connection) throws SQLException;

  /** Creates the table if it is missing. */
  abstract void createTable(Connection connection) throws SQLException;

  /** The clock's resolution: records made within one tick of each other may have equal stamps. */
  Duration tick() {
    return Duration.ofNanos(1_000);
  }

  /** Whether one statement decides and commits by itself on a connection that auto-commits. */
  boolean wantsAutoCommit() {
    return true;
  }

  /**
   * Whether the statements of a script must be one transaction, for so many names. Where they need
   * not be, each commits by itself.
   */
  boolean wantsTransaction(Operation operation, int names) {
    return false;
  }

  /** Whether a statement commits by itself even where auto-commit is off. */
  boolean commitsItself() {
    return true;
  }

  /** Whether a connection must be told that it may write. */
  boolean wantsWritable() {
    return false;
  }

  /** Looks at a connection that is about to carry a call. */
  void enter(Connection connection) throws SQLException {}

  /** Sets up a statement before it runs. */
  void tune(PreparedStatement statement) throws SQLException {}

  /** Cleans a connection whose statement failed so. */
  void recover(Connection connection, SQLException error) throws SQLException {}

  final void script(Operation operation, Step... steps) {
    scripts.put(operation, List.of(steps));
  }

  /** The statements of an operation; run in order until every question is answered. */
  final List<Step> script(Operation operation) {
    return scripts.getOrDefault(operation, List.of());
  }

  final TableName table() {
    return table;
  }

  final String tableSql() {
    return tableSql;
  }

  /** The file of the table's definition, beside this class. */
  final String missingTable(String file) {
    return "the table "
        + table
        + " is missing in "
        + product()
        + "; create it with io/leasehold/jdbc/"
        + file
        + " or, in development, with createTableIfMissing()";
  }

  final String foldingTable(String collation, String remedy) {
    return "the name column of "
        + table
        + " has "
        + collation
        + ", by which two names may be taken for one (Job and job); declare it as "
        + remedy;
  }
}
