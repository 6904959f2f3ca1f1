package io.leasehold.tck;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseArguments;
import io.leasehold.LeaseName;
import io.leasehold.LeasePage;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import io.leasehold.tck.PlainDatabase.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/** Stores that are wrong about listing, reclaiming, many leases, many callers and closing. */
final class WrongCompanies {

  private WrongCompanies() {}

  static List<WrongStore> all() {
    return List.of(
        new WrongStore(
            "a listing shows only what is live",
            "L50",
            "L19 L32 L34 L35 L38 L40 L41 L53 L74",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean listed(Row row, String prefix, long now) {
                    return super.listed(row, prefix, now) && live(row, now);
                  }
                }),
        new WrongStore(
            "a prefix is a pattern",
            "L51",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean listed(Row row, String prefix, long now) {
                    return Pattern.matches(
                        Pattern.quote(prefix).replace("_", "\\E.\\Q").replace("%", "\\E.*\\Q")
                            + ".*",
                        row.name().value());
                  }
                }),
        new WrongStore(
            "a prefix is compared without case",
            "L51",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean listed(Row row, String prefix, long now) {
                    return row.name()
                        .value()
                        .toLowerCase(Locale.ROOT)
                        .startsWith(prefix.toLowerCase(Locale.ROOT));
                  }
                }),
        new WrongStore(
            "a page loses the record after it",
            "L52",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  public LeasePage inspect(String prefix, Page page) {
                    LeasePage answer = super.inspect(prefix, page);
                    return new LeasePage(
                        answer.leases(),
                        answer
                            .next()
                            .map(
                                last -> Objects.requireNonNullElse(db.rows.higherKey(last), last)));
                  }
                }),
        new WrongStore(
            "reclaim takes no heed of how long ago",
            "L53",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean reclaimable(Row row, long now, Duration endedFor) {
                    return !taken(row, now);
                  }
                }),
        new WrongStore(
            "reclaim deletes what lingers",
            "L53",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean reclaimable(Row row, long now, Duration endedFor) {
                    return row.released() || super.reclaimable(row, now, endedFor);
                  }
                }),
        new WrongStore(
            "reclaim deletes what was granted long ago",
            "L53",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean reclaimable(Row row, long now, Duration endedFor) {
                    return row.granted() <= now - endedFor.toMillis();
                  }
                }),
        new WrongStore(
            "a record comes back when its holder renews",
            "L54",
            "",
            db ->
                new PlainStore(db) {
                  private final Map<LeaseName, Row> gone = new ConcurrentHashMap<>();

                  @Override
                  void reclaimed(Row row) {
                    super.reclaimed(row);
                    gone.put(row.name(), row);
                  }

                  @Override
                  public RenewAnswer renew(Lease lease, Duration ttl) {
                    synchronized (db) {
                      Row row = gone.get(lease.name());
                      if (row != null) {
                        db.rows.putIfAbsent(key(lease.name()), row);
                      }
                      return super.renew(lease, ttl);
                    }
                  }
                }),
        new WrongStore(
            "acquireAll answers in the order of names",
            "L55",
            "L58",
            db ->
                new PlainStore(db) {
                  @Override
                  public List<AcquireAnswer> acquireAll(List<AcquireRequest> requests) {
                    return super.acquireAll(
                        requests.stream()
                            .sorted(Comparator.comparing(AcquireRequest::name))
                            .toList());
                  }
                }),
        new WrongStore(
            "acquireAll takes the TTL of the first for all",
            "L55",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  public List<AcquireAnswer> acquireAll(List<AcquireRequest> requests) {
                    return super.acquireAll(
                        requests.stream()
                            .map(
                                r ->
                                    new AcquireRequest(
                                        r.name(), r.owner(), r.attempt(), requests.get(0).ttl()))
                            .toList());
                  }
                }),
        new WrongStore(
            "one lost lease fails all of renewAll",
            "L56",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  public List<RenewAnswer> renewAll(List<Lease> leases, Duration ttl) {
                    List<RenewAnswer> answers = super.renewAll(leases, ttl);
                    return answers.stream().noneMatch(RenewAnswer.Lost.class::isInstance)
                        ? answers
                        : answers.stream()
                            .map(answer -> (RenewAnswer) new RenewAnswer.Lost(Optional.empty()))
                            .toList();
                  }
                }),
        new WrongStore(
            "renewAll skips the token check",
            "L56",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  public List<RenewAnswer> renewAll(List<Lease> leases, Duration ttl) {
                    checkTtl(ttl);
                    return super.renewAll(
                        leases.stream()
                            .map(l -> read(l.name()).map(LeaseView::asLease).orElse(l))
                            .toList(),
                        ttl);
                  }
                }),
        new WrongStore(
            "releaseAll answers one for all",
            "L57",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  public List<ReleaseAnswer> releaseAll(List<Lease> leases, Duration linger) {
                    super.releaseAll(leases, linger);
                    return leases.stream().map(lease -> ReleaseAnswer.RELEASED).toList();
                  }
                }),
        new WrongStore(
            "a list is cut at five hundred",
            "L58",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  public List<RenewAnswer> renewAll(List<Lease> leases, Duration ttl) {
                    return super.renewAll(leases.subList(0, Math.min(500, leases.size())), ttl);
                  }
                }),
        new WrongStore(
            "acquire looks first and takes afterwards",
            "L59",
            "?L60 ?L70",
            db ->
                new PlainStore(db) {
                  @Override
                  public AcquireAnswer acquire(
                      LeaseName name, String owner, String attempt, Duration ttl) {
                    boolean free;
                    synchronized (db) {
                      Row row = db.rows.get(key(name));
                      free = row == null || !taken(row, now());
                    }
                    if (!free) {
                      return super.acquire(name, owner, attempt, ttl);
                    }
                    LockSupport.parkNanos(500_000);
                    synchronized (db) {
                      db.rows.computeIfPresent(
                          key(name), (key, row) -> taken(row, now()) ? row.released(now()) : row);
                      return super.acquire(name, owner, attempt, ttl);
                    }
                  }
                }),
        new WrongStore(
            "whoever loses a race gets an exception",
            "L59",
            "?L60",
            db ->
                new PlainStore(db) {
                  @Override
                  public AcquireAnswer acquire(
                      LeaseName name, String owner, String attempt, Duration ttl) {
                    boolean free;
                    synchronized (db) {
                      Row row = db.rows.get(key(name));
                      free = row == null || !taken(row, now());
                    }
                    if (free) {
                      LockSupport.parkNanos(500_000);
                    }
                    AcquireAnswer answer = super.acquire(name, owner, attempt, ttl);
                    if (free && answer instanceof AcquireAnswer.Held held && held.view().isLive()) {
                      throw new LeaseStoreException(
                          LeaseStoreException.Outcome.NOT_APPLIED, "duplicate key");
                    }
                    return answer;
                  }
                }),
        new WrongStore(
            "the next token is read before the name is taken",
            "L60",
            "",
            db ->
                new PlainStore(db) {
                  private final ThreadLocal<Long> seen = new ThreadLocal<>();

                  @Override
                  public AcquireAnswer acquire(
                      LeaseName name, String owner, String attempt, Duration ttl) {
                    synchronized (db) {
                      Row row = db.rows.get(key(name));
                      seen.set(row == null ? 0 : row.token());
                    }
                    LockSupport.parkNanos(300_000);
                    return super.acquire(name, owner, attempt, ttl);
                  }

                  @Override
                  long nextToken(Row ended) {
                    return seen.get() + 1;
                  }
                }),
        new WrongStore(
            "tokens are counted in the process",
            "L61",
            "?L59 L60",
            db ->
                new PlainStore(db) {
                  private final AtomicLong counter =
                      new AtomicLong(db.instant().toEpochMilli() * 1000);

                  @Override
                  long firstToken(LeaseName name, long now) {
                    return counter.incrementAndGet();
                  }

                  @Override
                  long nextToken(Row ended) {
                    return counter.incrementAndGet();
                  }
                }),
        new WrongStore(
            "no signal is given",
            "L63",
            "L64 L65 L77 L78",
            db ->
                new PlainStore(db) {
                  @Override
                  void signal(LeaseName name) {}
                }),
        new WrongStore(
            "abandon gives no signal",
            "L64",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  public void abandon(LeaseName name, String owner, String attempt) {
                    LeaseArguments.owner(owner);
                    LeaseArguments.attempt(attempt);
                    reach();
                    synchronized (db) {
                      db.rows.computeIfPresent(
                          key(name),
                          (key, row) ->
                              mayAbandon(row, owner, attempt, now()) ? row.released(now()) : row);
                    }
                  }
                }),
        new WrongStore(
            "signals stay in the store object",
            "L65",
            "L77 L78",
            db ->
                new PlainStore(db) {
                  private final Map<LeaseName, Runnable> mine = new ConcurrentHashMap<>();

                  @Override
                  public Subscription subscribe(LeaseName name, Runnable onRelease) {
                    mine.put(name, onRelease);
                    return () -> mine.remove(name);
                  }

                  @Override
                  void signal(LeaseName name) {
                    mine.getOrDefault(name, () -> {}).run();
                  }
                }),
        new WrongStore(
            "an interrupt is swallowed",
            "L66",
            "",
            db ->
                new PlainStore(db) {
                  @SuppressWarnings("CheckReturnValue")
                  @Override
                  void reach() {
                    super.reach();
                    Thread.interrupted();
                  }
                }),
        new WrongStore(
            "a store cannot be closed twice",
            "L67",
            "L68",
            db ->
                new PlainStore(db) {
                  private boolean closed;

                  @Override
                  public void close() {
                    if (closed) {
                      throw new IllegalStateException("closed already");
                    }
                    closed = true;
                  }
                }),
        new WrongStore(
            "closing gives back what the store object took",
            "L68",
            "",
            db ->
                new PlainStore(db) {
                  private final List<Lease> mine = new ArrayList<>();

                  @Override
                  public AcquireAnswer acquire(
                      LeaseName name, String owner, String attempt, Duration ttl) {
                    AcquireAnswer answer = super.acquire(name, owner, attempt, ttl);
                    if (answer instanceof AcquireAnswer.Granted granted) {
                      synchronized (db) {
                        mine.add(granted.lease());
                      }
                    }
                    return answer;
                  }

                  @Override
                  public void close() {
                    super.releaseAll(mine, Duration.ZERO);
                  }
                }));
  }
}
