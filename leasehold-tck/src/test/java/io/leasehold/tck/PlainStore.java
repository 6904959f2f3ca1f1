package io.leasehold.tck;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseArguments;
import io.leasehold.LeaseName;
import io.leasehold.LeasePage;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import io.leasehold.tck.PlainDatabase.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A store that keeps every rule, written as a row of small decisions. Each wrong store overrides
 * one of them, as an author would get it wrong.
 */
class PlainStore implements LeaseStore {

  final PlainDatabase database;

  PlainStore(PlainDatabase database) {
    this.database = database;
  }

  // ---- the decisions

  /** Milliseconds since the epoch, by which everything is decided. */
  long now() {
    return database.instant().toEpochMilli();
  }

  String key(LeaseName name) {
    return name.value();
  }

  void check(String owner, String attempt, Duration ttl, LeaseName name) {
    new AcquireRequest(name, owner, attempt, ttl);
  }

  void checkTtl(Duration ttl) {
    LeaseArguments.ttl(ttl);
  }

  void checkLinger(Duration linger) {
    LeaseArguments.linger(linger);
  }

  boolean taken(Row row, long now) {
    return row.expires() > now;
  }

  boolean live(Row row, long now) {
    return taken(row, now) && !row.released();
  }

  /** Whether a request is the one that took the row's grant, sent again. */
  boolean same(Row row, AcquireRequest request) {
    return row.attempt().equals(request.attempt());
  }

  /** Whether an attempt that once had its grant is refused a second one. */
  boolean spent(Row row, AcquireRequest request) {
    return row.attempt().equals(request.attempt());
  }

  long firstToken(LeaseName name, long now) {
    return Math.max(now * 1000, database.highestDeleted + 1);
  }

  long nextToken(Row ended) {
    return ended.token() + 1;
  }

  long expiryOfGrant(long now, Duration ttl) {
    return now + ttl.toMillis();
  }

  boolean mayRenew(Row row, Lease lease, long now) {
    return isOf(row, lease) && live(row, now);
  }

  boolean isOf(Row row, Lease lease) {
    return row.token() == lease.token().value() && row.attempt().equals(lease.attempt());
  }

  Row renewed(Row row, long now, Duration ttl) {
    return row.renewed(now, Math.max(row.expires(), now + ttl.toMillis()));
  }

  Optional<LeaseView> lostTo(@Nullable Row row, long now) {
    return row == null ? Optional.empty() : Optional.of(row.view(now));
  }

  boolean mayRelease(Row row, Lease lease, long now) {
    return isOf(row, lease) && live(row, now);
  }

  ReleaseAnswer notReleased(Row row, Lease lease, long now) {
    return !isOf(row, lease) && taken(row, now) ? ReleaseAnswer.LOST : ReleaseAnswer.ALREADY_ENDED;
  }

  Optional<Row> released(Row row, long now, Duration linger) {
    return Optional.of(row.released(Math.max(now, row.granted() + linger.toMillis())));
  }

  boolean mayAbandon(Row row, String owner, String attempt, long now) {
    return row.attempt().equals(attempt) && live(row, now);
  }

  boolean readable(Row row, long now) {
    return live(row, now);
  }

  boolean listed(Row row, String prefix, long now) {
    return row.name().value().startsWith(prefix);
  }

  boolean reclaimable(Row row, long now, Duration endedFor) {
    return row.expires() <= now - endedFor.toMillis();
  }

  void reclaimed(Row row) {
    database.highestDeleted = Math.max(database.highestDeleted, row.token());
  }

  void signal(LeaseName name) {
    database.signal(name);
  }

  // ---- the calls

  @Override
  public AcquireAnswer acquire(LeaseName name, String owner, String attempt, Duration ttl) {
    check(owner, attempt, ttl, name);
    reach();
    synchronized (database) {
      long now = now();
      Row row = database.rows.get(key(name));
      if (row != null) {
        AcquireRequest request =
            new AcquireRequest(name, owner.isBlank() ? "blank" : owner, attempt, ttl);
        if (same(row, request) && live(row, now)) {
          return new AcquireAnswer.Granted(row.view(now).asLease());
        }
        if (taken(row, now) || spent(row, request)) {
          return new AcquireAnswer.Held(row.view(now));
        }
      }
      long token = row == null ? firstToken(name, now) : nextToken(row);
      Row grant = new Row(name, owner, attempt, token, now, now, expiryOfGrant(now, ttl), false);
      database.rows.put(key(name), grant);
      return new AcquireAnswer.Granted(grant.view(now).asLease());
    }
  }

  @Override
  public RenewAnswer renew(Lease lease, Duration ttl) {
    checkTtl(ttl);
    reach();
    synchronized (database) {
      long now = now();
      Row row = database.rows.get(key(lease.name()));
      if (row == null || !mayRenew(row, lease, now)) {
        return new RenewAnswer.Lost(lostTo(row, now));
      }
      Row renewed = renewed(row, now, ttl);
      database.rows.put(key(lease.name()), renewed);
      return new RenewAnswer.Renewed(renewed.view(now).asLease());
    }
  }

  @Override
  public ReleaseAnswer release(Lease lease, Duration linger) {
    checkLinger(linger);
    reach();
    synchronized (database) {
      long now = now();
      Row row = database.rows.get(key(lease.name()));
      if (row == null) {
        return ReleaseAnswer.ALREADY_ENDED;
      }
      if (!mayRelease(row, lease, now)) {
        return notReleased(row, lease, now);
      }
      end(row, released(row, now, linger), now);
      return ReleaseAnswer.RELEASED;
    }
  }

  @Override
  public void abandon(LeaseName name, String owner, String attempt) {
    LeaseArguments.owner(owner);
    LeaseArguments.attempt(attempt);
    reach();
    synchronized (database) {
      long now = now();
      Row row = database.rows.get(key(name));
      if (row != null && mayAbandon(row, owner, attempt, now)) {
        end(row, released(row, now, Duration.ZERO), now);
      }
    }
  }

  private void end(Row row, Optional<Row> ended, long now) {
    if (ended.isPresent()) {
      database.rows.put(key(row.name()), ended.get());
    } else {
      database.rows.remove(key(row.name()));
    }
    if (ended.isEmpty() || !taken(ended.get(), now)) {
      signal(row.name());
    }
  }

  @Override
  public Optional<LeaseView> read(LeaseName name) {
    reach();
    synchronized (database) {
      long now = now();
      Row row = database.rows.get(key(name));
      return row != null && readable(row, now) ? Optional.of(row.view(now)) : Optional.empty();
    }
  }

  @Override
  public LeasePage inspect(String prefix, Page page) {
    LeaseArguments.prefix(prefix);
    reach();
    synchronized (database) {
      long now = now();
      List<LeaseView> found = new ArrayList<>();
      String last = "";
      for (var entry : database.rows.tailMap(page.cursor().orElse(""), false).entrySet()) {
        if (found.size() == page.size()) {
          return new LeasePage(found, Optional.of(last));
        }
        last = entry.getKey();
        if (listed(entry.getValue(), prefix, now)) {
          found.add(entry.getValue().view(now));
        }
      }
      return new LeasePage(found, Optional.empty());
    }
  }

  @Override
  public long reclaim(Duration endedFor) {
    LeaseArguments.endedFor(endedFor);
    reach();
    synchronized (database) {
      long now = now();
      long before = database.rows.size();
      database
          .rows
          .values()
          .removeIf(
              row -> {
                boolean ended = reclaimable(row, now, endedFor);
                if (ended) {
                  reclaimed(row);
                }
                return ended;
              });
      return before - database.rows.size();
    }
  }

  @Override
  public Subscription subscribe(LeaseName name, Runnable onRelease) {
    // An object of its own, so that one runnable that is subscribed twice is two subscriptions.
    Runnable own =
        new Runnable() {
          @Override
          public void run() {
            onRelease.run();
          }
        };
    database.subscribe(name, own);
    return () -> database.unsubscribe(name, own);
  }

  /** Fails as a driver does that finds nobody at the other end. */
  void reach() {
    if (database.away) {
      throw new LeaseStoreException(
          LeaseStoreException.Outcome.NOT_APPLIED, "the plain database is away");
    }
  }

  @Override
  public void close() {}
}
