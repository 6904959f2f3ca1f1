package io.leasehold.jdbc;

import io.leasehold.LeaseStore;
import io.leasehold.tck.LeaseStoreConformance;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;

class PostgresConformanceTest extends LeaseStoreConformance {

  private static final String TABLE = Backend.POSTGRESQL.freshTable();

  @BeforeAll
  static void needsTheServer() {
    Backend.POSTGRESQL.url();
  }

  @Override
  public LeaseStore openStore() {
    DataSource dataSource = Backend.POSTGRESQL.dataSource();
    return JdbcLeaseStore.builder(dataSource)
        .table(TABLE)
        .createTableIfMissing()
        .signals(true)
        .build();
  }
}
