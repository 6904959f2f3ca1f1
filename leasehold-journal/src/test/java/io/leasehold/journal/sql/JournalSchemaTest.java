package io.leasehold.journal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.FencingToken;
import io.leasehold.Page;
import io.leasehold.journal.AppendAnswer;
import io.leasehold.journal.Completion;
import io.leasehold.journal.Entry;
import io.leasehold.journal.InstanceId;
import io.leasehold.journal.Journal;
import io.leasehold.journal.NewInstance;
import io.leasehold.journal.Outcome;
import io.leasehold.journal.StepKey;
import io.leasehold.journal.servers.Databases;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Expand, then contract. */
class JournalSchemaTest {

  @Nested
  class OnPostgres extends Rules {
    OnPostgres() {
      super(Databases.postgres());
    }

    @Test
    void theTablesMayBeInAnotherSchema() throws SQLException {
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE SCHEMA ops");
      }
      JournalTables tables = new JournalTables("ops.journal");
      JournalSchema.of(pool, tables).contract();
      writes(new SqlJournal(pool, tables), 0);
    }
  }

  @Nested
  class OnMariaDb extends Rules {
    OnMariaDb() {
      super(Databases.mariaDb());
    }
  }

  @Nested
  class OnSqlite extends Rules {
    OnSqlite() {
      super(Databases.sqlite());
    }
  }

  @Test
  void aPrefixThatIsNoNameIsRefusedBeforeAnythingIsSent() {
    for (String wrong : List.of("", "a b", "lease; drop table x", "\"a\"", "a.b.c", "1a", "é")) {
      assertThatThrownBy(() -> new JournalTables(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + wrong + "'");
    }
  }

  abstract static class Rules {
    final DataSource pool;

    Rules(DataSource pool) {
      this.pool = pool;
    }

    /** An old process goes on writing while the schema is expanded; a new one works beside it. */
    @Test
    void oldAndNewProcessesWorkSideBySideWhileTheSchemaIsExpanded() throws SQLException {
      JournalTables tables = new JournalTables("beside");
      JournalSchema schema = JournalSchema.of(pool, tables);
      schema.expandTo(1);
      Journal journal = new SqlJournal(pool, tables);
      writes(journal, 0);
      schema.expand();
      oldProcessStarts(tables, "old/1");
      writes(journal, 1);
      assertThat(journal.frontier(InstanceId.of("order/0")).orElseThrow().entries()).hasSize(1);
      assertThat(journal.abandoned(Duration.ZERO, Page.first(10)).instances())
          .extracting(each -> each.id().value())
          .contains("old/1");
      schema.contract();
      oldProcessStarts(tables, "old/2");
      writes(journal, 2);
    }

    @Test
    void manyProcessesMayMigrateAtOnceAndAgain() {
      JournalTables tables = new JournalTables("together");
      List<CompletableFuture<Void>> all =
          IntStream.range(0, 4)
              .mapToObj(
                  i ->
                      CompletableFuture.runAsync(
                          () -> {
                            try {
                              JournalSchema.of(pool, tables).contract();
                            } catch (SQLException e) {
                              throw new IllegalStateException(e);
                            }
                          }))
              .toList();
      all.forEach(CompletableFuture::join);
      writes(new SqlJournal(pool, tables), 0);
    }

    /** What the release that knew the first schema only sends. */
    private void oldProcessStarts(JournalTables tables, String id) throws SQLException {
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute(
            tables.fill(
                "INSERT INTO {instance} (id, flow, state, fence, next_sequence, created_at,"
                    + " touched_at) VALUES ('"
                    + id
                    + "', 'order', 'PENDING', 1, 1, 1, 1)"));
      }
    }

    static void writes(Journal journal, int number) {
      InstanceId id = InstanceId.of("order/" + number);
      FencingToken token = new FencingToken(1);
      journal.start(NewInstance.of(id, "order"), token);
      assertThat(journal.append(Entry.of(StepKey.of(id, 0), "a").build(), token))
          .isEqualTo(new AppendAnswer.Appended(1));
      journal.complete(id, Completion.of(Outcome.COMPLETED), token);
    }
  }
}
