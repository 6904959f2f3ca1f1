package io.leasehold.journal.servers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;

/** The databases of the tests, each with a pool. */
public final class Databases {

  private static final int POOL = 20;

  private static final Server<EmbeddedPostgres> POSTGRES =
      new Server<>(
          "PostgreSQL",
          () -> {
            EmbeddedPostgres server = EmbeddedPostgres.builder().start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> close(server)));
            return server;
          });

  private static final Server<DataSource> POSTGRES_POOL =
      new Server<>("PostgreSQL", () -> pool(POSTGRES.get().getJdbcUrl("postgres", "postgres")));

  private static final Server<DataSource> MARIADB_POOL =
      new Server<>("MariaDB", () -> pool(MariaDbServer.start()));

  private Databases() {}

  /** PostgreSQL. */
  public static DataSource postgres() {
    return POSTGRES_POOL.get();
  }

  /** Where PostgreSQL listens. */
  public static int postgresPort() {
    return POSTGRES.get().getPort();
  }

  /** MariaDB. */
  public static DataSource mariaDb() {
    return MARIADB_POOL.get();
  }

  /** A new SQLite file that is deleted at the end. */
  public static HikariDataSource sqlite() {
    try {
      Path folder = Files.createTempDirectory("journal");
      folder.toFile().deleteOnExit();
      Path file = folder.resolve("journal.db");
      file.toFile().deleteOnExit();
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl("jdbc:sqlite:" + file + "?journal_mode=WAL&busy_timeout=10000");
      config.setMaximumPoolSize(4);
      return new HikariDataSource(config);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static DataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(POOL);
    config.setMinimumIdle(1);
    return new HikariDataSource(config);
  }

  private static void close(EmbeddedPostgres server) {
    try {
      server.close();
    } catch (java.io.IOException e) {
      // The JVM is going down anyway.
    }
  }
}
