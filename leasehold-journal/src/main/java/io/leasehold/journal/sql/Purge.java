package io.leasehold.journal.sql;

import io.leasehold.journal.PurgeReport;
import io.leasehold.journal.Retention;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Deletes what was kept long enough, a bounded number of instances per transaction. An instance
 * that has ended takes no more entries, so between being found and being deleted it cannot come to
 * owe an event.
 */
final class Purge {

  private static final int STEP = 500;

  private static final String DUE =
      """
      FROM {instance} AS i
      WHERE {ended} <= {stillNow} - :window AND i.state {states} AND i.flow {flows}
        AND {owes} EXISTS (
          SELECT 1 FROM {outbox} AS o WHERE o.instance = i.id AND o.published_at IS NULL)
      """;

  private final Calls calls;
  private final Retention retention;
  private long held;

  Purge(Calls calls, Retention retention) {
    this.calls = calls;
    this.retention = retention;
  }

  PurgeReport run() {
    long completed = 0;
    long failed = 0;
    for (Map.Entry<String, Retention.Windows> flow : retention.flows().entrySet()) {
      completed += purge(Optional.of(flow.getKey()), true, flow.getValue().completed());
      failed += purge(Optional.of(flow.getKey()), false, flow.getValue().failed());
    }
    completed += purge(Optional.empty(), true, retention.fallback().completed());
    failed += purge(Optional.empty(), false, retention.fallback().failed());
    return new PurgeReport(held, completed, failed, purgeEvents());
  }

  /** The instances of one flow; without one, of all flows that have no windows of their own. */
  private long purge(Optional<String> flow, boolean completed, Optional<Duration> window) {
    if (window.isEmpty()) {
      return 0;
    }
    Values values = new Values().number("window", window.get().toMillis()).integer("limit", STEP);
    String flows = flows(flow, values);
    held +=
        calls.call(
            "purge",
            (connection, dialect) ->
                SqlJournal.query(
                        connection,
                        dialect.sql("SELECT count(*) " + due(dialect, "", completed, flows)),
                        values,
                        row -> row.getLong(1))
                    .get(0));
    long deleted = 0;
    int step;
    do {
      step =
          calls.call(
              "purge",
              (connection, dialect) -> {
                String due =
                    "SELECT i.id " + due(dialect, "NOT", completed, flows) + " LIMIT :limit";
                List<String> ids =
                    SqlJournal.query(connection, dialect.sql(due), values, row -> row.getString(1));
                delete(connection, dialect, ids);
                return ids.size();
              });
      deleted += step;
    } while (step == STEP);
    return deleted;
  }

  private String flows(Optional<String> flow, Values values) {
    if (flow.isPresent()) {
      values.text("flow", flow.get());
      return "= :flow";
    }
    List<String> names = new ArrayList<>();
    for (String each : retention.flows().keySet()) {
      String name = "flow" + "x".repeat(names.size() + 1);
      values.text(name, each);
      names.add(":" + name);
    }
    return names.isEmpty() ? "IS NOT NULL" : "NOT IN (" + String.join(", ", names) + ")";
  }

  private static String due(Dialect dialect, String owes, boolean completed, String flows) {
    return DUE.replace("{ended}", dialect.endedSince())
        .replace("{states}", completed ? "= 'COMPLETED'" : "<> 'COMPLETED'")
        .replace("{flows}", flows)
        .replace("{owes}", owes);
  }

  /** One transaction: an instance never loses its history before it goes itself. */
  private static void delete(Connection connection, Dialect dialect, List<String> ids)
      throws SQLException {
    if (ids.isEmpty()) {
      return;
    }
    connection.setAutoCommit(false);
    boolean committed = false;
    try {
      for (String template :
          List.of(
              "DELETE FROM {outbox} WHERE instance = :instance",
              "DELETE FROM {entry} WHERE instance = :instance",
              "DELETE FROM {instance} WHERE id = :instance")) {
        NamedSql sql = dialect.sql(template);
        try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
          for (String id : ids) {
            sql.bind(statement, new Values().text("instance", id));
            statement.addBatch();
          }
          statement.executeBatch();
        }
      }
      connection.commit();
      committed = true;
    } finally {
      if (!committed) {
        connection.rollback();
      }
      connection.setAutoCommit(true);
    }
  }

  private long purgeEvents() {
    Values values = new Values().number("window", retention.publishedEvents().toMillis());
    return calls.call(
        "purge",
        (connection, dialect) ->
            SqlJournal.update(
                connection,
                dialect.sql("DELETE FROM {outbox} WHERE published_at <= {stillNow} - :window"),
                values));
  }
}
