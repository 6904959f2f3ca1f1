package io.leasehold.jdbc;

import io.leasehold.LeaseStore;
import io.leasehold.tck.Capability;
import io.leasehold.tck.LeaseStoreConformance;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;

class MysqlStatementsConformanceTest extends LeaseStoreConformance {

  private static final Backend BACKEND = Backend.MYSQL_STATEMENTS_ON_MARIADB;
  private static final String TABLE = BACKEND.freshTable();

  @BeforeAll
  static void needsTheServer() {
    BACKEND.url();
  }

  @Override
  public LeaseStore openStore() {
    return BACKEND.store(BACKEND.dataSource(), TABLE);
  }

  @Override
  public Map<Capability, String> lacks() {
    return Map.of(Capability.SIGNALS, "MySQL has no signals");
  }
}
