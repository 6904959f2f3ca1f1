package io.leasehold.journal.sql;

import io.leasehold.journal.Journal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * SQLite. A write is a transaction that takes the file's write lock before it reads ({@code BEGIN
 * IMMEDIATE}), so it is decided alone. There is no round trip to save.
 */
final class SqliteDialect extends Dialect {

  private static final String FOUND =
      """
      SELECT fence, state, NULL FROM {instance} WHERE id = :instance
      """;

  private static final String FOUND_FOR_ENTRY =
      """
      SELECT i.fence, i.state, CASE WHEN e.instance IS NULL THEN i.next_sequence END
      FROM {instance} AS i
      LEFT JOIN {entry} AS e
        ON e.instance = i.id AND e.scope = :scope AND e.step = :step AND e.attempt = :attempt
      WHERE i.id = :instance
      """;

  private static final String FENCE =
      """
      UPDATE {instance} SET fence = :token, touched_at = {now} WHERE id = :instance
      """;

  private static final String ENTRY =
      """
      INSERT INTO {entry}
        (instance, scope, step, attempt, sequence, token, action, outcome, result, captured,
         duration_ms, committed_at)
      SELECT id, :scope, :step, :attempt, next_sequence, :token, :action, :outcome, :result,
             :captured, :duration, {now}
      FROM {instance} WHERE id = :instance
      """;

  private static final String STAGED =
      """
      INSERT INTO {outbox} (instance, sequence, ordinal, type, partition_key, payload)
      SELECT i.id, i.next_sequence, v.key + 1, v.value ->> 'type', v.value ->> 'key',
             unhex(v.value ->> 'payload')
      FROM {instance} AS i CROSS JOIN json_each(:events) AS v
      WHERE i.id = :instance
      ORDER BY v.key
      """;

  private static final String MOVED =
      """
      UPDATE {instance}
      SET next_sequence = next_sequence + 1,
          fence = :token,
          state = coalesce(:state, CASE state WHEN 'PENDING' THEN 'RUNNING' ELSE state END),
          snapshot = coalesce(:snapshot, snapshot),
          hint = coalesce(:hint, hint),
          touched_at = {now}
      WHERE id = :instance
      """;

  private static final String COMPLETE =
      """
      UPDATE {instance}
      SET state = :state, fence = :token, snapshot = coalesce(:snapshot, snapshot),
          touched_at = {now}
      WHERE id = :instance
      """;

  SqliteDialect(JournalTables tables) {
    super(tables, "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)");
    if (tables.prefix().contains(".")) {
      throw new IllegalArgumentException(
          "table prefix " + tables + " names a schema; a journal in SQLite has its own file");
    }
  }

  @Override
  String folder() {
    return "sqlite";
  }

  @Override
  <A> List<A> decide(Connection connection, List<? extends Question<A>> questions)
      throws SQLException {
    List<A> answers = new ArrayList<>(questions.size());
    execute(connection, "BEGIN IMMEDIATE");
    boolean committed = false;
    try {
      for (Question<A> question : questions) {
        A answer = ask(connection, question);
        if (question.writes(answer)) {
          for (String template : writes(question.write())) {
            update(connection, template, question.values());
          }
        }
        answers.add(answer);
      }
      execute(connection, "COMMIT");
      committed = true;
      return answers;
    } finally {
      if (!committed) {
        execute(connection, "ROLLBACK");
      }
    }
  }

  private <A> A ask(Connection connection, Question<A> question) throws SQLException {
    NamedSql sql = sql(write(question.write(), 1));
    try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
      sql.bind(statement, question.values());
      try (ResultSet row = statement.executeQuery()) {
        return question.answer(Locked.read(row));
      }
    }
  }

  private void update(Connection connection, String template, Values values) throws SQLException {
    NamedSql sql = sql(template);
    try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
      sql.bind(statement, values);
      statement.executeUpdate();
    }
  }

  /** What a write looks at, once it has the lock. */
  @Override
  String write(Write write, int count) {
    return switch (write) {
      case FENCE, COMPLETE -> FOUND;
      case APPEND, APPEND_WITH_EVENTS -> FOUND_FOR_ENTRY;
    };
  }

  /** What it then writes, if it is admitted. */
  private static List<String> writes(Write write) {
    return switch (write) {
      case FENCE -> List.of(FENCE);
      case APPEND -> List.of(ENTRY, MOVED);
      case APPEND_WITH_EVENTS -> List.of(ENTRY, STAGED, MOVED);
      case COMPLETE -> List.of(COMPLETE);
    };
  }

  @Override
  String start() {
    return """
    INSERT INTO {instance}
      (id, flow, state, fence, next_sequence, input, parent_instance, parent_scope, parent_step,
       parent_attempt, created_at, touched_at)
    VALUES (:instance, :flow, 'PENDING', :token, 1, :input, :parent, :parentScope, :parentStep,
            :parentAttempt, {now}, {now})
    ON CONFLICT (id) DO NOTHING
    """;
  }

  @Override
  int mostAtOnce() {
    return Journal.MAX_APPENDS;
  }

  @Override
  boolean commitsByItself(int count) {
    return true;
  }

  @Override
  String idleSince() {
    return "state IN {recoverable} AND touched_at";
  }

  @Override
  String endedSince() {
    return "state IN {terminal} AND touched_at";
  }

  @Override
  void lockSchema(Connection connection) throws SQLException {
    execute(connection, "BEGIN IMMEDIATE");
  }

  @Override
  void unlockSchema(Connection connection, boolean commit) throws SQLException {
    execute(connection, commit ? "COMMIT" : "ROLLBACK");
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  Verdict verdict(SQLException error) {
    // The low byte is the primary result code; SQLite documents it as stable.
    return switch (error.getErrorCode() & 0xff) {
      case 5, 6 -> Verdict.AGAIN; // SQLITE_BUSY, SQLITE_LOCKED
      case 10 -> Verdict.UNKNOWN; // SQLITE_IOERR
      default -> Verdict.NOT_APPLIED;
    };
  }

  @Override
  boolean isDuplicateKey(SQLException error) {
    return (error.getErrorCode() & 0xff) == 19;
  }
}
