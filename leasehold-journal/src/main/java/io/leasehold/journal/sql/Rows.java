package io.leasehold.journal.sql;

import io.leasehold.FencingToken;
import io.leasehold.journal.AbandonedInstance;
import io.leasehold.journal.Event;
import io.leasehold.journal.Instance;
import io.leasehold.journal.InstanceId;
import io.leasehold.journal.InstanceState;
import io.leasehold.journal.Payload;
import io.leasehold.journal.PendingEvent;
import io.leasehold.journal.RecordedEntry;
import io.leasehold.journal.Scope;
import io.leasehold.journal.StepKey;
import io.leasehold.journal.StepOutcome;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What the rows of the journal's tables mean. */
final class Rows {

  /** The columns of an instance, in the order in which {@link #instance} reads them. */
  static final String INSTANCE =
      """
      i.id, i.flow, i.state, i.fence, i.next_sequence, i.hint, i.parent_instance, i.parent_scope,
      i.parent_step, i.parent_attempt, i.created_at, i.touched_at\
      """;

  /** The columns of an entry after the instance's fourteen, for {@link #entry}. */
  static final String ENTRY =
      """
      e.scope, e.step, e.attempt, e.sequence, e.token, e.action, e.outcome, e.result, e.captured,
      e.duration_ms, e.committed_at\
      """;

  private Rows() {}

  /** An instance, from its twelve columns, its input and its snapshot. */
  static Instance instance(ResultSet row) throws SQLException {
    int hint = row.getInt(6);
    Optional<Integer> hinted = row.wasNull() ? Optional.empty() : Optional.of(hint);
    String parent = row.getString(7);
    Optional<StepKey> startedBy =
        parent == null
            ? Optional.empty()
            : Optional.of(
                new StepKey(
                    new InstanceId(parent),
                    Scope.parse(row.getString(8)),
                    row.getInt(9),
                    row.getInt(10)));
    return new Instance(
        new InstanceId(row.getString(1)),
        row.getString(2),
        InstanceState.valueOf(row.getString(3)),
        new FencingToken(row.getLong(4)),
        row.getLong(5) - 1,
        payload(row, 13),
        payload(row, 14),
        hinted,
        startedBy,
        Instant.ofEpochMilli(row.getLong(11)),
        Instant.ofEpochMilli(row.getLong(12)));
  }

  /** An entry, from the columns after those of the instance; empty in an outer join. */
  static Optional<RecordedEntry> entry(ResultSet row) throws SQLException {
    String scope = row.getString(15);
    if (scope == null) {
      return Optional.empty();
    }
    return Optional.of(
        new RecordedEntry(
            new StepKey(
                new InstanceId(row.getString(1)),
                Scope.parse(scope),
                row.getInt(16),
                row.getInt(17)),
            row.getLong(18),
            new FencingToken(row.getLong(19)),
            row.getString(20),
            StepOutcome.valueOf(row.getString(21)),
            payload(row, 22),
            payload(row, 23),
            Duration.ofMillis(row.getLong(24)),
            Instant.ofEpochMilli(row.getLong(25))));
  }

  static AbandonedInstance abandoned(ResultSet row) throws SQLException {
    return new AbandonedInstance(
        new InstanceId(row.getString(1)),
        row.getString(2),
        InstanceState.valueOf(row.getString(3)),
        new FencingToken(row.getLong(4)),
        Instant.ofEpochMilli(row.getLong(5)));
  }

  static PendingEvent event(ResultSet row) throws SQLException {
    return new PendingEvent(
        row.getLong(1),
        new InstanceId(row.getString(2)),
        row.getLong(3),
        row.getInt(4),
        new Event(row.getString(5), row.getString(6), Payload.of(row.getBytes(7))));
  }

  private static Optional<Payload> payload(ResultSet row, int column) throws SQLException {
    byte[] bytes = row.getBytes(column);
    return bytes == null ? Optional.empty() : Optional.of(Payload.of(bytes));
  }
}
