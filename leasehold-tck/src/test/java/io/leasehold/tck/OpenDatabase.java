package io.leasehold.tck;

import java.time.Duration;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** What {@link OpenStore} objects share: the records, the clock, the subscribers. */
final class OpenDatabase {

  /** A record. Instants are milliseconds since the epoch. */
  record Row(
      String name,
      String owner,
      String attempt,
      long token,
      long granted,
      long renewed,
      long expires,
      boolean released) {

    Row renewed(long now, long until) {
      return new Row(name, owner, attempt, token, granted, now, until, false);
    }

    Row released(long until) {
      return new Row(name, owner, attempt, token, granted, renewed, until, true);
    }

    Row expiring(long until) {
      return new Row(name, owner, attempt, token, granted, renewed, until, released);
    }

    Row withToken(long other) {
      return new Row(name, owner, attempt, other, granted, renewed, expires, released);
    }
  }

  final NavigableMap<String, Row> rows = new ConcurrentSkipListMap<>();
  final ConcurrentMap<String, List<OpenStore.Ear>> subscriptions = new ConcurrentHashMap<>();
  final AtomicLong highestDeleted = new AtomicLong();
  final boolean reachable;

  final boolean running;

  /** Where a clock stands that does not run: it starts at the time of day, as a server's would. */
  private final AtomicLong standing = new AtomicLong(System.currentTimeMillis());

  OpenDatabase(boolean reachable, boolean running) {
    this.reachable = reachable;
    this.running = running;
  }

  long now() {
    return running ? System.currentTimeMillis() : standing.get();
  }

  void move(Duration time) {
    standing.addAndGet(time.toMillis());
  }

  List<OpenStore.Ear> subscribers(String key) {
    return subscriptions.computeIfAbsent(key, unused -> new CopyOnWriteArrayList<>());
  }
}
