package io.leasehold.jdbc;

import io.leasehold.spi.Finding;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks at a database server for an operator; changes nothing. Used by one thread, once. */
final class ServerExamination {

  /** How to connect to the server. */
  interface Connecting {
    Connection connect() throws SQLException;
  }

  private final Connecting connecting;
  private final TableName table;
  private final boolean signals;
  private final InstantSource ours;
  private final List<Finding> findings = new ArrayList<>();

  /**
   * @param ours this process's clock, to compare the server's with
   */
  ServerExamination(Connecting connecting, TableName table, boolean signals, InstantSource ours) {
    this.connecting = connecting;
    this.table = table;
    this.signals = signals;
    this.ours = ours;
  }

  List<Finding> findings() {
    try (Connection connection = connecting.connect()) {
      connection.setAutoCommit(true);
      look(connection);
    } catch (SQLException e) {
      findings.add(
          Finding.fail(
              "server",
              "no answer (SQLSTATE "
                  + e.getSQLState()
                  + ")"
                  + (findings.isEmpty() ? "" : " any more"),
              "look at host, port, TLS, database, user and password"));
    }
    return List.copyOf(findings);
  }

  private void look(Connection connection) throws SQLException {
    DatabaseMetaData metadata = connection.getMetaData();
    String version = metadata.getDatabaseProductVersion();
    String product = metadata.getDatabaseProductName().toLowerCase(Locale.ROOT);
    boolean mariadb = product.equals("mariadb") || version.contains("MariaDB");
    int major = metadata.getDatabaseMajorVersion();
    int minor = metadata.getDatabaseMinorVersion();
    if (product.equals("postgresql")) {
      server("PostgreSQL " + version, major >= 14, "PostgreSQL 14 or later");
      new PostgresLook(connection).look();
    } else if (mariadb) {
      boolean fit = major > 10 || (major == 10 && minor >= 11);
      server("MariaDB " + version, fit, "MariaDB 10.11 or later");
      new MysqlLook(connection, true).look();
    } else {
      server("MySQL " + version, major >= 8, "MySQL 8 or later");
      new MysqlLook(connection, false).look();
    }
    findings.add(Finding.ok("names", "byte for byte, 1 to 255 bytes of UTF-8"));
  }

  private void server(String text, boolean fit, String wanted) {
    findings.add(fit ? Finding.ok("server", text) : Finding.fail("server", text, "use " + wanted));
  }

  private void role(boolean writable, String reason) {
    findings.add(
        writable
            ? Finding.ok("role", "a primary: it takes writes")
            : Finding.fail("role", reason, "connect to the primary"));
  }

  private void clock(Statement statement, String micros) throws SQLException {
    Instant sent = ours.instant();
    long theirs = Long.parseLong(one(statement, micros));
    Instant answered = ours.instant();
    Duration half = Duration.between(sent, answered).dividedBy(2);
    Instant server = Instant.EPOCH.plusNanos(Math.multiplyExact(theirs, 1_000L));
    Duration off = Duration.between(sent.plus(half), server);
    String text =
        "the server's clock decides; it is "
            + Math.abs(off.toMillis())
            + " ms "
            + (off.isNegative() ? "behind" : "ahead of")
            + " ours, give or take "
            + (half.toMillis() + 1)
            + " ms";
    findings.add(
        off.abs().compareTo(Duration.ofSeconds(1)) > 0
            ? Finding.warn(
                "clock",
                text + "; leases are not touched by that, but logs will disagree",
                "keep both clocks in step (NTP)")
            : Finding.ok("clock", text));
  }

  /** Whether the table is there and fit; says so. */
  private boolean schema(Dialect dialect, Connection connection) throws SQLException {
    try {
      dialect.check(connection);
      findings.add(Finding.ok("schema", "the table " + table + " is fit"));
      return true;
    } catch (UnfitTableException e) {
      findings.add(
          Finding.fail(
              "schema",
              String.valueOf(e.getMessage()),
              "have the database's owner apply the definition in this jar"));
      return false;
    }
  }

  private void rights(List<String> missing) {
    findings.add(
        missing.isEmpty()
            ? Finding.ok("rights", "may select, insert, update and delete")
            : Finding.fail(
                "rights",
                "may not " + String.join(", ", missing),
                "GRANT SELECT, INSERT, UPDATE, DELETE ON " + table + " to this user"));
  }

  private static String one(Statement statement, String sql) throws SQLException {
    try (ResultSet found = statement.executeQuery(sql)) {
      if (!found.next()) {
        throw new SQLException("no row");
      }
      @Nullable String value = found.getString(1);
      return value == null ? "" : value;
    }
  }

  /** What PostgreSQL says of itself. */
  private final class PostgresLook {
    private final Connection connection;

    PostgresLook(Connection connection) {
      this.connection = connection;
    }

    void look() throws SQLException {
      PostgresDialect dialect = new PostgresDialect(table, Duration.ofSeconds(10));
      try (Statement statement = connection.createStatement()) {
        boolean standby = one(statement, "SELECT pg_is_in_recovery()").equals("t");
        role(!standby, "a standby: it refuses writes, so no lease call is answered");
        clock(statement, "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint");
        persistence(statement);
        boolean fit = schema(dialect, connection);
        if (fit) {
          rights(missing(statement));
          pooler(dialect.pooled());
        }
      }
    }

    private void persistence(Statement statement) throws SQLException {
      String fsync = one(statement, "SHOW fsync");
      String commit = one(statement, "SHOW synchronous_commit");
      if (fsync.equals("off")) {
        findings.add(
            Finding.warn(
                "persistence", "fsync is off: a crash may ruin the database", "turn fsync on"));
      } else if (commit.equals("off")) {
        findings.add(
            Finding.warn(
                "persistence",
                "synchronous_commit is off: a crash forgets the last grants, and their tokens may"
                    + " be given out again",
                "ALTER ROLE … SET synchronous_commit = on"));
      } else {
        findings.add(
            Finding.ok("persistence", "synchronous_commit " + commit + ": a grant is on the disk"));
      }
    }

    private List<String> missing(Statement statement) throws SQLException {
      List<String> missing = new ArrayList<>();
      String literal = "'" + table.sql("\"").replace("'", "''") + "'";
      for (String right : List.of("SELECT", "INSERT", "UPDATE", "DELETE")) {
        String has = "SELECT has_table_privilege(" + literal + ", '" + right + "')";
        if (!one(statement, has).equals("t")) {
          missing.add(right.toLowerCase(Locale.ROOT));
        }
      }
      return missing;
    }

    private void pooler(boolean pooled) {
      if (pooled) {
        findings.add(
            Finding.warn(
                "pooler",
                "a transaction-mode pooler is between: leases work, signals do not",
                "give the store a direct connection to have signals"));
        findings.add(Finding.ok("signals", "off: candidates poll"));
        return;
      }
      findings.add(Finding.ok("pooler", "none, or one that keeps sessions"));
      findings.add(
          Finding.ok(
              "signals",
              signals
                  ? "on: LISTEN and NOTIFY tell candidates"
                  : "off, as asked: candidates poll"));
    }
  }

  /** What MySQL or MariaDB says of itself. */
  private final class MysqlLook {
    private final Connection connection;
    private final boolean mariadb;

    MysqlLook(Connection connection, boolean mariadb) {
      this.connection = connection;
      this.mariadb = mariadb;
    }

    void look() throws SQLException {
      try (Statement statement = connection.createStatement()) {
        boolean readOnly =
            !Set.of("0", "OFF").contains(one(statement, "SELECT @@global.read_only"));
        role(!readOnly, "read_only is set: a replica, so no lease call is answered");
        clock(statement, "SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)");
        String flush = one(statement, "SELECT @@global.innodb_flush_log_at_trx_commit");
        findings.add(
            flush.equals("1")
                ? Finding.ok("persistence", "a grant is on the disk before it is answered")
                : Finding.warn(
                    "persistence",
                    "innodb_flush_log_at_trx_commit is "
                        + flush
                        + ": a crash forgets the last grants, and their tokens may be given out"
                        + " again",
                    "set it to 1"));
        Dialect dialect = new MysqlDialect(table, Duration.ofSeconds(10), mariadb);
        if (schema(dialect, connection)) {
          rights(missing(statement, dialect.tableSql()));
        }
      }
      findings.add(Finding.ok("signals", "off: this server has none, candidates poll"));
    }

    /** Explaining a statement needs the rights that running it does, and changes nothing. */
    private List<String> missing(Statement statement, String name) {
      List<String> missing = new ArrayList<>();
      explain(statement, "SELECT token FROM " + name + " WHERE name = ''", "select", missing);
      explain(
          statement, "UPDATE " + name + " SET token = token WHERE name = ''", "update", missing);
      explain(statement, "DELETE FROM " + name + " WHERE name = ''", "delete", missing);
      explain(
          statement,
          "INSERT INTO " + name + " SELECT * FROM " + name + " WHERE name = ''",
          "insert",
          missing);
      return missing;
    }

    private void explain(Statement statement, String sql, String right, List<String> missing) {
      try (ResultSet plan = statement.executeQuery("EXPLAIN " + sql)) {
        if (!plan.next()) {
          missing.add(right);
        }
      } catch (SQLException e) {
        missing.add(right);
      }
    }
  }
}
