package io.leasehold.tck;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.FencingToken;
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
import io.leasehold.tck.OpenDatabase.Row;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A right store whose every decision is a method that a wrong store overrides. It is written apart
 * from the memory store, so that it is a second opinion on the contract.
 */
class OpenStore implements LeaseStore {

  final OpenDatabase db;

  /** A right store has no use for it. */
  final InstantSource callersClock;

  OpenStore(OpenDatabase db, InstantSource callersClock) {
    this.db = db;
    this.callersClock = callersClock;
  }

  // Decisions. A wrong store overrides one.

  long now() {
    return db.now();
  }

  <T> T atomically(Supplier<T> step) {
    synchronized (db) {
      return step.get();
    }
  }

  /** Between what a call has read and what it writes because of it. */
  void betweenReadingAndWriting() {}

  String key(String name) {
    return name;
  }

  Optional<Row> find(String name) {
    return Optional.ofNullable(db.rows.get(key(name)));
  }

  void write(Row row) {
    db.rows.put(key(row.name()), row);
  }

  boolean taken(Row row, long now) {
    return row.expires() > now;
  }

  boolean live(Row row, long now) {
    return taken(row, now) && !row.released();
  }

  boolean sameAttempt(Row row, String attempt) {
    return row.attempt().equals(attempt);
  }

  boolean isFreeFor(AcquireRequest request, Row row, long now) {
    return !taken(row, now) && !sameAttempt(row, request.attempt());
  }

  boolean isGrantOf(AcquireRequest request, Row row, long now) {
    return live(row, now) && sameAttempt(row, request.attempt());
  }

  long firstToken(long now) {
    return Math.max(now * 1_000, db.highestDeleted.get() + 1);
  }

  long nextToken(Row old) {
    return old.token() + 1;
  }

  long ttlMillis(Duration ttl) {
    return ttl.toMillis();
  }

  AcquireRequest checked(LeaseName name, String owner, String attempt, Duration ttl) {
    return new AcquireRequest(name, owner, attempt, ttl);
  }

  Duration checkedTtl(Duration ttl) {
    return LeaseArguments.ttl(ttl);
  }

  boolean isOf(Row row, Lease lease) {
    return row.token() == lease.token().value() && sameAttempt(row, lease.attempt());
  }

  boolean mayRenew(Row row, Lease lease, long now) {
    return isOf(row, lease) && live(row, now);
  }

  Row afterRenewal(Row row, Duration ttl, long now) {
    return row.renewed(now, Math.max(row.expires(), now + ttlMillis(ttl)));
  }

  boolean mayRelease(Row row, Lease lease, long now) {
    return isOf(row, lease) && live(row, now);
  }

  Row afterRelease(Row row, Duration linger, long now) {
    return row.released(Math.max(now, row.granted() + linger.toMillis()));
  }

  ReleaseAnswer refusedRelease(Optional<Row> row, Lease lease, long now) {
    return row.isPresent() && taken(row.get(), now) && !isOf(row.get(), lease)
        ? ReleaseAnswer.LOST
        : ReleaseAnswer.ALREADY_ENDED;
  }

  boolean mayAbandon(Row row, String owner, String attempt, long now) {
    return sameAttempt(row, attempt) && live(row, now);
  }

  boolean isRead(Row row, long now) {
    return live(row, now);
  }

  boolean isListed(Row row, String prefix, long now) {
    return row.name().startsWith(prefix);
  }

  boolean isReclaimed(Row row, Duration endedFor, long now) {
    return row.expires() <= now - endedFor.toMillis();
  }

  long mostReclaimed() {
    return Long.MAX_VALUE;
  }

  Optional<LeaseView> currentForLost(Optional<Row> row, long now) {
    return row.map(each -> view(each, now));
  }

  LeaseView view(Row row, long now) {
    return LeaseView.of(
        LeaseName.of(row.name()),
        row.owner(),
        row.attempt(),
        new FencingToken(row.token()),
        Instant.ofEpochMilli(row.granted()),
        Instant.ofEpochMilli(row.renewed()),
        Instant.ofEpochMilli(row.expires()),
        row.released(),
        Instant.ofEpochMilli(now));
  }

  void signalRelease(Row row) {
    signal(row.name());
  }

  void signalAbandon(Row row) {
    signal(row.name());
  }

  final void signal(String name) {
    db.subscribers(key(name)).forEach(each -> each.onRelease().run());
  }

  // The calls.

  private <T> T reaching(Supplier<T> step) {
    reach();
    return atomically(step);
  }

  /** What comes before everything that needs the database. */
  final void reach() {
    if (!db.reachable) {
      throw new LeaseStoreException(outcomeUnreachable(), "the open database is not there");
    }
  }

  LeaseStoreException.Outcome outcomeUnreachable() {
    return LeaseStoreException.Outcome.NOT_APPLIED;
  }

  @Override
  public AcquireAnswer acquire(LeaseName name, String owner, String attempt, Duration ttl) {
    AcquireRequest request = checked(name, owner, attempt, ttl);
    return reaching(() -> decideAcquire(request, now()));
  }

  AcquireAnswer decideAcquire(AcquireRequest request, long now) {
    Optional<Row> old = find(request.name().value());
    if (old.isPresent() && isGrantOf(request, old.get(), now)) {
      return new AcquireAnswer.Granted(view(old.get(), now).asLease());
    }
    if (old.isPresent() && !isFreeFor(request, old.get(), now)) {
      return new AcquireAnswer.Held(view(old.get(), now));
    }
    betweenReadingAndWriting();
    long token = old.map(this::nextToken).orElseGet(() -> firstToken(now));
    Row row = granted(request, token, now);
    write(row);
    return new AcquireAnswer.Granted(view(row, now).asLease());
  }

  Row granted(AcquireRequest request, long token, long now) {
    return new Row(
        request.name().value(),
        request.owner(),
        request.attempt(),
        token,
        now,
        now,
        now + ttlMillis(request.ttl()),
        false);
  }

  @Override
  public RenewAnswer renew(Lease lease, Duration ttl) {
    Duration checked = checkedTtl(ttl);
    return reaching(() -> decideRenew(lease, checked, now()));
  }

  RenewAnswer decideRenew(Lease lease, Duration ttl, long now) {
    Optional<Row> row = find(lease.name().value());
    if (row.isEmpty() || !mayRenew(row.get(), lease, now)) {
      return new RenewAnswer.Lost(currentForLost(row, now));
    }
    betweenReadingAndWriting();
    Row renewed = afterRenewal(row.get(), ttl, now);
    write(renewed);
    return new RenewAnswer.Renewed(view(renewed, now).asLease());
  }

  @Override
  public ReleaseAnswer release(Lease lease, Duration linger) {
    Duration checked = LeaseArguments.linger(linger);
    return reaching(() -> decideRelease(lease, checked, now()));
  }

  ReleaseAnswer decideRelease(Lease lease, Duration linger, long now) {
    Optional<Row> row = find(lease.name().value());
    if (row.isEmpty() || !mayRelease(row.get(), lease, now)) {
      return refusedRelease(row, lease, now);
    }
    Row released = afterRelease(row.get(), linger, now);
    write(released);
    if (!taken(released, now)) {
      signalRelease(released);
    }
    return ReleaseAnswer.RELEASED;
  }

  @Override
  public void abandon(LeaseName name, String owner, String attempt) {
    LeaseArguments.owner(owner);
    LeaseArguments.attempt(attempt);
    reaching(
        () -> {
          long now = now();
          Optional<Row> row = find(name.value());
          if (row.isPresent() && mayAbandon(row.get(), owner, attempt, now)) {
            write(row.get().released(now));
            signalAbandon(row.get());
          }
          return row;
        });
  }

  @Override
  public Optional<LeaseView> read(LeaseName name) {
    return reaching(
        () -> {
          long now = now();
          return find(name.value()).filter(row -> isRead(row, now)).map(row -> view(row, now));
        });
  }

  @Override
  public LeasePage inspect(String prefix, Page page) {
    LeaseArguments.prefix(prefix);
    return reaching(() -> list(prefix, page, now()));
  }

  LeasePage list(String prefix, Page page, long now) {
    List<LeaseView> found = new ArrayList<>();
    String last = page.cursor().orElse("");
    for (Row row : db.rows.tailMap(last, false).values()) {
      if (isListed(row, prefix, now)) {
        if (found.size() == page.size()) {
          return new LeasePage(found, Optional.of(last));
        }
        found.add(view(row, now));
        last = key(row.name());
      }
    }
    return new LeasePage(found, Optional.empty());
  }

  @Override
  public long reclaim(Duration endedFor) {
    Duration checked = LeaseArguments.endedFor(endedFor);
    return reaching(
        () -> {
          long now = now();
          List<Row> ended =
              db.rows.values().stream()
                  .filter(row -> isReclaimed(row, checked, now))
                  .limit(mostReclaimed())
                  .toList();
          for (Row row : ended) {
            db.highestDeleted.accumulateAndGet(row.token(), Math::max);
            db.rows.remove(key(row.name()));
          }
          return (long) ended.size();
        });
  }

  /** A subscription: two of one runnable are two. */
  static final class Ear implements Subscription {
    private final List<Ear> all;
    private final Runnable onRelease;

    Ear(List<Ear> all, Runnable onRelease) {
      this.all = all;
      this.onRelease = onRelease;
    }

    Runnable onRelease() {
      return onRelease;
    }

    @Override
    public void close() {
      all.remove(this);
    }
  }

  @Override
  public Subscription subscribe(LeaseName name, Runnable onRelease) {
    List<Ear> all = db.subscribers(key(name.value()));
    Ear ear = new Ear(all, onRelease);
    all.add(ear);
    return ear;
  }

  @Override
  public void close() {}
}
