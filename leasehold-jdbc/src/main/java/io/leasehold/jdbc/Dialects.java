package io.leasehold.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Finds the dialect of a database when a connection first shows which it is, and has it check the
 * lease table before the first call.
 */
final class Dialects {

  private final TableName table;
  private final boolean createTable;
  private final Duration timeout;
  private final @Nullable Dialect given;
  private volatile @Nullable Dialect checked;

  Dialects(TableName table, boolean createTable, Duration timeout) {
    this.table = table;
    this.timeout = timeout;
    this.createTable = createTable;
    this.given = null;
  }

  /** The dialect is known beforehand; only the table is looked at. */
  Dialects(Dialect given, boolean createTable) {
    this.table = given.table();
    this.timeout = Duration.ZERO;
    this.createTable = createTable;
    this.given = given;
  }

  /**
   * The dialect of this connection's database.
   *
   * @throws UnfitTableException if the table cannot keep leases, or the database is none of ours
   */
  Dialect of(Connection connection) throws SQLException {
    Dialect dialect = checked;
    if (dialect == null) {
      dialect = given == null ? find(connection) : given;
      boolean autoCommit = connection.getAutoCommit();
      try {
        if (!autoCommit) {
          connection.setAutoCommit(true);
        }
        if (createTable) {
          dialect.createTable(connection);
        }
        dialect.check(connection);
      } finally {
        if (!autoCommit) {
          connection.setAutoCommit(false);
        }
      }
      checked = dialect;
    }
    return dialect;
  }

  private Dialect find(Connection connection) throws SQLException {
    var metadata = connection.getMetaData();
    String product = metadata.getDatabaseProductName().toLowerCase(Locale.ROOT);
    return switch (product) {
      case "mariadb" -> new MysqlDialect(table, timeout, true);
      case "mysql" ->
          // MySQL's own driver calls MariaDB so, too; the version does not.
          new MysqlDialect(
              table, timeout, metadata.getDatabaseProductVersion().contains("MariaDB"));
      case "postgresql" -> new PostgresDialect(table, timeout);
      case "sqlite" -> new SqliteDialect(table);
      default ->
          throw new UnfitTableException(
              "there is no dialect for "
                  + metadata.getDatabaseProductName()
                  + "; leases can be kept in PostgreSQL, MySQL, MariaDB and SQLite");
    };
  }

  /** What an error says, as far as the dialect is known: before that, nothing has been sent. */
  Dialect.Verdict verdict(SQLException error) {
    Dialect dialect = known();
    return dialect == null ? Dialect.Verdict.NOT_APPLIED : dialect.verdict(error);
  }

  /** How fine the database's clock is; a millisecond while that is not known. */
  Duration tick() {
    Dialect dialect = known();
    return dialect == null ? Duration.ofMillis(1) : dialect.tick();
  }

  /** The database's name for messages, as far as it is known. */
  String product() {
    Dialect dialect = known();
    return (dialect == null ? "database" : dialect.product()) + " table " + table;
  }

  /** The dialect, if a connection has shown it. */
  @Nullable Dialect known() {
    Dialect dialect = checked;
    return dialect == null ? given : dialect;
  }
}
