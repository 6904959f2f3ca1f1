package io.leasehold.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.spi.StoreUrl;

/**
 * A small pool for the database of a URL. It connects when it is first asked to, so that a database
 * which is away when a process starts keeps nobody from starting.
 */
final class UrlPool extends HikariDataSource implements OwnedDataSource {

  /** Two calls at once, and one connection that listens. */
  private static final int SIZE = 3;

  private static final int MOST = 100;

  /** HikariCP takes nothing shorter. */
  private static final long LEAST_WAIT_MILLIS = 250;

  private UrlPool(HikariConfig config) {
    super(config);
  }

  /**
   * Makes the pool.
   *
   * @param url the store's URL
   * @param driver the driver, which is there
   */
  static UrlPool open(StoreUrl url, UrlDriver driver) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("leasehold-" + driver.subprotocol());
    config.setDriverClassName(driver.type());
    config.setJdbcUrl(driver.url(url));
    url.user().ifPresent(config::setUsername);
    url.password().ifPresent(config::setPassword);
    config.setMaximumPoolSize(UrlOptions.number(url, UrlOptions.POOL, SIZE, MOST));
    config.setMinimumIdle(1);
    config.setConnectionTimeout(Math.max(LEAST_WAIT_MILLIS, UrlOptions.timeout(url).toMillis()));
    config.setInitializationFailTimeout(-1);
    try {
      return new UrlPool(config);
    } catch (RuntimeException e) {
      // The pool's and the driver's words may quote the URL; it has no password, the cause might.
      throw new IllegalArgumentException(
          "the store URL " + url + " is not one that the driver " + driver.type() + " takes");
    }
  }
}
