package io.leasehold.memory;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.FencingToken;
import io.leasehold.Lease;
import io.leasehold.LeaseArguments;
import io.leasehold.LeaseName;
import io.leasehold.LeasePage;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A store in this process's memory, on a caller's clock. It elects among the threads of one process
 * only: replicas that each have a memory store each elect themselves.
 *
 * <p>Every call on one name is one atomic step of a concurrent map, so calls take constant time
 * whatever the number of names; only {@link #inspect} and {@link #reclaim} look at all of them.
 *
 * <pre>{@code
 * LeaseStore store = new MemoryLeaseStore(InstantSource.system());
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class MemoryLeaseStore implements LeaseStore {

  /** A record: what every store keeps of a name. Instants are milliseconds since the epoch. */
  private record Entry(
      String owner,
      String attempt,
      long token,
      long granted,
      long renewed,
      long expires,
      boolean released) {

    boolean taken(long now) {
      return expires > now;
    }

    boolean live(long now) {
      return taken(now) && !released;
    }

    boolean isOf(Lease lease) {
      return token == lease.token().value() && attempt.equals(lease.attempt());
    }

    Entry renewedUntil(long now, long until) {
      return new Entry(owner, attempt, token, granted, now, Math.max(expires, until), false);
    }

    Entry releasedUntil(long until) {
      return new Entry(owner, attempt, token, granted, renewed, until, true);
    }

    LeaseView view(LeaseName name, long now) {
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

  /** One subscription: the same runnable subscribed twice is two of them, so never a record. */
  private static final class Waiter {
    private final Runnable onRelease;

    Waiter(Runnable onRelease) {
      this.onRelease = onRelease;
    }
  }

  private final InstantSource clock;
  private final ConcurrentHashMap<LeaseName, Entry> entries = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<LeaseName, List<Waiter>> waiting = new ConcurrentHashMap<>();

  /**
   * The highest token that was ever deleted. A clock of the caller's may stand still or go back, so
   * the clock alone does not keep a new record above a deleted one here.
   */
  private final AtomicLong highestDeleted = new AtomicLong();

  /**
   * An empty store.
   *
   * @param clock decides expiry, read to the millisecond
   */
  public MemoryLeaseStore(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public AcquireAnswer acquire(LeaseName name, String owner, String attempt, Duration ttl) {
    AcquireRequest request = new AcquireRequest(name, owner, attempt, ttl);
    Instant instant = clock.instant();
    long now = instant.toEpochMilli();
    Entry entry =
        entries.compute(
            name,
            (key, old) -> {
              if (old != null && (old.taken(now) || old.attempt().equals(attempt))) {
                return old;
              }
              long token = old == null ? firstToken(instant) : old.token() + 1;
              long expires = now + request.ttl().toMillis();
              return new Entry(owner, attempt, token, now, now, expires, false);
            });
    LeaseView view = entry.view(name, now);
    return entry.live(now) && entry.attempt().equals(attempt)
        ? new AcquireAnswer.Granted(view.asLease())
        : new AcquireAnswer.Held(view);
  }

  @Override
  public RenewAnswer renew(Lease lease, Duration ttl) {
    Duration checked = LeaseArguments.ttl(ttl);
    long now = clock.millis();
    Entry entry =
        entries.computeIfPresent(
            lease.name(),
            (key, old) ->
                old.isOf(lease) && old.live(now)
                    ? old.renewedUntil(now, now + checked.toMillis())
                    : old);
    if (entry == null) {
      return new RenewAnswer.Lost(Optional.empty());
    }
    LeaseView view = entry.view(lease.name(), now);
    return view.isOf(lease) && view.isLive()
        ? new RenewAnswer.Renewed(view.asLease())
        : new RenewAnswer.Lost(Optional.of(view));
  }

  @Override
  public ReleaseAnswer release(Lease lease, Duration linger) {
    long lingerMillis = LeaseArguments.linger(linger).toMillis();
    long now = clock.millis();
    ReleaseAnswer[] answer = {ReleaseAnswer.ALREADY_ENDED};
    Entry entry =
        entries.computeIfPresent(
            lease.name(),
            (key, old) -> {
              if (!old.isOf(lease)) {
                answer[0] = old.taken(now) ? ReleaseAnswer.LOST : ReleaseAnswer.ALREADY_ENDED;
                return old;
              }
              if (!old.live(now)) {
                return old;
              }
              answer[0] = ReleaseAnswer.RELEASED;
              // Without a linger it is free now, though the clock may have gone back behind the
              // grant.
              long until = lingerMillis == 0 ? now : Math.max(now, old.granted() + lingerMillis);
              return old.releasedUntil(until);
            });
    if (answer[0] == ReleaseAnswer.RELEASED && entry != null && !entry.taken(now)) {
      signal(lease.name());
    }
    return answer[0];
  }

  @Override
  public void abandon(LeaseName name, String owner, String attempt) {
    LeaseArguments.owner(owner);
    LeaseArguments.attempt(attempt);
    long now = clock.millis();
    boolean[] freed = {false};
    entries.computeIfPresent(
        name,
        (key, old) -> {
          if (!old.attempt().equals(attempt) || !old.live(now)) {
            return old;
          }
          freed[0] = true;
          return old.releasedUntil(now);
        });
    if (freed[0]) {
      signal(name);
    }
  }

  @Override
  public Optional<LeaseView> read(LeaseName name) {
    long now = clock.millis();
    Entry entry = entries.get(name);
    return entry != null && entry.live(now) ? Optional.of(entry.view(name, now)) : Optional.empty();
  }

  @Override
  public LeasePage inspect(String prefix, Page page) {
    LeaseArguments.prefix(prefix);
    long now = clock.millis();
    // The smallest names beyond the cursor, the largest of them on top.
    PriorityQueue<LeaseView> smallest =
        new PriorityQueue<>(Comparator.comparing(LeaseView::name, Collections.reverseOrder()));
    for (Map.Entry<LeaseName, Entry> each : entries.entrySet()) {
      String name = each.getKey().value();
      boolean beyond = page.cursor().isEmpty() || name.compareTo(page.cursor().get()) > 0;
      if (beyond && name.startsWith(prefix)) {
        smallest.add(each.getValue().view(each.getKey(), now));
        if (smallest.size() > page.size() + 1) {
          smallest.remove();
        }
      }
    }
    boolean more = smallest.size() > page.size();
    if (more) {
      smallest.remove();
    }
    List<LeaseView> found =
        smallest.stream().sorted(Comparator.comparing(LeaseView::name)).toList();
    return new LeasePage(
        found, more ? Optional.of(found.get(found.size() - 1).name().value()) : Optional.empty());
  }

  @Override
  public long reclaim(Duration endedFor) {
    long before = clock.millis() - LeaseArguments.endedFor(endedFor).toMillis();
    long[] deleted = {0};
    for (LeaseName name : entries.keySet()) {
      entries.computeIfPresent(
          name,
          (key, old) -> {
            if (old.expires() > before) {
              return old;
            }
            highestDeleted.accumulateAndGet(old.token(), Math::max);
            deleted[0]++;
            return null;
          });
    }
    return deleted[0];
  }

  @Override
  public Subscription subscribe(LeaseName name, Runnable onRelease) {
    Waiter waiter = new Waiter(onRelease);
    waiting.compute(
        name,
        (key, waiters) -> {
          List<Waiter> all = waiters == null ? new CopyOnWriteArrayList<>() : waiters;
          all.add(waiter);
          return all;
        });
    return () ->
        waiting.computeIfPresent(
            name,
            (key, waiters) -> {
              waiters.remove(waiter);
              return waiters.isEmpty() ? null : waiters;
            });
  }

  /** Does nothing: there is nothing to free. */
  @Override
  public void close() {}

  private long firstToken(Instant now) {
    long micros = Math.multiplyExact(now.getEpochSecond(), 1_000_000L) + now.getNano() / 1_000;
    return Math.max(Math.max(1, micros), highestDeleted.get() + 1);
  }

  private void signal(LeaseName name) {
    List<Waiter> waiters = waiting.get(name);
    if (waiters != null) {
      waiters.forEach(waiter -> waiter.onRelease.run());
    }
  }
}
