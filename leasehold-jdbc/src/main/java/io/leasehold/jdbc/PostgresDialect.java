package io.leasehold.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;

/**
 * PostgreSQL 14 and later.
 *
 * <p>Every operation is one statement, framed by {@code BEGIN} and {@code COMMIT} in the same
 * message, so it is one round trip. The frame makes the call independent of what the pool or the
 * server has set: it is {@code READ COMMITTED} (under a stricter level a lost race would be an
 * error in the server's log), it writes (so a standby refuses it instead of answering from the
 * past), and the server itself gives up at the deadline, so that a call nobody waits for any more
 * does not happen later.
 *
 * <p>A statement sees the table as it was when it began. Where it finds a row free and then waits
 * for a competitor's commit, the update is decided on the row as it is after that commit (that is
 * what {@code READ COMMITTED} means), but the {@code SELECT} at the end still returns the row from
 * before. {@link Question} recognises such a row and the statement is asked again.
 *
 * <p>{@code clock} is read once, when the statement begins. Should the statement then wait, its
 * instant is early: it never takes a lease that is not free, and never grants one for too long.
 */
final class PostgresDialect extends Dialect {

  private static final String COLUMNS =
      "l.name, l.token, l.owner, l.attempt, l.granted, l.renewed, l.expires, l.released";

  /** {@code extract(epoch)} of a timestamptz is the same in every zone. */
  private static final String CLOCK =
      """
      clock AS MATERIALIZED (
        SELECT us, us / 1000 AS ms
        FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS us) AS instant
      )""";

  private static final String ASKED =
      """
      asked AS (
        SELECT * FROM json_to_recordset(?::json)
          AS a (name text, owner text, attempt text, token bigint, ttl bigint, linger bigint)
      )""";

  private final String begin;

  /** Whether a pooler is between: then a session's state does not outlive a transaction. */
  private volatile boolean pooled = true;

  PostgresDialect(TableName table, Duration timeout) {
    super(table, "\"");
    begin =
        "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;\nSET LOCAL statement_timeout = "
            + serverMillis(timeout)
            + ";\n";

    // Losers only read: the NOT EXISTS keeps them from locking the row, and so from writing.
    // ON CONFLICT decides between those who found the name free at the same time.
    script(
        Operation.ACQUIRE,
        change(
            """
            WITH {clock},
            {asked},
            changed AS (
              INSERT INTO {table} AS l
                (name, token, owner, attempt, granted, renewed, expires, released)
              SELECT a.name, c.us, a.owner, a.attempt, c.ms, c.ms, c.ms + a.ttl, false
              FROM asked AS a CROSS JOIN clock AS c
              WHERE NOT EXISTS (
                SELECT FROM {table} AS t
                WHERE t.name = a.name AND (t.expires > c.ms OR t.attempt = a.attempt))
              ORDER BY a.name
              ON CONFLICT (name) DO UPDATE
              SET token = l.token + 1, owner = excluded.owner, attempt = excluded.attempt,
                  granted = excluded.granted, renewed = excluded.renewed,
                  expires = excluded.expires, released = false
              WHERE l.expires <= excluded.granted AND l.attempt <> excluded.attempt
              RETURNING {columns}
            )
            {answer}
            """));

    script(
        Operation.RENEW,
        change(
            """
            WITH {clock},
            {asked},
            changed AS (
              UPDATE {table} AS l
              SET expires = greatest(l.expires, c.ms + a.ttl), renewed = c.ms
              FROM asked AS a CROSS JOIN clock AS c
              WHERE l.name = a.name AND l.token = a.token AND l.attempt = a.attempt
                AND l.expires > c.ms AND NOT l.released
              RETURNING {columns}
            )
            {answer}
            """));

    // Without a linger the name is free at once, even if the clock has stepped back behind the
    // grant.
    // The notification leaves with the commit. It names a channel by the table's id, so that every
    // way to write the table's name means one channel.
    script(
        Operation.RELEASE,
        change(
            """
            WITH {clock},
            {asked},
            changed AS (
              UPDATE {table} AS l
              SET expires = CASE a.linger
                    WHEN 0 THEN c.ms ELSE greatest(c.ms, l.granted + a.linger) END,
                  released = true
              FROM asked AS a CROSS JOIN clock AS c
              WHERE l.name = a.name AND l.token = a.token AND l.attempt = a.attempt
                AND l.expires > c.ms AND NOT l.released
              RETURNING {columns}, l.tableoid AS relation
            ),
            {told}
            {answer}
            """));

    script(
        Operation.ABANDON,
        change(
            """
            WITH {clock},
            {asked},
            changed AS (
              UPDATE {table} AS l
              SET expires = c.ms, released = true
              FROM asked AS a CROSS JOIN clock AS c
              WHERE l.name = a.name AND l.attempt = a.attempt
                AND l.expires > c.ms AND NOT l.released
              RETURNING {columns}, l.tableoid AS relation
            ),
            {told}
            {answer}
            """));

    script(
        Operation.READ,
        look(
            """
            WITH {clock},
            {asked}
            SELECT {columns}, c.ms, false
            FROM {table} AS l JOIN asked AS a ON l.name = a.name CROSS JOIN clock AS c
            """));

    script(
        Operation.INSPECT,
        look(
            """
            WITH {clock},
            part AS (
              SELECT * FROM json_to_recordset(?::json) AS p ("after" text, "from" text, "to" text)
            )
            SELECT {columns}, c.ms, false
            FROM {table} AS l CROSS JOIN clock AS c
            WHERE l.name COLLATE "C" > (SELECT "after" FROM part)
              AND l.name COLLATE "C" >= (SELECT "from" FROM part)
              AND l.name COLLATE "C" <= (SELECT "to" FROM part)
            ORDER BY l.name COLLATE "C"
            LIMIT {limit}
            """));

    script(
        Operation.STRIDE,
        look(
            """
            WITH {clock},
            part AS (SELECT * FROM json_to_recordset(?::json) AS p ("after" text))
            SELECT {columns}, c.ms, false
            FROM {table} AS l CROSS JOIN clock AS c
            WHERE l.name COLLATE "C" > (SELECT "after" FROM part)
            ORDER BY l.name COLLATE "C"
            LIMIT 1 OFFSET {stride}
            """));

    script(
        Operation.RECLAIM,
        change(
            """
            WITH {clock},
            part AS (
              SELECT * FROM json_to_recordset(?::json)
                AS p ("after" text, "to" text, "endedFor" bigint)
            )
            DELETE FROM {table} AS l
            WHERE l.name COLLATE "C" > (SELECT "after" FROM part)
              AND l.name COLLATE "C" <= (SELECT "to" FROM part)
              AND l.expires <= (SELECT ms FROM clock) - (SELECT "endedFor" FROM part)
              AND l.token < (SELECT us FROM clock)
            """));
  }

  private static final String TOLD =
      """
      told AS (
        SELECT count(pg_notify('leasehold_' || f.relation, f.name)) AS signals
        FROM changed AS f CROSS JOIN clock AS c
        WHERE f.expires <= c.ms
      )""";

  /** What was changed, and the records of the names where nothing was. */
  private static final String ANSWER =
      """
      SELECT {columns}, c.ms, true
      FROM changed AS l CROSS JOIN clock AS c{with-told}
      UNION ALL
      SELECT {columns}, c.ms, false
      FROM {table} AS l JOIN asked AS a ON l.name = a.name CROSS JOIN clock AS c
      WHERE NOT EXISTS (SELECT FROM changed AS d WHERE d.name = l.name)""";

  private Step look(String sql) {
    return new Step(fill(sql), false);
  }

  private Step change(String sql) {
    return new Step(fill(sql), true);
  }

  private String fill(String sql) {
    // A CTE that nobody reads is not run, so the answer reads the one that notifies.
    String answer = ANSWER.replace("{with-told}", sql.contains("{told}") ? " CROSS JOIN told" : "");
    return begin
        + sql.replace("{answer}", answer)
            .replace("{told}", TOLD)
            .replace("{clock}", CLOCK)
            .replace("{asked}", ASKED)
            .replace("{columns}", COLUMNS)
            .replace("{stride}", Integer.toString(STRIDE - 1))
            .replace("{table}", tableSql())
            .strip()
        + ";\nCOMMIT";
  }

  @Override
  String product() {
    return "PostgreSQL";
  }

  /** Whether signals cannot be listened for through this data source. */
  boolean pooled() {
    return pooled;
  }

  @Override
  void check(Connection connection) throws SQLException {
    try (var statement =
        connection.prepareStatement(
            """
            SELECT t.typname, c.collname, coalesce(c.collisdeterministic, false), pg_backend_pid()
            FROM pg_attribute AS a
              JOIN pg_type AS t ON t.oid = a.atttypid
              LEFT JOIN pg_collation AS c ON c.oid = a.attcollation
            WHERE a.attrelid = to_regclass(?) AND a.attname = 'name'
            """)) {
      if (PostgresDriver.isPresent(statement)) {
        PostgresDriver.neverName(statement);
      }
      statement.setString(1, tableSql());
      try (ResultSet column = statement.executeQuery()) {
        if (!column.next()) {
          throw new UnfitTableException(missingTable(SchemaFile.POSTGRESQL.path()));
        }
        boolean exact = Set.of("text", "varchar").contains(column.getString(1));
        if (!exact || !column.getBoolean(3)) {
          throw new UnfitTableException(
              foldingTable(
                  exact
                      ? "the collation \"" + column.getString(2) + "\""
                      : "the type " + column.getString(1),
                  "name text COLLATE \"C\""));
        }
        pooled =
            !PostgresDriver.isPresent(connection)
                || PostgresDriver.backend(connection) != column.getInt(4);
      }
    }
  }

  @Override
  void createTable(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (isMissing(statement)) {
        try {
          statement.execute(SchemaFile.POSTGRESQL.sql(tableSql()));
        } catch (SQLException e) {
          // Two at once: IF NOT EXISTS does not keep the slower from a unique violation.
          if (isMissing(statement)) {
            throw e;
          }
        }
      }
    }
  }

  private boolean isMissing(Statement statement) throws SQLException {
    String literal = "'" + tableSql().replace("'", "''") + "'";
    try (ResultSet found = statement.executeQuery("SELECT to_regclass(" + literal + ") IS NULL")) {
      return !found.next() || found.getBoolean(1);
    }
  }

  /** A connection inside a transaction is somebody's: what follows would end that transaction. */
  @Override
  void enter(Connection connection) throws SQLException {
    if (PostgresDriver.isPresent(connection) && PostgresDriver.inTransaction(connection)) {
      throw new SQLException(
          "the data source gave a connection that is inside a transaction; give the lease store one"
              + " that takes part in none",
          "25001");
    }
  }

  @Override
  void tune(PreparedStatement statement) throws SQLException {
    if (pooled && PostgresDriver.isPresent(statement)) {
      PostgresDriver.neverName(statement);
    }
  }

  /** An error leaves the frame's transaction open and failed. */
  @Override
  void recover(Connection connection, SQLException error) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("ROLLBACK");
    }
  }

  /**
   * An error of the server's ends the transaction without a commit. When the session itself ended
   * ({@code FATAL}), or the connection did, the commit may have been done before.
   */
  @Override
  Verdict verdict(SQLException error) {
    String state = error.getSQLState();
    if (state == null
        || state.startsWith("08")
        || state.startsWith("57P")
        || state.equals("40003")) {
      return Verdict.UNKNOWN;
    }
    return switch (state) {
      case "40001", "40P01", "55P03" -> Verdict.AGAIN;
      default -> PostgresDriver.isError(error) ? Verdict.NOT_APPLIED : Verdict.UNKNOWN;
    };
  }
}
