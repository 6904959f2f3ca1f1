package io.leasehold.sweep;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Which open items are about to leave the horizon, each reported once.
 *
 * <p>How long it takes until an item is visited again is known only when the traversal is over, so
 * items that were outside the band when they were visited are kept until then, and reported if the
 * band has widened over them meanwhile. Reported items are remembered for as long as traversals
 * still meet them. Both memories are bounded.
 */
final class LastChances<T> {

  private static final int MAX_WAITING = 10_000;

  private final Consumer<T> report;
  private final Map<String, Long> lastMet = new HashMap<>();
  private final TreeMap<Position, T> waiting =
      new TreeMap<>(Comparator.comparing(Position::instant).thenComparing(Position::id));
  private long traversal;

  LastChances(Consumer<T> report) {
    this.report = report;
  }

  /** An item was visited and is open; every item older than the instant is about to leave. */
  void open(Position position, T item, Instant leavingBefore) {
    if (position.instant().isBefore(leavingBefore)) {
      reportOnce(position.id(), item);
      return;
    }
    waiting.put(position, item);
    if (waiting.size() > MAX_WAITING) {
      waiting.pollLastEntry();
    }
  }

  void settled(Position position) {
    waiting.remove(position);
  }

  /** The band has widened, or time has passed. */
  void widened(Instant leavingBefore) {
    Iterator<Map.Entry<Position, T>> oldest =
        waiting.headMap(Position.before(leavingBefore)).entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<Position, T> entry = oldest.next();
      oldest.remove();
      reportOnce(entry.getKey().id(), entry.getValue());
    }
  }

  /** A traversal is over, or given up: what was not reported will be visited again in time. */
  void traversed() {
    waiting.clear();
    traversal++;
    lastMet.values().removeIf(met -> met < traversal - 2);
  }

  private void reportOnce(String id, T item) {
    if (lastMet.put(id, traversal) == null) {
      report.accept(item);
    }
  }
}
