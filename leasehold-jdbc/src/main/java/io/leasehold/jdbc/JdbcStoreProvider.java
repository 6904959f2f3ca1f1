package io.leasehold.jdbc;

import io.leasehold.LeaseStore;
import io.leasehold.spi.Finding;
import io.leasehold.spi.LeaseStoreProvider;
import io.leasehold.spi.StoreUrl;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/**
 * Opens {@code sqlite:}, {@code postgresql://}, {@code mysql://} and {@code mariadb://}. The path
 * of a server's URL is the database. Options of Leasehold's: {@code table} ({@code lease}), {@code
 * signals} ({@code on}), {@code createTable} ({@code off}), {@code callTimeoutMs} (10000), {@code
 * pool} (3 connections); every other option is the driver's, {@code sslmode} and {@code sslMode}
 * among them. {@code sqlite:} takes none.
 *
 * <p>A server needs its driver and {@code com.zaxxer:HikariCP} on the class path: the store has a
 * small pool of its own, closed with it.
 *
 * <p>Stateless and thread-safe.
 */
public final class JdbcStoreProvider implements LeaseStoreProvider {

  private static final String SQLITE = "sqlite";

  /** For the service loader. */
  public JdbcStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of(SQLITE, "postgresql", "mysql", "mariadb");
  }

  @Override
  public LeaseStore open(StoreUrl url) {
    if (url.scheme().equals(SQLITE)) {
      return JdbcLeaseStore.embedded(file(url));
    }
    boolean signals = url.isOn(UrlOptions.SIGNALS, true);
    boolean createTable = url.isOn(UrlOptions.CREATE_TABLE, false);
    TableName.parse(UrlOptions.table(url));
    OwnedDataSource pool = pool(url);
    try {
      JdbcLeaseStore.Builder builder =
          JdbcLeaseStore.builder(pool)
              .table(UrlOptions.table(url))
              .timeout(UrlOptions.timeout(url))
              .signals(signals);
      return (createTable ? builder.createTableIfMissing() : builder).build();
    } catch (RuntimeException e) {
      pool.close();
      throw e;
    }
  }

  @Override
  public List<Finding> examine(StoreUrl url) {
    if (url.scheme().equals(SQLITE)) {
      return new SqliteExamination(file(url)).findings();
    }
    TableName table = TableName.parse(UrlOptions.table(url));
    boolean signals = url.isOn(UrlOptions.SIGNALS, true);
    UrlDriver driver = UrlDriver.of(url);
    return new ServerExamination(() -> driver.connect(url), table, signals, InstantSource.system())
        .findings();
  }

  private static Path file(StoreUrl url) {
    if (!url.options().isEmpty() || url.path().isEmpty() || url.path().startsWith(":")) {
      throw new IllegalArgumentException(
          "a SQLite store's URL is sqlite: and the file's path, such as sqlite:leases.db or"
              + " sqlite:/var/lib/app/leases.db, and has no options");
    }
    return Path.of(url.path());
  }

  private static OwnedDataSource pool(StoreUrl url) {
    UrlDriver driver = UrlDriver.of(url);
    if (!UrlDriver.isThere("com.zaxxer.hikari.HikariDataSource")) {
      throw new IllegalStateException(
          url.scheme() + ": URLs need a pool on the class path; add com.zaxxer:HikariCP");
    }
    return UrlPool.open(url, driver);
  }
}
