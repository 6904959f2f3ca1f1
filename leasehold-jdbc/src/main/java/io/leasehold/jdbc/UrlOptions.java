package io.leasehold.jdbc;

import io.leasehold.spi.StoreUrl;
import java.time.Duration;
import java.util.Map;

/** The options of a database's URL that are Leasehold's; every other one is the driver's. */
final class UrlOptions {

  static final String TABLE = "table";
  static final String SIGNALS = "signals";
  static final String CREATE_TABLE = "createTable";
  static final String TIMEOUT = "callTimeoutMs";
  static final String POOL = "pool";

  private static final int HOUR_MILLIS = 3_600_000;

  private UrlOptions() {}

  static String table(StoreUrl url) {
    return url.option(TABLE).orElse(JdbcLeaseStore.Builder.DEFAULT_TABLE);
  }

  static Duration timeout(StoreUrl url) {
    return Duration.ofMillis(
        number(
            url,
            TIMEOUT,
            Math.toIntExact(JdbcLeaseStore.Builder.DEFAULT_TIMEOUT.toMillis()),
            HOUR_MILLIS));
  }

  static Map<String, String> ofDriver(StoreUrl url) {
    return url.without(TABLE, SIGNALS, CREATE_TABLE, TIMEOUT, POOL).options();
  }

  /** A number from 1 to the most. */
  static int number(StoreUrl url, String option, int otherwise, int most) {
    String text = url.option(option).orElse(Integer.toString(otherwise));
    int number = text.matches("[0-9]{1,8}") ? Integer.parseInt(text) : 0;
    if (number < 1 || number > most) {
      throw new IllegalArgumentException("the option " + option + " is a number, 1 to " + most);
    }
    return number;
  }
}
