package io.leasehold.jdbc;

import io.leasehold.FencingToken;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;

/**
 * A record as a statement returned it. Every statement that returns records returns these columns
 * in this order.
 *
 * @param view the record at the statement's own instant
 * @param changed whether this very statement changed the record
 */
record LeaseRow(LeaseView view, boolean changed) {

  static LeaseRow read(ResultSet rows) throws SQLException {
    return new LeaseRow(
        LeaseView.of(
            new LeaseName(rows.getString(1)),
            rows.getString(3),
            rows.getString(4),
            new FencingToken(rows.getLong(2)),
            Instant.ofEpochMilli(rows.getLong(5)),
            Instant.ofEpochMilli(rows.getLong(6)),
            Instant.ofEpochMilli(rows.getLong(7)),
            rows.getBoolean(8),
            Instant.ofEpochMilli(rows.getLong(9))),
        rows.getBoolean(10));
  }

  boolean isOf(Lease lease) {
    return view.isOf(lease);
  }

  boolean isTaken() {
    return !view.remaining().isZero();
  }
}
