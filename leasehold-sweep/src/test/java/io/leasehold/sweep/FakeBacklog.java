package io.leasehold.sweep;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/** A backlog in memory that does as the contract says, and can be told to fail. */
final class FakeBacklog implements Backlog<FakeBacklog.Row> {

  record Row(Instant at, String id) {}

  record Query(Instant since, Position before, int limit) {}

  private final TreeSet<Row> rows =
      new TreeSet<>(Comparator.comparing(Row::at).thenComparing(Row::id).reversed());
  final List<Query> queries = new ArrayList<>();
  int failingFrom = Integer.MAX_VALUE;
  int failingUntil = Integer.MAX_VALUE;
  boolean ignoresThePosition;

  Row add(Instant at, String id) {
    Row row = new Row(at, id);
    rows.add(row);
    return row;
  }

  void remove(Row row) {
    rows.remove(row);
  }

  /** The n-th query from now, and every one after it, fails. */
  void failFrom(int n) {
    failingFrom = queries.size() + n;
    failingUntil = Integer.MAX_VALUE;
  }

  void failOnly(int n) {
    failFrom(n);
    failingUntil = failingFrom + 1;
  }

  void recover() {
    failingFrom = Integer.MAX_VALUE;
  }

  @Override
  public List<Row> page(Instant since, Position before, int limit) throws IOException {
    queries.add(new Query(since, before, limit));
    int query = queries.size() - 1;
    if (query >= failingFrom && query < failingUntil) {
      throw new IOException("the database is away");
    }
    return rows.stream()
        .filter(row -> !row.at().isBefore(since))
        .filter(row -> ignoresThePosition || isBefore(row, before))
        .limit(limit)
        .toList();
  }

  @Override
  public Position position(Row row) {
    return new Position(row.at(), row.id());
  }

  private static boolean isBefore(Row row, Position before) {
    int order = row.at().compareTo(before.instant());
    return order < 0 || (order == 0 && row.id().compareTo(before.id()) < 0);
  }
}
