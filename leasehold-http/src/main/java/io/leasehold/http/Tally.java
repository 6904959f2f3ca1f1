package io.leasehold.http;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The running totals of one series. They only grow; an hour's figure is the difference of two
 * readings. So a request counted while an hour is being cut falls into this hour or the next, and
 * never into none.
 */
final class Tally {

  private final LongAdder requests = new LongAdder();
  private final LongAdder unconnected = new LongAdder();
  private final Map<Integer, LongAdder> answers = new ConcurrentHashMap<>();

  /** How many requests the hourly lines have told of; the ledger's, under its lock. */
  private long reported;

  void sent() {
    requests.increment();
  }

  void notConnected() {
    unconnected.increment();
  }

  /** Counts an answer; true if it is the first one with this status. */
  boolean answered(int status) {
    LongAdder known = answers.get(status);
    if (known != null) {
      known.increment();
      return false;
    }
    boolean[] first = {false};
    answers
        .computeIfAbsent(
            status,
            ignored -> {
              first[0] = true;
              return new LongAdder();
            })
        .increment();
    return first[0];
  }

  long requests() {
    return requests.sum();
  }

  long unconnected() {
    return unconnected.sum();
  }

  long answers(int status) {
    LongAdder adder = answers.get(status);
    return adder == null ? 0 : adder.sum();
  }

  Map<Integer, LongAdder> answers() {
    return answers;
  }

  /** What was counted since this was last asked. */
  long unreported() {
    long total = requests.sum();
    long fresh = total - reported;
    reported = total;
    return fresh;
  }
}
