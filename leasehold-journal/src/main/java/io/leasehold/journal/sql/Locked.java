package io.leasehold.journal.sql;

import io.leasehold.FencingToken;
import io.leasehold.journal.InstanceState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An instance as a write found it, under the lock of its row. Every dialect answers a write with
 * this row, so that one piece of code decides what the answer is.
 *
 * @param fence the fence before the write
 * @param state the state before the write
 * @param sequence the sequence of the entry; empty when its key was there already
 */
record Locked(FencingToken fence, InstanceState state, OptionalLong sequence) {

  /** The row; empty when there is no such instance. */
  static Optional<Locked> read(ResultSet row) throws SQLException {
    if (!row.next()) {
      return Optional.empty();
    }
    long fence = row.getLong(1);
    if (row.wasNull()) {
      return Optional.empty();
    }
    InstanceState state = InstanceState.valueOf(row.getString(2));
    long sequence = row.getLong(3);
    return Optional.of(
        new Locked(
            new FencingToken(fence),
            state,
            row.wasNull() ? OptionalLong.empty() : OptionalLong.of(sequence)));
  }
}
