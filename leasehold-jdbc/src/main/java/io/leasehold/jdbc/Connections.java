package io.leasehold.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Where a call gets the connection that is its own while it lasts. */
interface Connections extends AutoCloseable {

  /**
   * Takes a connection.
   *
   * @param patience how long to wait for one, where that is ours to say
   * @throws SQLException if there is none; nothing was sent
   */
  Connection take(Duration patience) throws SQLException;

  /** Gives a connection back. */
  void giveBack(Connection connection);

  @Override
  void close();
}
