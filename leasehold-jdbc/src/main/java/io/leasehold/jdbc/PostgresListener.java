package io.leasehold.jdbc;

import io.leasehold.LeaseName;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for the notifications that releases send. While the connection is lost candidates poll;
 * when it is back they are all told once, since a release may have gone unheard.
 */
final class PostgresListener extends Signals {

  private static final Logger log = LoggerFactory.getLogger(PostgresListener.class);

  /** How long the thread reads before it looks whether it is still wanted. */
  private static final int LISTEN_MILLIS = 250;

  /**
   * How often a quiet connection is asked whether it is still there, and how long that may take.
   */
  private static final long ALIVE_NANOS = TimeUnit.SECONDS.toNanos(15);

  private static final int ALIVE_TIMEOUT_MILLIS = 5_000;

  private final DataSource dataSource;
  private final String table;
  private boolean lost;
  private int failures;

  PostgresListener(DataSource dataSource, TableName table) {
    super("leasehold-postgresql-listener");
    this.dataSource = dataSource;
    this.table = table.sql("\"");
  }

  @Override
  void watch() throws SQLException, InterruptedException {
    try {
      listen();
    } catch (SQLException e) {
      if (!isWanted()) {
        return;
      }
      if (!lost) {
        lost = true;
        log.warn(
            "the listening connection for {} is lost; candidates poll until it is back", table, e);
      }
      long longest = Math.min(10_000, 250L << Math.min(failures++, 6));
      sleep(ThreadLocalRandom.current().nextLong(longest / 2, longest));
    }
  }

  private void listen() throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      if (!PostgresDriver.isPresent(connection)) {
        turnOff("the connection is not one of PostgreSQL's own driver");
        return;
      }
      boolean autoCommit = connection.getAutoCommit();
      int networkTimeout = connection.getNetworkTimeout();
      connection.setNetworkTimeout(Runnable::run, ALIVE_TIMEOUT_MILLIS);
      connection.setAutoCommit(true);
      try (Statement statement = connection.createStatement()) {
        if (begin(statement, connection)) {
          listenOn(connection.unwrap(PGConnection.class), statement);
          statement.execute("UNLISTEN *");
        }
      }
      connection.setAutoCommit(autoCommit);
      connection.setNetworkTimeout(Runnable::run, networkTimeout);
    }
  }

  private boolean begin(Statement statement, Connection connection) throws SQLException {
    String literal = "'" + table.replace("'", "''") + "'";
    int backend;
    String channel;
    try (ResultSet found =
        statement.executeQuery(
            "SELECT pg_backend_pid(), 'leasehold_' || to_regclass(" + literal + ")::oid")) {
      found.next();
      backend = found.getInt(1);
      channel = found.getString(2);
    }
    if (backend != PostgresDriver.backend(connection)) {
      turnOff("a pooler is between");
      return false;
    }
    if (channel == null) {
      throw new SQLException("the table " + table + " is missing");
    }
    statement.execute("LISTEN " + channel);
    failures = 0;
    if (lost) {
      lost = false;
      log.info("the listening connection for {} is back", table);
      names().forEach(this::tell);
    }
    return true;
  }

  private void listenOn(PGConnection connection, Statement statement) throws SQLException {
    long heard = System.nanoTime();
    while (isWanted()) {
      PGNotification[] all = connection.getNotifications(LISTEN_MILLIS);
      if (all != null && all.length > 0) {
        heard = System.nanoTime();
        for (PGNotification each : all) {
          tell(new LeaseName(each.getParameter()));
        }
      } else if (System.nanoTime() - heard > ALIVE_NANOS) {
        statement.execute("SELECT 1");
        heard = System.nanoTime();
      }
    }
  }

  private void turnOff(String reason) {
    log.warn(off(table, reason));
    turnOff();
  }

  /** The one line that says that signals are off. */
  static String off(String table, String reason) {
    return "signals of releases of "
        + table
        + " are off, candidates poll: "
        + reason
        + "; give signals(DataSource) a direct connection to have them";
  }

  /** Nothing to do: the thread looks every {@value #LISTEN_MILLIS} ms whether it is wanted. */
  @Override
  void interruptWatch(Thread watching) {}
}
