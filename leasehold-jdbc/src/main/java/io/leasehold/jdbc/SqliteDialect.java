package io.leasehold.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * SQLite.
 *
 * <p>Every statement commits by itself. A statement that writes takes SQLite's write lock before it
 * reads anything (the same as {@code BEGIN IMMEDIATE}, and unlike a deferred transaction, which
 * reads first and is then refused the lock), and it reads the clock after it has the lock. So it is
 * decided alone, and waiting for the lock is all that contention costs.
 *
 * <p>Reading before writing spares the lock: a candidate that finds the name taken writes nothing.
 */
final class SqliteDialect extends Dialect {

  private static final String COLUMNS =
      "l.name, l.token, l.owner, l.attempt, l.granted, l.renewed, l.expires, l.released";

  /** Milliseconds since the epoch. SQLite holds "now" still within one statement. */
  private static final String NOW = "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)";

  SqliteDialect(TableName table) {
    super(table, "\"");
    Step look =
        look(
            """
            SELECT {columns}, {now}, 0
            FROM json_each(?) AS a CROSS JOIN {table} AS l
            WHERE l.name = a.value ->> 'name'
            """);

    script(
        Operation.ACQUIRE,
        look,
        change(
            """
            INSERT INTO {table} AS l
              (name, token, owner, attempt, granted, renewed, expires, released)
            SELECT a.value ->> 'name', {now} * 1000, a.value ->> 'owner', a.value ->> 'attempt',
                   {now}, {now}, {now} + (a.value ->> 'ttl'), 0
            FROM json_each(?) AS a
            WHERE true
            ON CONFLICT (name) DO UPDATE
            SET token = l.token + 1, owner = excluded.owner, attempt = excluded.attempt,
                granted = excluded.granted, renewed = excluded.renewed,
                expires = excluded.expires, released = 0
            WHERE l.expires <= excluded.granted AND l.attempt <> excluded.attempt
            RETURNING {returned}, {now}, 1
            """));

    script(
        Operation.RENEW,
        change(
            """
            UPDATE {table} AS l
            SET expires = max(l.expires, {now} + (a.value ->> 'ttl')), renewed = {now}
            FROM json_each(?) AS a
            WHERE l.name = a.value ->> 'name'
              AND l.token = a.value ->> 'token' AND l.attempt = a.value ->> 'attempt'
              AND l.expires > {now} AND l.released = 0
            RETURNING {returned}, {now}, 1
            """),
        look);

    // Without a linger the name is free at once, even if the clock has stepped back behind the
    // grant.
    script(
        Operation.RELEASE,
        change(
            """
            UPDATE {table} AS l
            SET expires = CASE a.value ->> 'linger'
                  WHEN 0 THEN {now} ELSE max({now}, l.granted + (a.value ->> 'linger')) END,
                released = 1
            FROM json_each(?) AS a
            WHERE l.name = a.value ->> 'name'
              AND l.token = a.value ->> 'token' AND l.attempt = a.value ->> 'attempt'
              AND l.expires > {now} AND l.released = 0
            RETURNING {returned}, {now}, 1
            """),
        look);

    script(
        Operation.ABANDON,
        change(
            """
            UPDATE {table} AS l
            SET expires = {now}, released = 1
            FROM json_each(?) AS a
            WHERE l.name = a.value ->> 'name' AND l.attempt = a.value ->> 'attempt'
              AND l.expires > {now} AND l.released = 0
            RETURNING {returned}, {now}, 1
            """));

    script(Operation.READ, look);

    script(
        Operation.INSPECT,
        look(
            """
            SELECT {columns}, {now}, 0
            FROM json_each(?) AS a CROSS JOIN {table} AS l
            WHERE l.name > a.value ->> 'after' AND l.name >= a.value ->> 'from'
              AND l.name <= a.value ->> 'to'
            ORDER BY l.name
            LIMIT {limit}
            """));

    script(
        Operation.STRIDE,
        look(
            """
            SELECT {columns}, {now}, 0
            FROM json_each(?) AS a CROSS JOIN {table} AS l
            WHERE l.name > a.value ->> 'after'
            ORDER BY l.name
            LIMIT 1 OFFSET {stride}
            """));

    script(
        Operation.RECLAIM,
        change(
            """
            WITH a AS (SELECT value FROM json_each(?))
            DELETE FROM {table} AS l
            WHERE l.name > (SELECT value ->> 'after' FROM a)
              AND l.name <= (SELECT value ->> 'to' FROM a)
              AND l.expires <= {now} - (SELECT value ->> 'endedFor' FROM a)
              AND l.token < {now} * 1000
            """));
  }

  private Step look(String sql) {
    return new Step(fill(sql), false);
  }

  private Step change(String sql) {
    return new Step(fill(sql), true);
  }

  private String fill(String sql) {
    return sql.replace("{table}", tableSql())
        .replace("{columns}", COLUMNS)
        // RETURNING names the columns without the table's alias.
        .replace("{returned}", COLUMNS.replace("l.", ""))
        .replace("{stride}", Integer.toString(STRIDE - 1))
        .replace("{now}", NOW);
  }

  @Override
  String product() {
    return "SQLite";
  }

  /** SQLite's clock has milliseconds. */
  @Override
  Duration tick() {
    return Duration.ofMillis(1);
  }

  @Override
  void check(Connection connection) throws SQLException {
    String sql = definition(connection);
    if (sql.isEmpty()) {
      throw new UnfitTableException(missingTable(SchemaFile.SQLITE.path()));
    }
    if (foldsCase(connection)) {
      throw new UnfitTableException(
          foldingTable("another collation than BINARY", "name TEXT NOT NULL COLLATE BINARY"));
    }
  }

  @Override
  void createTable(Connection connection) throws SQLException {
    // Asked first, because even CREATE TABLE IF NOT EXISTS would take the write lock.
    if (definition(connection).isEmpty()) {
      try (Statement statement = connection.createStatement()) {
        statement.executeUpdate(SchemaFile.SQLITE.sql(tableSql()));
      }
    }
  }

  private String definition(Connection connection) throws SQLException {
    try (var statement =
        connection.prepareStatement(
            "SELECT sql FROM "
                + (table().parts().size() == 2 ? schema() + "." : "")
                + "sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE")) {
      statement.setString(1, table().table().text());
      try (ResultSet found = statement.executeQuery()) {
        return found.next() ? found.getString(1) : "";
      }
    }
  }

  private String schema() {
    return new TableName(table().parts().subList(0, 1)).sql("\"");
  }

  /** Whether the index of the primary key compares otherwise than byte by byte. */
  private boolean foldsCase(Connection connection) throws SQLException {
    try (var statement =
        connection.prepareStatement(
            """
            SELECT count(*)
            FROM pragma_index_list(?) AS i, pragma_index_xinfo(i.name) AS c
            WHERE i.origin = 'pk' AND c.name = 'name' AND c.key = 1 AND c.coll = 'BINARY'
            """)) {
      statement.setString(1, table().table().text());
      try (ResultSet found = statement.executeQuery()) {
        return !found.next() || found.getInt(1) != 1;
      }
    }
  }

  /**
   * A statement that fails is taken back whole. Only a failed write to the disk leaves it open
   * whether the commit is in the log.
   */
  @Override
  Verdict verdict(SQLException error) {
    // The low byte is the primary result code; SQLite documents it as stable.
    return switch (error.getErrorCode() & 0xff) {
      case 5, 6 -> Verdict.AGAIN; // SQLITE_BUSY, SQLITE_LOCKED
      case 10 -> Verdict.UNKNOWN; // SQLITE_IOERR
      default -> Verdict.NOT_APPLIED;
    };
  }
}
