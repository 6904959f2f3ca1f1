package io.leasehold.journal.tck;

import io.leasehold.journal.Journal;
import io.leasehold.journal.sql.JournalSchema;
import io.leasehold.journal.sql.JournalTables;
import io.leasehold.journal.sql.SqlJournal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** A journal in a database; its tables are made once and emptied for each test. */
final class SqlFixture implements JournalFixture {

  private static final JournalTables TABLES = new JournalTables("conformance");

  private final Supplier<DataSource> pool;

  SqlFixture(Supplier<DataSource> pool) {
    this.pool = pool;
  }

  @Override
  public void clear() throws SQLException {
    JournalSchema.of(pool.get(), TABLES).expand();
    try (Connection connection = pool.get().getConnection();
        Statement statement = connection.createStatement()) {
      for (String table : new String[] {"instance", "entry", "outbox"}) {
        statement.executeUpdate("DELETE FROM conformance_" + table);
      }
    }
  }

  @Override
  public Journal open() {
    return new SqlJournal(pool.get(), TABLES);
  }
}
