package io.leasehold.mergegate;

import io.leasehold.FencingToken;
import io.leasehold.sweep.Backlog;
import io.leasehold.sweep.Position;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;

/**
 * The table of runs that gate a pull request. Events fill it, in whatever order they come; the
 * sweep reads those that are due. Works on SQLite and PostgreSQL.
 */
final class GatingRuns implements Backlog<GatingRun> {

  private static final String TABLE =
      """
      create table if not exists gating_run (
        id text primary key,
        repository text not null,
        pull bigint not null,
        head text not null,
        context text not null,
        url text not null,
        state text not null,
        reason text not null,
        due_at bigint not null,
        quiet_until bigint not null,
        claimed_by bigint not null,
        settled_as text not null
      )""";

  private static final String INDEX =
      """
      create index if not exists gating_run_due on gating_run (due_at, id)
      where state <> 'settled'""";

  /** A run already known keeps its state: a late "started" must not raise the dead. */
  private static final String STARTED =
      """
      insert into gating_run (id, repository, pull, head, context, url, state, reason, due_at,
        quiet_until, claimed_by, settled_as)
      values (?, ?, ?, ?, ?, ?, 'running', '', ?, 0, 0, '')
      on conflict (id) do update set due_at = excluded.due_at, url = excluded.url
      where gating_run.state = 'running'""";

  private static final String DIED =
      """
      insert into gating_run (id, repository, pull, head, context, url, state, reason, due_at,
        quiet_until, claimed_by, settled_as)
      values (?, ?, ?, ?, ?, ?, 'dead', ?, ?, 0, 0, '')
      on conflict (id) do update
        set state = 'dead', reason = excluded.reason, due_at = excluded.due_at
      where gating_run.state = 'running'""";

  private static final String SETTLED =
      """
      update gating_run set state = 'settled', settled_as = ? where id = ? and state <> 'settled'""";

  private static final String SETTLED_BY_CONTEXT =
      """
      update gating_run set state = 'settled', settled_as = ?
      where repository = ? and head = ? and context = ? and state <> 'settled'""";

  private static final String QUIET =
      "update gating_run set quiet_until = ? where id = ? and state <> 'settled'";

  /**
   * One statement, so that of two replicas whose terms overlap only one, the later, goes on to
   * write: the row remembers the highest token that came for it.
   */
  private static final String CLAIM =
      """
      update gating_run set claimed_by = ?
      where id = ? and state <> 'settled' and claimed_by <= ?""";

  private static final String PAGE =
      """
      select id, repository, pull, head, context, url, state, reason, due_at from gating_run
      where state <> 'settled' and due_at >= ? and (due_at, id) < (?, ?) and quiet_until <= ?
      order by due_at desc, id desc
      limit ?""";

  private static final String NEWER_RUNNING =
      """
      select count(*) from gating_run
      where repository = ? and head = ? and context = ? and id <> ? and state = 'running'
        and due_at > ?""";

  private static final String COUNT = "select count(*) from gating_run where state = ?";

  private static final String PURGE =
      "delete from gating_run where due_at < ? and state = 'settled'";

  private final DataSource database;
  private final InstantSource clock;

  GatingRuns(DataSource database, InstantSource clock) throws SQLException {
    this.database = database;
    this.clock = clock;
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(TABLE);
      statement.execute(INDEX);
    }
  }

  void started(GatingRun run) throws SQLException {
    update(
        STARTED,
        run.id(),
        run.repository(),
        run.pull(),
        run.head(),
        run.context(),
        run.url(),
        run.dueAt().toEpochMilli());
  }

  void died(GatingRun run) throws SQLException {
    update(
        DIED,
        run.id(),
        run.repository(),
        run.pull(),
        run.head(),
        run.context(),
        run.url(),
        run.reason(),
        run.dueAt().toEpochMilli());
  }

  void settled(String id, String as) throws SQLException {
    update(SETTLED, as, id);
  }

  /** A verdict on a commit settles whatever ran for it. */
  void settled(String repository, String head, String context, String as) throws SQLException {
    update(SETTLED_BY_CONTEXT, as, repository, head, context);
  }

  /** Leaves the run alone until then. */
  void quiet(String id, Instant until) throws SQLException {
    update(QUIET, until.toEpochMilli(), id);
  }

  /** Whether this term may write for the run: not if a later one has come for it. */
  boolean claim(String id, FencingToken token) throws SQLException {
    return update(CLAIM, token.value(), id, token.value()) == 1;
  }

  /** Whether another run for the same check is under way and not overdue. */
  boolean anotherIsRunning(GatingRun run) throws SQLException {
    return count(
            NEWER_RUNNING, run.repository(), run.head(), run.context(), run.id(), clock.millis())
        > 0;
  }

  long count(GatingRun.State state) throws SQLException {
    return count(COUNT, state.name().toLowerCase(Locale.ROOT));
  }

  /** Forgets settled runs that are older than any sweep looks back. */
  int purge(Instant dueBefore) throws SQLException {
    return update(PURGE, dueBefore.toEpochMilli());
  }

  @Override
  public List<GatingRun> page(Instant since, Position before, int limit) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement statement =
            prepared(
                connection,
                PAGE,
                since.toEpochMilli(),
                before.instant().toEpochMilli(),
                before.id(),
                clock.millis(),
                limit);
        ResultSet rows = statement.executeQuery()) {
      List<GatingRun> page = new ArrayList<>();
      while (rows.next()) {
        page.add(
            new GatingRun(
                rows.getString("id"),
                rows.getString("repository"),
                rows.getLong("pull"),
                rows.getString("head"),
                rows.getString("context"),
                rows.getString("url"),
                GatingRun.State.valueOf(rows.getString("state").toUpperCase(Locale.ROOT)),
                rows.getString("reason"),
                Instant.ofEpochMilli(rows.getLong("due_at"))));
      }
      return page;
    }
  }

  @Override
  public Position position(GatingRun run) {
    return new Position(run.dueAt(), run.id());
  }

  private long count(String sql, Object... values) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement statement = prepared(connection, sql, values);
        ResultSet rows = statement.executeQuery()) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private int update(String sql, Object... values) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement statement = prepared(connection, sql, values)) {
      return statement.executeUpdate();
    }
  }

  private static PreparedStatement prepared(Connection connection, String sql, Object... values)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }
}
