package io.leasehold.jdbc;

import io.leasehold.spi.StoreUrl;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;

/** The driver for a URL's database. */
enum UrlDriver {
  POSTGRESQL("postgresql", "org.postgresql.Driver", "org.postgresql:postgresql"),
  MARIADB("mariadb", "org.mariadb.jdbc.Driver", "org.mariadb.jdbc:mariadb-java-client"),
  MYSQL("mysql", "com.mysql.cj.jdbc.Driver", "com.mysql:mysql-connector-j");

  /** Long enough for a slow server, short enough for whoever waits for a verdict. */
  private static final int CONNECT_SECONDS = 5;

  private final String subprotocol;
  private final String type;
  private final String artifact;

  UrlDriver(String subprotocol, String type, String artifact) {
    this.subprotocol = subprotocol;
    this.type = type;
    this.artifact = artifact;
  }

  /** What follows {@code jdbc:}. */
  String subprotocol() {
    return subprotocol;
  }

  /** The driver's class. */
  String type() {
    return type;
  }

  /**
   * The driver, which is there.
   *
   * @throws IllegalArgumentException if the URL names no server or database
   * @throws IllegalStateException if the driver is not on the class path
   */
  static UrlDriver of(StoreUrl url) {
    if (url.requireHost().path().isEmpty()) {
      throw new IllegalArgumentException(
          "the store URL "
              + url
              + " names no database; write "
              + url.scheme()
              + "://host/database");
    }
    UrlDriver driver = url.scheme().equals("postgresql") ? POSTGRESQL : MARIADB;
    if (url.scheme().equals("mysql") && !isThere(MARIADB.type) && isThere(MYSQL.type)) {
      driver = MYSQL;
    }
    if (!isThere(driver.type)) {
      throw new IllegalStateException(
          "the driver for "
              + url.scheme()
              + ": URLs is not on the class path; add "
              + driver.artifact);
    }
    return driver;
  }

  static boolean isThere(String type) {
    try {
      Class.forName(type, false, UrlDriver.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** Without user and password: those are handed over apart, and so are in no message. */
  String url(StoreUrl url) {
    StringBuilder text = new StringBuilder("jdbc:").append(subprotocol).append("://");
    text.append(String.join(",", url.hosts().stream().map(StoreUrl.Host::toString).toList()));
    text.append('/').append(encoded(url.path()));
    Map<String, String> options = UrlOptions.ofDriver(url);
    if (this == POSTGRESQL && url.hosts().size() > 1) {
      options.putIfAbsent("targetServerType", "primary");
    }
    char separator = '?';
    for (Map.Entry<String, String> each : options.entrySet()) {
      text.append(separator).append(each.getKey()).append('=').append(encoded(each.getValue()));
      separator = '&';
    }
    return text.toString();
  }

  /** One connection, tried once. */
  Connection connect(StoreUrl url) throws SQLException {
    Properties properties = new Properties();
    url.user().ifPresent(user -> properties.setProperty("user", user));
    url.password().ifPresent(password -> properties.setProperty("password", password));
    boolean seconds = this == POSTGRESQL;
    if (url.option("connectTimeout").isEmpty()) {
      properties.setProperty(
          "connectTimeout", Integer.toString(seconds ? CONNECT_SECONDS : CONNECT_SECONDS * 1_000));
    }
    try {
      Class.forName(type);
    } catch (ClassNotFoundException e) {
      throw new SQLException("no driver " + type, e);
    }
    return DriverManager.getConnection(url(url), properties);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
