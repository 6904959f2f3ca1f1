package io.leasehold.journal.sql;

import io.leasehold.LeaseName;
import java.sql.Connection;
import java.sql.SQLException;

/** What is checked before a fence is asked. */
final class FencedResources {

  private FencedResources() {}

  static void check(Connection connection, String resource) throws SQLException {
    LeaseName.of(resource);
    transaction(connection);
  }

  /** Alone in a transaction of its own, an admission guards nothing that comes after it. */
  static void transaction(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          "the connection commits every statement by itself, so the fence would guard nothing;"
              + " call setAutoCommit(false) and write in the same transaction");
    }
  }
}
