package io.leasehold.jdbc;

import javax.sql.DataSource;

/** A data source that was opened for a store and is closed with it. */
interface OwnedDataSource extends DataSource, AutoCloseable {
  @Override
  void close();
}
