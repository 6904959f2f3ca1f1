package io.leasehold.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The caller's data source. How long it waits for a connection is its own setting. */
record PooledConnections(DataSource dataSource) implements Connections {

  private static final Logger log = LoggerFactory.getLogger(JdbcLeaseStore.class);

  @Override
  public Connection take(Duration patience) throws SQLException {
    return dataSource.getConnection();
  }

  @Override
  public void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      // The call has its answer, or its failure; a connection that will not close is the pool's.
      log.debug("a connection did not close: {}", e.toString());
    }
  }

  /** Leaves the caller's data source alone; closes one that was opened for the store. */
  @Override
  public void close() {
    if (dataSource instanceof OwnedDataSource owned) {
      owned.close();
    }
  }
}
