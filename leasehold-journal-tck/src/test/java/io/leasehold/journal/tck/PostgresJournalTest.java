package io.leasehold.journal.tck;

import io.leasehold.journal.servers.Databases;

/** The suite on Postgres. */
class PostgresJournalTest extends JournalConformance {
  PostgresJournalTest() {
    super(new SqlFixture(Databases::postgres));
  }
}
