package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.LeaseName;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import liquibase.Liquibase;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.ClassLoaderResourceAccessor;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/** The table's definitions, through the tools that people run them with. */
class MigrationsTest {

  @TempDir private Path directory;
  private String schema;

  @BeforeEach
  void nameSchema() {
    schema = "m" + Backend.POSTGRESQL.freshTable();
  }

  private static void assertKeepsLeases(DataSource dataSource) {
    try (JdbcLeaseStore store = JdbcLeaseStore.builder(dataSource).build()) {
      assertThat(store.acquire(LeaseName.of("n"), "a", "1", Duration.ofSeconds(5)))
          .isInstanceOf(AcquireAnswer.Granted.class);
    }
  }

  private static void flyway(DataSource dataSource, String product) {
    Flyway.configure()
        .dataSource(dataSource)
        .locations("classpath:leasehold/flyway/" + product)
        .load()
        .migrate();
    assertKeepsLeases(dataSource);
  }

  private static void liquibase(DataSource dataSource) throws Exception {
    try (Connection connection = dataSource.getConnection()) {
      var database =
          DatabaseFactory.getInstance()
              .findCorrectDatabaseImplementation(new JdbcConnection(connection));
      new Liquibase("leasehold/liquibase.xml", new ClassLoaderResourceAccessor(), database)
          .update("");
    }
    assertKeepsLeases(dataSource);
  }

  private DataSource postgres() throws SQLException {
    Backend.POSTGRESQL.execute("CREATE SCHEMA " + schema);
    return PostgresServer.dataSource(PostgresServer.shared().url() + "&currentSchema=" + schema);
  }

  private DataSource mariadb() throws SQLException {
    Backend.MARIADB.execute("CREATE SCHEMA " + schema);
    return MariadbServer.dataSource(
        MariadbServer.shared().leasesUrl().replace("/leases", "/" + schema));
  }

  private DataSource sqlite() {
    SQLiteDataSource dataSource = new SQLiteDataSource();
    dataSource.setUrl("jdbc:sqlite:" + directory.resolve("leases.db"));
    return dataSource;
  }

  @Test
  void flywayCreatesTheTableInPostgresql() throws Exception {
    flyway(postgres(), "postgresql");
  }

  @Test
  void flywayCreatesTheTableInMariadb() throws Exception {
    flyway(mariadb(), "mysql");
  }

  @Test
  void flywayCreatesTheTableInSqlite() {
    flyway(sqlite(), "sqlite");
  }

  @Test
  void liquibaseCreatesTheTableInPostgresql() throws Exception {
    liquibase(postgres());
  }

  @Test
  void liquibaseCreatesTheTableInMariadb() throws Exception {
    liquibase(mariadb());
  }

  @Test
  void liquibaseCreatesTheTableInSqlite() throws Exception {
    liquibase(sqlite());
  }
}
