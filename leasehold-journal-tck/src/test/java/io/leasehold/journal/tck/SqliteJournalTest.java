package io.leasehold.journal.tck;

import io.leasehold.journal.servers.Databases;
import javax.sql.DataSource;

/** The suite on SQLite. */
class SqliteJournalTest extends JournalConformance {

  private static final DataSource POOL = Databases.sqlite();

  SqliteJournalTest() {
    super(new SqlFixture(() -> POOL));
  }
}
