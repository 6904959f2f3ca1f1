package io.leasehold.journal.sql;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * The journal's tables and how they change: expand, then contract.
 *
 * <p>{@link #expand()} only adds what the processes of the release before do without: tables,
 * indexes, columns that may be null. So old and new processes work side by side while a rollout
 * lasts. {@link #contract()} drops what no process of this release uses, and is run when the last
 * process of the release before is gone. Both are idempotent and may be run by many processes at
 * once.
 *
 * <p>The files are resources beside this class, for those who run them by other means.
 *
 * <pre>{@code
 * JournalSchema.of(pool, JournalTables.DEFAULT).expand();
 * }</pre>
 */
public final class JournalSchema {

  private static final List<String> EXPANSIONS = List.of("1-create", "2-oldest-first");
  private static final List<String> CONTRACTIONS = List.of("2-oldest-first");

  private final DataSource pool;
  private final JournalTables tables;

  private JournalSchema(DataSource pool, JournalTables tables) {
    this.pool = pool;
    this.tables = tables;
  }

  /**
   * The schema of these tables.
   *
   * @param pool gives connections of a role that may create tables
   * @param tables what they are called
   * @return the schema
   */
  public static JournalSchema of(DataSource pool, JournalTables tables) {
    return new JournalSchema(pool, tables);
  }

  /**
   * Adds what this release needs. Processes of the release before are not disturbed.
   *
   * @throws SQLException if the database refuses
   */
  public void expand() throws SQLException {
    apply("expand", EXPANSIONS);
  }

  /**
   * Drops what this release does not use. Processes of the release before must be gone.
   *
   * @throws SQLException if the database refuses
   */
  public void contract() throws SQLException {
    apply("expand", EXPANSIONS);
    apply("contract", CONTRACTIONS);
  }

  /** Only the first expansions: the schema as an older release left it, for tests. */
  void expandTo(int count) throws SQLException {
    apply("expand", EXPANSIONS.subList(0, count));
  }

  private void apply(String phase, List<String> names) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(true);
      Dialect dialect = Dialect.of(connection, tables);
      dialect.lockSchema(connection);
      boolean done = false;
      try {
        execute(
            connection,
            dialect,
            "CREATE TABLE IF NOT EXISTS {version} (step VARCHAR(64) PRIMARY KEY)");
        for (String name : names) {
          String step = phase + "-" + name;
          if (!isApplied(connection, dialect, step)) {
            for (String sql : statements(dialect, step)) {
              execute(connection, dialect, sql);
            }
            record(connection, dialect, step);
          }
        }
        done = true;
      } finally {
        dialect.unlockSchema(connection, done);
        connection.setAutoCommit(autoCommit);
      }
    }
  }

  private static void execute(Connection connection, Dialect dialect, String sql)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(dialect.sql(sql).text());
    }
  }

  private static boolean isApplied(Connection connection, Dialect dialect, String step)
      throws SQLException {
    NamedSql sql = dialect.sql("SELECT step FROM {version} WHERE step = :step");
    try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
      sql.bind(statement, new Values().text("step", step));
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  private static void record(Connection connection, Dialect dialect, String step)
      throws SQLException {
    SqlJournal.update(
        connection,
        dialect.sql("INSERT INTO {version} (step) VALUES (:step)"),
        new Values().text("step", step));
  }

  private static List<String> statements(Dialect dialect, String step) {
    String file = dialect.folder() + "/" + step + ".sql";
    try (InputStream in = JournalSchema.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException("the schema file " + file + " is missing");
      }
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      List<String> statements = new ArrayList<>();
      for (String each : text.replaceAll("(?m)^--.*$", "").split(";", -1)) {
        if (!each.isBlank()) {
          statements.add(each.strip());
        }
      }
      return statements;
    } catch (IOException e) {
      throw new IllegalStateException("the schema file " + file + " cannot be read", e);
    }
  }
}
