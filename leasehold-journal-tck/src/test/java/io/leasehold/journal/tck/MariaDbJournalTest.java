package io.leasehold.journal.tck;

import io.leasehold.journal.servers.Databases;

/** The suite on MariaDb. */
class MariaDbJournalTest extends JournalConformance {
  MariaDbJournalTest() {
    super(new SqlFixture(Databases::mariaDb));
  }
}
