package io.leasehold.journal.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;

/**
 * PostgreSQL. A write is one statement, so one round trip, and it commits by itself.
 *
 * <p>Its first part locks the instance's row with {@code FOR UPDATE}, which under READ COMMITTED
 * gives the row as the last writer left it; all other parts read what that part returned, not the
 * table, so they are decided by the locked row. The entry's insertion does nothing on a key that is
 * there, which leaves no error in the server's log, and the parts after it then have no row to
 * write. Under REPEATABLE READ or above the lock fails with a serialization error instead, and the
 * call is made again.
 */
final class PostgresDialect extends Dialect {

  private static final String LOCKED =
      """
      WITH locked AS (
        SELECT fence, state, next_sequence FROM {instance} WHERE id = :instance FOR UPDATE
      )\
      """;

  private static final String FENCE =
      LOCKED
          + """
          , raised AS (
            UPDATE {instance} AS i SET fence = :token, touched_at = {now}
            FROM locked AS l
            WHERE i.id = :instance AND l.fence <= :token
          )
          SELECT fence, state, NULL::bigint FROM locked
          """;

  private static final String ENTRY =
      """
      , entry AS (
        INSERT INTO {entry}
          (instance, scope, step, attempt, sequence, token, action, outcome, result, captured,
           duration_ms, committed_at)
        SELECT :instance, :scope, :step, :attempt, l.next_sequence, :token, :action, :outcome,
               :result, :captured, :duration, {now}
        FROM locked AS l
        WHERE l.fence <= :token AND l.state NOT IN {terminal}
        ON CONFLICT (instance, scope, step, attempt) DO NOTHING
        RETURNING sequence
      )\
      """;

  private static final String STAGED =
      """
      , staged AS (
        INSERT INTO {outbox} (instance, sequence, ordinal, type, partition_key, payload)
        SELECT :instance, e.sequence, v.ordinal, v.value ->> 'type', v.value ->> 'key',
               decode(v.value ->> 'payload', 'hex')
        FROM entry AS e
        CROSS JOIN json_array_elements(CAST(:events AS json)) WITH ORDINALITY AS v (value, ordinal)
        ORDER BY v.ordinal
      )\
      """;

  private static final String MOVED =
      """
      , moved AS (
        UPDATE {instance} AS i
        SET next_sequence = e.sequence + 1,
            fence = :token,
            state = coalesce(:state, CASE i.state WHEN 'PENDING' THEN 'RUNNING' ELSE i.state END),
            snapshot = coalesce(:snapshot, i.snapshot),
            hint = coalesce(:hint, i.hint),
            touched_at = {now}
        FROM entry AS e
        WHERE i.id = :instance
      )
      SELECT l.fence, l.state, e.sequence FROM locked AS l LEFT JOIN entry AS e ON true
      """;

  private static final String COMPLETE =
      LOCKED
          + """
          , ended AS (
            UPDATE {instance} AS i
            SET state = :state, fence = :token, snapshot = coalesce(:snapshot, i.snapshot),
                touched_at = {now}
            FROM locked AS l
            WHERE i.id = :instance AND l.fence <= :token AND l.state NOT IN {terminal}
          )
          SELECT fence, state, NULL::bigint FROM locked
          """;

  PostgresDialect(JournalTables tables) {
    super(tables, "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint");
  }

  @Override
  String folder() {
    return "postgresql";
  }

  @Override
  String write(Write write, int count) {
    String one =
        switch (write) {
          case FENCE -> FENCE;
          case APPEND -> LOCKED + ENTRY + MOVED;
          case APPEND_WITH_EVENTS -> LOCKED + ENTRY + STAGED + MOVED;
          case COMPLETE -> COMPLETE;
        };
    // The driver sends the parts of such a text one after the other without waiting for answers.
    return count == 1 ? one : String.join(";\n", Collections.nCopies(count, one));
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
    return 32;
  }

  @Override
  boolean commitsByItself(int count) {
    return count == 1;
  }

  /** The condition is the one of the partial index, word for word. */
  @Override
  String idleSince() {
    return "state IN {recoverable} AND touched_at";
  }

  /**
   * The statement's clock, which stands still, so that the index can be asked for what is older.
   */
  @Override
  String stillNow() {
    return "floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint";
  }

  @Override
  String endedSince() {
    return "state IN {terminal} AND touched_at";
  }

  @Override
  void lockSchema(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT pg_advisory_xact_lock(hashtext(?))")) {
      statement.setString(1, "leasehold journal " + tables());
      statement.execute();
    }
  }

  @Override
  void unlockSchema(Connection connection, boolean commit) throws SQLException {
    if (commit) {
      connection.commit();
    } else {
      connection.rollback();
    }
    connection.setAutoCommit(true);
  }

  @Override
  Verdict verdict(SQLException error) {
    String state = String.valueOf(error.getSQLState());
    return switch (state) {
      case "40001", "40P01", "55P03" -> Verdict.AGAIN;
      case "08001", "08004" -> Verdict.NOT_APPLIED;
      default ->
          switch (state.length() < 5 ? "" : state.substring(0, 2)) {
            case "0A", "22", "23", "25", "28", "3D", "3F", "42", "53", "54", "55" ->
                Verdict.NOT_APPLIED;
            default -> Verdict.UNKNOWN;
          };
    };
  }

  @Override
  boolean isDuplicateKey(SQLException error) {
    return "23505".equals(error.getSQLState());
  }
}
