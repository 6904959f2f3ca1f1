package io.leasehold.jdbc;

import io.leasehold.LeaseStore;
import io.leasehold.tck.LeaseStoreConformance;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteConformanceTest extends LeaseStoreConformance {

  @TempDir private static Path directory;

  @Override
  public LeaseStore openStore() {
    return JdbcLeaseStore.embedded(directory.resolve("leases.db"));
  }
}
