package io.leasehold.journal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Page;
import io.leasehold.journal.AbandonedPage;
import io.leasehold.journal.servers.Databases;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What a page of abandoned instances costs among 200,000, on PostgreSQL. */
class RecoveryPlanTest {

  private static final JournalTables TABLES = new JournalTables("plan");
  private static final Pattern BUFFERS =
      Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

  @Test
  void aPageOf64OutOf200000ReadsTensOfBuffersByTheIndex() throws SQLException {
    DataSource pool = Databases.postgres();
    JournalSchema.of(pool, TABLES).contract();
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      // One in four has not ended, one in forty is suspended; touched in an order of its own.
      statement.execute(
          """
          INSERT INTO plan_instance
            (id, flow, state, fence, next_sequence, snapshot, created_at, touched_at)
          SELECT 'order/' || md5(n::text), 'order',
                 CASE WHEN n % 40 = 0 THEN 'SUSPENDED' WHEN n % 4 = 1 THEN 'RUNNING'
                      WHEN n % 400 = 2 THEN 'PENDING' ELSE 'COMPLETED' END,
                 1, 1, decode(repeat('ab', 200), 'hex'), 1,
                 1700000000000 + (n * 7919::bigint) % 200000
          FROM generate_series(1, 200000) AS n
          """);
      statement.execute("VACUUM ANALYZE plan_instance");
    }
    List<String> first = explain(pool, 3_600_000L, 0, "");
    assertThat(String.join("\n", first)).contains("plan_oldest").doesNotContain("Seq Scan");
    assertThat(buffers(first)).as(String.join("\n", first)).isLessThan(100);

    SqlJournal journal = new SqlJournal(pool, TABLES);
    AbandonedPage page = journal.abandoned(Duration.ofHours(1), Page.first(64));
    assertThat(page.instances()).hasSize(64);
    for (int i = 0; i < 200; i++) {
      page = journal.abandoned(Duration.ofHours(1), Page.at(page.next().orElseThrow(), 64));
    }
    AbandonedCursor deep = AbandonedCursor.of(page.next());
    List<String> late = explain(pool, 3_600_000L, deep.since(), deep.id());
    assertThat(String.join("\n", late)).contains("plan_oldest").doesNotContain("Seq Scan");
    assertThat(buffers(late)).as(String.join("\n", late)).isLessThan(100);
    // The usual case: everybody is at work. The index says so; the rows are not looked at.
    long beforeAll = System.currentTimeMillis() - 1_600_000_000_000L;
    List<String> nobody = explain(pool, beforeAll, 0, "");
    assertThat(buffers(nobody)).as(String.join("\n", nobody)).isLessThan(10);
    System.out.println("a page of 64 out of 200,000:\n  " + String.join("\n  ", first));
  }

  private static List<String> explain(DataSource pool, long idle, long since, String id)
      throws SQLException {
    Dialect dialect = new PostgresDialect(TABLES);
    NamedSql sql = dialect.sql(SqlJournal.abandoned(dialect));
    Values values =
        new Values()
            .number("idle", idle)
            .number("since", since)
            .text("id", id)
            .integer("limit", 65);
    try (Connection connection = pool.getConnection();
        PreparedStatement statement =
            connection.prepareStatement("EXPLAIN (ANALYZE, BUFFERS) " + sql.text())) {
      sql.bind(statement, values);
      List<String> plan = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          plan.add(row.getString(1));
        }
      }
      return plan;
    }
  }

  /** The first line of buffers is the whole statement's. */
  private static int buffers(List<String> plan) {
    for (String line : plan) {
      Matcher found = BUFFERS.matcher(line);
      if (found.find()) {
        return number(found.group(1)) + number(found.group(2));
      }
    }
    throw new AssertionError("no buffers in " + plan);
  }

  private static int number(String text) {
    return text == null ? 0 : Integer.parseInt(text);
  }
}
