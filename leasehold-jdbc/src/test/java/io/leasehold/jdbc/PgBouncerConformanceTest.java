package io.leasehold.jdbc;

import io.leasehold.LeaseStore;
import io.leasehold.tck.Capability;
import io.leasehold.tck.LeaseStoreConformance;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PgBouncerConformanceTest extends LeaseStoreConformance {

  private static final String TABLE = Backend.POSTGRESQL.freshTable();
  private static @Nullable PgBouncer pooler;

  @BeforeAll
  static void startPooler() {
    PgBouncer fresh = new PgBouncer(PostgresServer.shared());
    fresh.start();
    pooler = fresh;
  }

  @AfterAll
  static void stopPooler() {
    if (pooler != null) {
      pooler.close();
    }
  }

  @Override
  public LeaseStore openStore() {
    if (pooler == null) {
      throw new IllegalStateException("no pooler");
    }
    return Backend.POSTGRESQL.store(PostgresServer.dataSource(pooler.url()), TABLE);
  }

  @Override
  public Map<Capability, String> lacks() {
    return Map.of(Capability.SIGNALS, "a transaction-mode pooler is between");
  }
}
