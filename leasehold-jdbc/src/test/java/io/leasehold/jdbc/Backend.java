package io.leasehold.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** The shared databases that tests run on. Each store gets a table of its own. */
enum Backend {
  POSTGRESQL,
  MARIADB,
  /** MySQL's statements on MariaDB: the nearest to MySQL that runs without one. */
  MYSQL_STATEMENTS_ON_MARIADB;

  private static final AtomicInteger TABLES = new AtomicInteger();

  static final Duration TIMEOUT = Duration.ofSeconds(10);

  String url() {
    String named =
        System.getenv(this == POSTGRESQL ? "LEASEHOLD_POSTGRES_URL" : "LEASEHOLD_MYSQL_URL");
    if (named != null) {
      return named;
    }
    return this == POSTGRESQL ? PostgresServer.shared().url() : MariadbServer.shared().leasesUrl();
  }

  DataSource dataSource() {
    return dataSource(url());
  }

  DataSource dataSource(String url) {
    return this == POSTGRESQL ? PostgresServer.dataSource(url) : MariadbServer.dataSource(url);
  }

  HikariDataSource pool(int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url());
    config.setMaximumPoolSize(size);
    config.setConnectionTimeout(500);
    return new HikariDataSource(config);
  }

  String freshTable() {
    return "lease_" + ProcessHandle.current().pid() + "_" + TABLES.incrementAndGet();
  }

  JdbcLeaseStore store(DataSource dataSource, String table) {
    return store(dataSource, table, TIMEOUT);
  }

  JdbcLeaseStore store(DataSource dataSource, String table, Duration timeout) {
    if (this != MYSQL_STATEMENTS_ON_MARIADB) {
      return JdbcLeaseStore.builder(dataSource)
          .table(table)
          .timeout(timeout)
          .createTableIfMissing()
          .build();
    }
    Dialect dialect = new MysqlDialect(TableName.parse(table), timeout, false);
    Database database =
        new Database(new PooledConnections(dataSource), new Dialects(dialect, true), timeout);
    database.look("look");
    return new JdbcLeaseStore(database, null);
  }

  void execute(String... statements) throws SQLException {
    try (var connection = dataSource().getConnection();
        var statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
