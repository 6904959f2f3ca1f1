package io.leasehold.tck;

import io.leasehold.FencingToken;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** What the plain stores of one test share: rows by key, and a clock. */
final class PlainDatabase implements InstantSource {

  /** A record. Instants are milliseconds since the epoch. */
  record Row(
      LeaseName name,
      String owner,
      String attempt,
      long token,
      long granted,
      long renewed,
      long expires,
      boolean released) {

    Row withToken(long other) {
      return new Row(name, owner, attempt, other, granted, renewed, expires, released);
    }

    Row renewed(long at, long until) {
      return new Row(name, owner, attempt, token, granted, at, until, false);
    }

    Row released(long until) {
      return new Row(name, owner, attempt, token, granted, renewed, until, true);
    }

    LeaseView view(long now) {
      return LeaseView.of(
          name,
          owner,
          attempt,
          new FencingToken(token),
          Instant.ofEpochMilli(granted),
          Instant.ofEpochMilli(renewed),
          Instant.ofEpochMilli(expires),
          released,
          Instant.ofEpochMilli(now));
    }
  }

  /** Some wrong stores touch it without the lock; that must not break the map itself. */
  final ConcurrentNavigableMap<String, Row> rows = new ConcurrentSkipListMap<>();

  final Map<String, List<Runnable>> subscribers = new HashMap<>();
  long highestDeleted;
  boolean away;
  private final boolean running;
  private Instant now = Instant.parse("2026-03-29T00:59:59Z");

  /** A database whose clock stands still until it is moved, or runs as the system's does. */
  PlainDatabase(boolean running) {
    this.running = running;
  }

  @Override
  public synchronized Instant instant() {
    return running ? InstantSource.system().instant() : now;
  }

  synchronized void advance(Duration time) {
    now = now.plus(time);
  }

  synchronized void subscribe(LeaseName name, Runnable subscriber) {
    subscribers.computeIfAbsent(name.value(), key -> new CopyOnWriteArrayList<>()).add(subscriber);
  }

  synchronized void unsubscribe(LeaseName name, Runnable subscriber) {
    subscribers.getOrDefault(name.value(), List.of()).remove(subscriber);
  }

  synchronized void signal(LeaseName name) {
    subscribers.getOrDefault(name.value(), List.of()).forEach(Runnable::run);
  }
}
