package io.leasehold.journal.sql;

import io.leasehold.journal.Journal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;

/**
 * MariaDB. A write is one compound statement, so one round trip, with a transaction of its own
 * inside: it locks the instance's row, decides, writes and commits. Any error but a key that is
 * there takes the transaction back.
 *
 * <p>The entry is inserted before anything else is written, so that a key that is there leaves
 * nothing to take back.
 */
final class MariaDbDialect extends Dialect {

  private static final String BEGIN =
      """
      BEGIN NOT ATOMIC
        DECLARE found_fence, found_sequence BIGINT;
        DECLARE found_state VARCHAR(32) CHARACTER SET ascii;
        DECLARE EXIT HANDLER FOR SQLEXCEPTION
        BEGIN
          ROLLBACK;
          RESIGNAL;
        END;
        START TRANSACTION;
      """;

  private static final String END =
      """
        COMMIT;
      END
      """;

  private static final String LOCKED =
      """
        SET found_fence = NULL, found_state = NULL, found_sequence = NULL;
        SELECT fence, state, next_sequence INTO found_fence, found_state, found_sequence
        FROM {instance} WHERE id = :instance FOR UPDATE;
      """;

  private static final String ANSWER =
      """
        SELECT found_fence, found_state, found_sequence;
      """;

  private static final String FENCE =
      """
        IF found_fence <= :token THEN
          UPDATE {instance} SET fence = :token, touched_at = {now} WHERE id = :instance;
        END IF;
      """;

  private static final String ENTRY =
      """
        IF found_fence <= :token AND found_state NOT IN {terminal} THEN
        BEGIN
          DECLARE EXIT HANDLER FOR 1062 SET found_sequence = NULL;
          INSERT INTO {entry}
            (instance, scope, step, attempt, sequence, token, action, outcome, result, captured,
             duration_ms, committed_at)
          VALUES (:instance, :scope, :step, :attempt, found_sequence, :token, :action, :outcome,
                  :result, :captured, :duration, {now});
      """;

  private static final String STAGED =
      """
          INSERT INTO {outbox} (instance, sequence, ordinal, type, partition_key, payload)
          SELECT :instance, found_sequence, v.ordinal, v.type, v.partition_key, UNHEX(v.payload)
          FROM JSON_TABLE(:events, '$[*]' COLUMNS (
            ordinal FOR ORDINALITY,
            type VARCHAR(255) PATH '$.type',
            partition_key VARCHAR(255) PATH '$.key',
            payload LONGTEXT PATH '$.payload')) AS v
          ORDER BY v.ordinal;
      """;

  private static final String MOVED =
      """
          UPDATE {instance}
          SET next_sequence = found_sequence + 1,
              fence = :token,
              state = COALESCE(:state, IF(found_state = 'PENDING', 'RUNNING', found_state)),
              snapshot = COALESCE(:snapshot, snapshot),
              hint = COALESCE(:hint, hint),
              touched_at = {now}
          WHERE id = :instance;
        END;
        END IF;
      """;

  private static final String COMPLETE =
      """
        IF found_fence <= :token AND found_state NOT IN {terminal} THEN
          UPDATE {instance}
          SET state = :state, fence = :token, snapshot = COALESCE(:snapshot, snapshot),
              touched_at = {now}
          WHERE id = :instance;
        END IF;
      """;

  MariaDbDialect(JournalTables tables) {
    // Not UNIX_TIMESTAMP(NOW(3)), which takes one hour for another when clocks are set back.
    super(tables, "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)");
  }

  @Override
  String folder() {
    return "mariadb";
  }

  @Override
  String write(Write write, int count) {
    String one =
        LOCKED
            + switch (write) {
              case FENCE -> FENCE;
              case APPEND -> ENTRY + MOVED;
              case APPEND_WITH_EVENTS -> ENTRY + STAGED + MOVED;
              case COMPLETE -> COMPLETE;
            }
            + ANSWER;
    return BEGIN + String.join("", Collections.nCopies(count, one)) + END;
  }

  /** A row that is there is an error here: MariaDB counts a row either way when told to ignore. */
  @Override
  String start() {
    return """
    INSERT INTO {instance}
      (id, flow, state, fence, next_sequence, input, parent_instance, parent_scope, parent_step,
       parent_attempt, created_at, touched_at)
    VALUES (:instance, :flow, 'PENDING', :token, 1, :input, :parent, :parentScope, :parentStep,
            :parentAttempt, {now}, {now})
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

  /** There are no partial indexes; a generated column is null for what is not to be found. */
  @Override
  String idleSince() {
    return "idle_since";
  }

  @Override
  String endedSince() {
    return "ended_since";
  }

  @Override
  void lockSchema(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("SELECT GET_LOCK(?, 60)")) {
      statement.setString(1, lockName());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next() || row.getInt(1) != 1) {
          throw new SQLException("another migration of " + tables() + " has not ended for 60 s");
        }
      }
    }
  }

  @Override
  void unlockSchema(Connection connection, boolean commit) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("DO RELEASE_LOCK(?)")) {
      statement.setString(1, lockName());
      statement.execute();
    }
  }

  private String lockName() {
    // At most 64 characters, and known to the whole server.
    return "lhj " + Integer.toHexString(tables().prefix().hashCode());
  }

  @Override
  Verdict verdict(SQLException error) {
    return switch (error.getErrorCode()) {
      case 1205, 1213, 1020 -> Verdict.AGAIN; // lock wait, deadlock, record changed since read
      case 1053, 1317, 1927 -> Verdict.UNKNOWN; // shutdown, interrupted, killed
      default ->
          error.getErrorCode() >= 1000 && error.getErrorCode() < 2000
              ? Verdict.NOT_APPLIED
              : Verdict.UNKNOWN;
    };
  }

  @Override
  boolean isDuplicateKey(SQLException error) {
    return error.getErrorCode() == 1062;
  }
}
