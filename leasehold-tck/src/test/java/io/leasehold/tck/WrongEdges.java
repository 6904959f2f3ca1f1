package io.leasehold.tck;

import static io.leasehold.tck.WrongStore.wrong;

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
import io.leasehold.tck.OpenDatabase.Row;
import java.text.Normalizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Stores that are wrong at the edges: batches, texts, arguments, threads, clocks, signals. */
final class WrongEdges {

  private WrongEdges() {}

  static List<WrongStore> batching() {
    return List.of(
        wrong(
            "acquireAll answers in the order of the names",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public List<AcquireAnswer> acquireAll(List<AcquireRequest> requests) {
                    List<AcquireRequest> sorted = new ArrayList<>(requests);
                    sorted.sort(Comparator.comparing(AcquireRequest::name));
                    return super.acquireAll(sorted);
                  }
                },
            "L56",
            "L60"),
        wrong(
            "acquireAll gives all or nothing",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public List<AcquireAnswer> acquireAll(List<AcquireRequest> requests) {
                    List<AcquireAnswer> answers = super.acquireAll(requests);
                    Optional<AcquireAnswer> refusal =
                        answers.stream().filter(AcquireAnswer.Held.class::isInstance).findAny();
                    return refusal.isEmpty()
                        ? answers
                        : Collections.nCopies(answers.size(), refusal.get());
                  }
                },
            "L56"),
        wrong(
            "renewAll loses all when one is lost",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public List<RenewAnswer> renewAll(List<Lease> leases, Duration ttl) {
                    List<RenewAnswer> answers = super.renewAll(leases, ttl);
                    return answers.stream().allMatch(RenewAnswer.Renewed.class::isInstance)
                        ? answers
                        : Collections.nCopies(
                            answers.size(), new RenewAnswer.Lost(Optional.empty()));
                  }
                },
            "L57"),
        wrong(
            "renewAll answers only for those that it renewed",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public List<RenewAnswer> renewAll(List<Lease> leases, Duration ttl) {
                    return super.renewAll(leases, ttl).stream()
                        .filter(RenewAnswer.Renewed.class::isInstance)
                        .toList();
                  }
                },
            "L57"),
        wrong(
            "releaseAll forgets the linger",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public List<ReleaseAnswer> releaseAll(List<Lease> leases, Duration linger) {
                    super.releaseAll(List.of(), linger);
                    return super.releaseAll(leases, Duration.ZERO);
                  }
                },
            "L58"),
        wrong(
            "releaseAll does not look whether a lease was lost",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public List<ReleaseAnswer> releaseAll(List<Lease> leases, Duration linger) {
                    return super.releaseAll(leases, linger).stream()
                        .map(unused -> ReleaseAnswer.RELEASED)
                        .toList();
                  }
                },
            "L58"),
        wrong(
            "a batch of nothing is a malformed statement",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public List<RenewAnswer> renewAll(List<Lease> leases, Duration ttl) {
                    if (leases.isEmpty()) {
                      throw new LeaseStoreException(
                          LeaseStoreException.Outcome.NOT_APPLIED, "IN () is not SQL");
                    }
                    return super.renewAll(leases, ttl);
                  }
                },
            "L59"),
        wrong(
            "a batch is cut at 50",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public List<RenewAnswer> renewAll(List<Lease> leases, Duration ttl) {
                    return super.renewAll(leases.stream().limit(50).toList(), ttl);
                  }
                },
            "L60"));
  }

  static List<WrongStore> naming() {
    return List.of(
        wrong(
            "names are folded to lower case", keyed(k -> k.toLowerCase(Locale.ROOT)), "L61", "L51"),
        wrong(
            "names are compared by a collation without accents",
            keyed(k -> Normalizer.normalize(k, Normalizer.Form.NFD).replaceAll("\\p{M}", "")),
            "L61",
            "L51"),
        wrong(
            "trailing space is folded, characters without a width with it",
            keyed(k -> k.replaceAll("[\\s\\u00a0\\u200b\\u200d\\u00ad]+$", "")),
            "L61"),
        wrong(
            "emoji are kept as question marks",
            keyed(k -> k.replaceAll("[\\x{10000}-\\x{10ffff}]", "?")),
            "L61",
            "L51"),
        wrong("a backslash escapes", keyed(k -> k.replaceAll("\\\\(.)", "$1")), "L61", "L51"),
        wrong(
            "names are cut at 191 characters",
            keyed(k -> k.length() > 191 ? k.substring(0, 191) : k),
            "L62"),
        wrong(
            "attempts are compared without case",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean sameAttempt(Row row, String attempt) {
                    return row.attempt().equalsIgnoreCase(attempt);
                  }
                },
            "L63"),
        wrong(
            "owners are cut at 64 characters",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  Row granted(AcquireRequest request, long token, long now) {
                    String owner = request.owner();
                    String cut = owner.length() > 64 ? owner.substring(0, 64) : owner;
                    Row row = super.granted(request, token, now);
                    return new Row(
                        row.name(),
                        cut,
                        row.attempt(),
                        row.token(),
                        row.granted(),
                        row.renewed(),
                        row.expires(),
                        row.released());
                  }
                },
            "L63"),
        wrong(
            "a blank owner is accepted",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  AcquireRequest checked(
                      LeaseName name, String owner, String attempt, Duration ttl) {
                    return super.checked(name, owner.isBlank() ? "nobody" : owner, attempt, ttl);
                  }
                },
            "L64",
            "L66"),
        wrong(
            "an owner is trimmed instead of refused",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  AcquireRequest checked(
                      LeaseName name, String owner, String attempt, Duration ttl) {
                    String trimmed = owner.isBlank() ? owner : owner.strip();
                    return super.checked(name, trimmed, attempt, ttl);
                  }
                },
            "L64"),
        wrong(
            "a TTL is not checked when renewing",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  Duration checkedTtl(Duration ttl) {
                    return ttl;
                  }

                  @Override
                  long ttlMillis(Duration ttl) {
                    return ttl.getSeconds() * 1_000 + ttl.getNano() / 1_000_000;
                  }
                },
            "L65",
            "L66"),
        wrong(
            "a TTL that is too long is cut instead of refused",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  AcquireRequest checked(
                      LeaseName name, String owner, String attempt, Duration ttl) {
                    Duration longest = LeaseArguments.MAX_TTL;
                    return super.checked(
                        name, owner, attempt, ttl.compareTo(longest) > 0 ? longest : ttl);
                  }
                },
            "L65"),
        wrong(
            "arguments are checked after the connection is made",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  AcquireRequest checked(
                      LeaseName name, String owner, String attempt, Duration ttl) {
                    reach();
                    return super.checked(name, owner, attempt, ttl);
                  }
                },
            "L66"),
        wrong(
            "a store that is away answers that the name is held",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public RenewAnswer renew(Lease lease, Duration ttl) {
                    checkedTtl(ttl);
                    return db.reachable
                        ? super.renew(lease, ttl)
                        : new RenewAnswer.Lost(Optional.empty());
                  }
                },
            "L67"),
        wrong(
            "a refused connection is said to leave the outcome open",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  LeaseStoreException.Outcome outcomeUnreachable() {
                    return LeaseStoreException.Outcome.UNKNOWN;
                  }
                },
            "L67"));
  }

  /** A store that finds a record by something else than its name. */
  private static WrongStore.Factory keyed(UnaryOperator<String> key) {
    return (db, clock) ->
        new OpenStore(db, clock) {
          @Override
          String key(String name) {
            return key.apply(name);
          }
        };
  }

  static List<WrongStore> racing() {
    return List.of(
        wrong(
            "an acquire reads, then writes",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public AcquireAnswer acquire(
                      LeaseName name, String owner, String attempt, Duration ttl) {
                    AcquireRequest request = checked(name, owner, attempt, ttl);
                    reach();
                    return decideAcquire(request, now());
                  }

                  @Override
                  void betweenReadingAndWriting() {
                    Races.window();
                  }
                },
            "L68"),
        wrong(
            "a lost race is an exception",
            (db, clock) ->
                new OpenStore(db, clock) {
                  private final AtomicBoolean busy = new AtomicBoolean();

                  @Override
                  <T> T atomically(Supplier<T> step) {
                    if (!busy.compareAndSet(false, true)) {
                      throw new LeaseStoreException(
                          LeaseStoreException.Outcome.NOT_APPLIED, "database is locked");
                    }
                    try {
                      return super.atomically(step);
                    } finally {
                      busy.set(false);
                    }
                  }

                  @Override
                  void betweenReadingAndWriting() {
                    Races.window();
                  }
                },
            "L68",
            "L69",
            "L70"),
        wrong(
            "an attempt that is under way already is refused",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isGrantOf(AcquireRequest request, Row row, long now) {
                    // Remembered by the store object that granted it, unknown to the others.
                    return super.isGrantOf(request, row, now) && mine.contains(row.attempt());
                  }

                  @Override
                  Row granted(AcquireRequest request, long token, long now) {
                    mine.add(request.attempt());
                    return super.granted(request, token, now);
                  }

                  private final Set<String> mine = ConcurrentHashMap.newKeySet();
                },
            "L69"),
        wrong(
            "an answer is kept in a field of the store for a moment",
            (db, clock) ->
                new OpenStore(db, clock) {
                  private volatile Optional<LeaseView> last = Optional.empty();

                  @Override
                  public Optional<LeaseView> read(LeaseName name) {
                    last = super.read(name);
                    Races.window();
                    return last;
                  }
                },
            "L70"));
  }

  static List<WrongStore> sharing() {
    return List.of(
        wrong(
            "what was read once is read from a cache",
            (db, clock) ->
                new OpenStore(db, clock) {
                  private final Map<LeaseName, RenewAnswer> cache = new ConcurrentHashMap<>();

                  @Override
                  public ReleaseAnswer release(Lease lease, Duration linger) {
                    cache.remove(lease.name());
                    return super.release(lease, linger);
                  }

                  @Override
                  public AcquireAnswer acquire(
                      LeaseName name, String owner, String attempt, Duration ttl) {
                    AcquireAnswer answer = super.acquire(name, owner, attempt, ttl);
                    if (answer instanceof AcquireAnswer.Granted granted) {
                      cache.put(name, new RenewAnswer.Renewed(granted.lease()));
                    }
                    return answer;
                  }

                  @Override
                  public RenewAnswer renew(Lease lease, Duration ttl) {
                    RenewAnswer answer = super.renew(lease, ttl);
                    RenewAnswer cached = cache.get(lease.name());
                    // A store that is sure of what it granted need not ask.
                    return answer instanceof RenewAnswer.Lost lost
                            && lost.current().filter(view -> view.isOf(lease)).isPresent()
                            && lost.current().get().state() == LeaseView.State.RELEASED
                            && cached != null
                        ? cached
                        : answer;
                  }

                  @Override
                  public void abandon(LeaseName name, String owner, String attempt) {
                    cache.remove(name);
                    super.abandon(name, owner, attempt);
                  }
                },
            "L71"),
        wrong(
            "tokens are counted in the process",
            (db, clock) ->
                new OpenStore(db, clock) {
                  private final AtomicLong count = new AtomicLong(now() * 1_000);

                  @Override
                  long firstToken(long now) {
                    return count.incrementAndGet();
                  }

                  @Override
                  long nextToken(Row old) {
                    return count.incrementAndGet();
                  }
                },
            "L72",
            "L73"),
        wrong(
            "closing a store gives back what it took",
            (db, clock) ->
                new OpenStore(db, clock) {
                  private final Queue<Lease> taken = new ConcurrentLinkedQueue<>();

                  @Override
                  AcquireAnswer decideAcquire(AcquireRequest request, long now) {
                    AcquireAnswer answer = super.decideAcquire(request, now);
                    if (answer instanceof AcquireAnswer.Granted granted) {
                      taken.add(granted.lease());
                    }
                    return answer;
                  }

                  @Override
                  public void close() {
                    taken.forEach(lease -> release(lease, Duration.ZERO));
                  }
                },
            "L73",
            "L81"),
        wrong(
            "the caller's clock is trusted",
            (db, clock) ->
                new OpenStore(db, clock) {
                  private final long skew = clock.millis() - System.currentTimeMillis();

                  @Override
                  long now() {
                    return super.now() + (Math.abs(skew) > 60_000 ? skew : 0);
                  }
                },
            "L74"),
        wrong(
            "instants are kept as local times",
            (db, clock) ->
                new OpenStore(db, clock) {
                  private final TimeZone zone = TimeZone.getDefault();

                  private Row moved(Row row, int sign) {
                    long by = sign * (long) zone.getOffset(row.granted());
                    return new Row(
                        row.name(),
                        row.owner(),
                        row.attempt(),
                        row.token(),
                        row.granted() + by,
                        row.renewed() + by,
                        row.expires() + by,
                        row.released());
                  }

                  @Override
                  Optional<Row> find(String name) {
                    return super.find(name).map(row -> moved(row, -1));
                  }

                  @Override
                  void write(Row row) {
                    super.write(moved(row, 1));
                  }

                  @Override
                  LeasePage list(String prefix, Page page, long now) {
                    return super.list(prefix, page, now + zone.getOffset(now));
                  }
                },
            "L75"));
  }

  static List<WrongStore> living() {
    return List.of(
        wrong(
            "a release signals nobody",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  void signalRelease(Row row) {}
                },
            "L76",
            "L78",
            "L79"),
        wrong(
            "an abandoned name signals nobody",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  void signalAbandon(Row row) {}
                },
            "L77"),
        wrong(
            "a name that lingers is signalled as free",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  Row afterRelease(Row row, Duration linger, long now) {
                    if (!linger.isZero()) {
                      signal(row.name());
                    }
                    return super.afterRelease(row, linger, now);
                  }
                },
            "L78"),
        wrong(
            "every release signals everybody",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  void signalRelease(Row row) {
                    db.subscriptions.keySet().forEach(this::signal);
                  }
                },
            "L78"),
        wrong(
            "closing a subscription ends all of the name",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public Subscription subscribe(LeaseName name, Runnable onRelease) {
                    super.subscribe(name, onRelease);
                    return db.subscribers(key(name.value()))::clear;
                  }
                },
            "L79"),
        wrong(
            "a closed subscription goes on",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public Subscription subscribe(LeaseName name, Runnable onRelease) {
                    super.subscribe(name, onRelease);
                    return Subscription.NONE;
                  }
                },
            "L79"),
        wrong(
            "a subscription is closed once only",
            (db, clock) ->
                new OpenStore(db, clock) {
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
                },
            "L80",
            "L79"),
        wrong(
            "a store is closed once only",
            (db, clock) ->
                new OpenStore(db, clock) {
                  private final AtomicBoolean closed = new AtomicBoolean();

                  @Override
                  public void close() {
                    if (closed.getAndSet(true)) {
                      throw new IllegalStateException("closed already");
                    }
                  }
                },
            "L81"),
        wrong(
            "an interrupt is swallowed",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  <T> T atomically(Supplier<T> step) {
                    Thread.interrupted();
                    return super.atomically(step);
                  }
                },
            "L82"),
        wrong(
            "an interrupt breaks the connection for good",
            (db, clock) ->
                new OpenStore(db, clock) {
                  private volatile boolean broken;

                  @Override
                  <T> T atomically(Supplier<T> step) {
                    broken |= Thread.currentThread().isInterrupted();
                    if (broken) {
                      throw new LeaseStoreException(
                          LeaseStoreException.Outcome.NOT_APPLIED, "channel closed by interrupt");
                    }
                    return super.atomically(step);
                  }
                },
            "L82"));
  }
}
