package io.leasehold.campaign;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The attempts that a campaign gives back, and those that it gave back of late. */
final class GiveBacks {

  private static final int REMEMBERED = 16;

  /** An abandon under way; {@code thenTry} if its answer should bring the next attempt forward. */
  private record Pending(long until, boolean thenTry) {}

  private final Map<Long, Pending> pending = new LinkedHashMap<>();

  /** The store may still run an attempt that was given back, and then show us as the holder. */
  private final ArrayDeque<String> recent = new ArrayDeque<>();

  void begin(long call, String attempt, long until, boolean thenTry) {
    pending.put(call, new Pending(until, thenTry));
    if (recent.size() == REMEMBERED) {
      recent.removeFirst();
    }
    recent.addLast(attempt);
  }

  /** Takes the answer to an abandon. Says whether it should bring the next attempt forward. */
  boolean answered(long call) {
    Pending done = pending.remove(call);
    return done != null && done.thenTry();
  }

  /**
   * Takes word that an abandon will not be answered: what it should give back runs out by its TTL.
   */
  void unanswered(long call) {
    pending.remove(call);
  }

  /** Gives up the calls that are due, and says which. */
  List<Long> giveUp(Moment now) {
    List<Long> overdue = new ArrayList<>();
    pending.forEach(
        (call, each) -> {
          if (now.nanos() - each.until() >= 0) {
            overdue.add(call);
          }
        });
    pending.keySet().removeAll(overdue);
    return overdue;
  }

  boolean isOurs(String attempt) {
    return recent.contains(attempt);
  }

  boolean isEmpty() {
    return pending.isEmpty();
  }

  /** How long until the first one is to be given up; the greatest number if there is none. */
  long nextIn(Moment now) {
    return pending.values().stream()
        .mapToLong(each -> each.until() - now.nanos())
        .min()
        .orElse(Long.MAX_VALUE);
  }
}
