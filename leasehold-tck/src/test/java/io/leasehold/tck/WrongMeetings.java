package io.leasehold.tck;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseArguments;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import io.leasehold.RenewAnswer;
import io.leasehold.tck.PlainDatabase.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Stores that are wrong when calls meet, about what was shown before, and about subscriptions. */
final class WrongMeetings {

  private WrongMeetings() {}

  static List<WrongStore> all() {
    return List.of(
        new WrongStore(
            "a renewal reads, then writes back what it has read",
            "L69",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  public RenewAnswer renew(Lease lease, Duration ttl) {
                    Row renewed;
                    synchronized (db) {
                      long now = now();
                      Row row = db.rows.get(key(lease.name()));
                      if (row == null || !mayRenew(row, lease, now)) {
                        return super.renew(lease, ttl);
                      }
                      checkTtl(ttl);
                      renewed = renewed(row, now, ttl);
                    }
                    Races.window();
                    synchronized (db) {
                      db.rows.put(key(lease.name()), renewed);
                      return new RenewAnswer.Renewed(renewed.view(now()).asLease());
                    }
                  }
                }),
        new WrongStore(
            "an attempt is remembered by the store object that granted it",
            "L70",
            "",
            db ->
                new PlainStore(db) {
                  private final Set<String> mine = ConcurrentHashMap.newKeySet();

                  @Override
                  boolean same(Row row, AcquireRequest request) {
                    return super.same(row, request) && mine.contains(request.attempt());
                  }

                  @Override
                  public AcquireAnswer acquire(
                      LeaseName name, String owner, String attempt, Duration ttl) {
                    synchronized (db) {
                      AcquireAnswer answer = super.acquire(name, owner, attempt, ttl);
                      if (answer instanceof AcquireAnswer.Granted) {
                        mine.add(attempt);
                      }
                      return answer;
                    }
                  }
                }),
        new WrongStore(
            "an answer lies in a field of the store for a moment",
            "L71",
            "",
            db ->
                new PlainStore(db) {
                  private volatile Optional<LeaseView> last = Optional.empty();

                  @Override
                  public Optional<LeaseView> read(LeaseName name) {
                    last = super.read(name);
                    Races.window();
                    return last;
                  }
                }),
        new WrongStore(
            "instants are kept as local times",
            "L72",
            "",
            db ->
                new PlainStore(db) {
                  private final long zone =
                      TimeZone.getDefault().getOffset(db.instant().toEpochMilli());

                  /** What the database shows of its clock to a session in this zone. */
                  @Override
                  long now() {
                    return super.now() + zone;
                  }

                  @Override
                  long firstToken(LeaseName name, long now) {
                    return super.firstToken(name, now - zone);
                  }

                  @Override
                  public AcquireAnswer acquire(
                      LeaseName name, String owner, String attempt, Duration ttl) {
                    AcquireAnswer answer = super.acquire(name, owner, attempt, ttl);
                    return answer instanceof AcquireAnswer.Held held
                        ? new AcquireAnswer.Held(inUtc(held.view()))
                        : answer;
                  }

                  private LeaseView inUtc(LeaseView view) {
                    Instant granted = view.grantedAt().minusMillis(zone);
                    Instant renewed = view.renewedAt().minusMillis(zone);
                    Instant expires = view.expiresAt().minusMillis(zone);
                    return new LeaseView(
                        view.name(),
                        view.owner(),
                        view.attempt(),
                        view.token(),
                        granted,
                        renewed,
                        expires,
                        view.remaining(),
                        view.state());
                  }
                }),
        new WrongStore(
            "a release compares the expiry that was shown",
            "L73",
            "?L69",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayRelease(Row row, Lease lease, long now) {
                    return super.mayRelease(row, lease, now)
                        && lease.expiresAt().toEpochMilli() == row.expires();
                  }
                }),
        new WrongStore(
            "a linger that has passed dates the end back",
            "L74",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  Optional<Row> released(Row row, long now, Duration linger) {
                    return linger.isZero()
                        ? super.released(row, now, linger)
                        : Optional.of(row.released(row.granted() + linger.toMillis()));
                  }
                }),
        new WrongStore(
            "reclaim stops after one step of a thousand",
            "L75",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  public long reclaim(Duration endedFor) {
                    LeaseArguments.endedFor(endedFor);
                    reach();
                    synchronized (db) {
                      List<Row> step =
                          db.rows.values().stream()
                              .filter(row -> reclaimable(row, now(), endedFor))
                              .limit(1_000)
                              .toList();
                      step.forEach(
                          row -> {
                            reclaimed(row);
                            db.rows.remove(key(row.name()));
                          });
                      return step.size();
                    }
                  }
                }),
        new WrongStore(
            "reclaim counts the last of its steps",
            "L75",
            "L53",
            db ->
                new PlainStore(db) {
                  @Override
                  public long reclaim(Duration endedFor) {
                    return Math.min(1, super.reclaim(endedFor));
                  }
                }),
        new WrongStore(
            "a token is taken from the clock again while the clock is ahead",
            "L76",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  long nextToken(Row ended) {
                    return Math.max(ended.token() + 1, now() * 1000);
                  }
                }),
        new WrongStore(
            "a name that begins to linger is signalled as free",
            "L77",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  Optional<Row> released(Row row, long now, Duration linger) {
                    if (!linger.isZero()) {
                      signal(row.name());
                    }
                    return super.released(row, now, linger);
                  }
                }),
        new WrongStore(
            "every release is signalled to everybody",
            "L77",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  void signal(LeaseName name) {
                    db.subscribers.values().forEach(all -> all.forEach(Runnable::run));
                  }
                }),
        new WrongStore(
            "subscriptions are told apart by their callback",
            "L78",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  public Subscription subscribe(LeaseName name, Runnable onRelease) {
                    db.subscribe(name, onRelease);
                    return () -> db.unsubscribe(name, onRelease);
                  }
                }),
        new WrongStore(
            "a closed subscription goes on",
            "L78",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  public Subscription subscribe(LeaseName name, Runnable onRelease) {
                    super.subscribe(name, onRelease);
                    return Subscription.NONE;
                  }
                }),
        new WrongStore(
            "a subscription is closed once only",
            "L79",
            "L63 L64 L65 L78",
            db ->
                new PlainStore(db) {
                  @Override
                  public Subscription subscribe(LeaseName name, Runnable onRelease) {
                    Subscription subscription = super.subscribe(name, onRelease);
                    AtomicBoolean closed = new AtomicBoolean();
                    return () -> {
                      if (closed.getAndSet(true)) {
                        throw new IllegalStateException("closed already");
                      }
                      subscription.close();
                    };
                  }
                }));
  }
}
