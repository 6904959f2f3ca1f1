package io.leasehold.mongodb;

import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.WriteModel;
import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseArguments;
import io.leasehold.LeaseName;
import io.leasehold.LeasePage;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import io.leasehold.Ticker;
import io.leasehold.mongodb.StoreClock.Stamp;
import io.leasehold.spi.Finding;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * Leases in a MongoDB collection, one document per name. MongoDB 5.0 or later; a replica set for
 * anything that matters.
 *
 * <p>Writes are acknowledged by a majority, reads go to the primary, and the server's clock decides
 * expiry unless a clock was given. A call is bounded by the call timeout. The collection must have
 * the simple collation (a collation that folds case would make {@code Job} and {@code job} one
 * lease) and no TTL index; both are refused at start.
 *
 * <p>Round trips: renew and release 1, abandon 1, acquire 1 when the name is held and 2 when it is
 * taken; {@code renewAll} of any number 2. While a server-clock store is used, one more every 10 s.
 *
 * <pre>{@code
 * LeaseStore store = MongoLeaseStore.builder(client).database("ops").build();
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class MongoLeaseStore implements LeaseStore {

  /** How often a call tries again when only its estimate of the server's clock was refused. */
  private static final int ROUNDS = 8;

  private final LeaseCollection collection;
  private final StoreClock clock;
  private final Statements statements;
  private final Records records;
  private final Batches batches;
  private final Listing listing;
  private final ReleaseSignals signals;
  private final boolean signalled;
  private final Runnable closing;

  /** The parts, so that a test may give it a clock that is wrong. */
  MongoLeaseStore(
      LeaseCollection collection, StoreClock clock, boolean signalled, Runnable closing) {
    this.collection = collection;
    this.clock = clock;
    this.closing = closing;
    statements = new Statements(clock);
    records = new Records(collection, clock);
    batches = new Batches(clock, statements, records);
    listing = new Listing(clock, records);
    signals = new ReleaseSignals(collection, clock);
    this.signalled = signalled;
  }

  /**
   * A store to be set up.
   *
   * @param client the client; its read and write settings are not used, its pool is
   * @return the builder: database {@code leasehold}, collection {@code leases}, the server's clock,
   *     a call timeout of 5 s, and a client that is not the store's to close
   */
  public static Builder builder(MongoClient client) {
    return new Builder(client);
  }

  /**
   * Creates the collection, if it is missing, and the index on {@code expires} that {@link
   * #reclaim} uses. Idempotent. Nothing else needs it: every other call goes by {@code _id}.
   *
   * @throws io.leasehold.LeaseStoreException if there was no answer
   */
  public void createIndexes() {
    collection.call(
        "createIndexes",
        call -> call.writing().createIndex(Indexes.ascending(LeaseDocument.EXPIRES)));
  }

  @Override
  public AcquireAnswer acquire(LeaseName name, String owner, String attempt, Duration ttl) {
    AcquireRequest request = new AcquireRequest(name, owner, attempt, ttl);
    return collection.call(
        "acquire of '" + name + "'",
        call -> {
          for (int round = 0; round < ROUNDS; round++) {
            Optional<AcquireAnswer> answer = tryAcquire(call, request);
            if (answer.isPresent()) {
              return answer.get();
            }
          }
          throw call.unsettled("the record or the server's clock changed at every try");
        });
  }

  /** Looks first: most attempts find the name held, and a look changes nothing. */
  private Optional<AcquireAnswer> tryAcquire(Call call, AcquireRequest request) {
    String name = request.name().value();
    Records.Known known = records.look(call, List.of(name));
    LeaseDocument found = known.records().get(name);
    Stamp stamp = clock.stamp(call);
    Optional<LeaseDocument> granted;
    if (found == null) {
      granted = create(call, request, stamp, known);
    } else if (found.attempt().equals(request.attempt()) && found.live()) {
      granted = records.change(call, statements.confirm(request, stamp), stamp);
    } else if (found.attempt().equals(request.attempt()) || found.taken()) {
      return Optional.of(new AcquireAnswer.Held(found.view()));
    } else {
      granted = records.change(call, statements.take(request, stamp), stamp);
    }
    if (granted.isEmpty()) {
      clock.doubt();
    }
    return granted.map(record -> new AcquireAnswer.Granted(record.view().asLease()));
  }

  /** Two statements in one command; the second takes exactly what the first created. */
  private Optional<LeaseDocument> create(
      Call call, AcquireRequest request, Stamp stamp, Records.Known known) {
    long before = Statements.beforeFirst(stamp, known.highestReclaimed());
    List<WriteModel<Document>> both =
        List.of(
            statements.create(request, stamp, before),
            statements.claim(request, stamp, before).model());
    // The first statement matches or inserts, always one; what is beyond it is the second's.
    return records.bulk(call, both) == 2
        ? Optional.of(
            new LeaseDocument(
                request.name().value(),
                request.owner(),
                request.attempt(),
                before + 1,
                stamp.millis(),
                stamp.millis(),
                stamp.plus(request.ttl()).getValue(),
                false,
                stamp.millis()))
        : Optional.empty();
  }

  @Override
  public RenewAnswer renew(Lease lease, Duration ttl) {
    Duration checked = LeaseArguments.ttl(ttl);
    return collection.call(
        "renewal of '" + lease.name() + "'",
        call -> {
          for (int round = 0; round < ROUNDS; round++) {
            Stamp stamp = clock.stamp(call);
            var renewed = records.change(call, statements.renew(lease, checked, stamp), stamp);
            if (renewed.isPresent()) {
              return new RenewAnswer.Renewed(renewed.get().view().asLease());
            }
            LeaseDocument found = records.ascertain(call, lease.name());
            if (found == null || !found.isOf(lease) || !found.live()) {
              return new RenewAnswer.Lost(Optional.ofNullable(found).map(LeaseDocument::view));
            }
            clock.doubt();
          }
          throw call.unsettled("the server's clock could not be followed closely enough");
        });
  }

  @Override
  public ReleaseAnswer release(Lease lease, Duration linger) {
    Duration checked = LeaseArguments.linger(linger);
    return collection.call(
        "release of '" + lease.name() + "'",
        call -> {
          Instant granted = lease.grantedAt();
          for (int round = 0; round < ROUNDS; round++) {
            Stamp stamp = clock.stamp(call);
            if (records.changed(call, statements.release(lease, granted, checked, stamp))) {
              return ReleaseAnswer.RELEASED;
            }
            LeaseDocument found = records.ascertain(call, lease.name());
            if (found == null || !found.isOf(lease) || !found.live()) {
              return notReleased(lease, found);
            }
            granted = Instant.ofEpochMilli(found.granted());
            clock.doubt();
          }
          throw call.unsettled("the server's clock could not be followed closely enough");
        });
  }

  static ReleaseAnswer notReleased(Lease lease, @Nullable LeaseDocument found) {
    return found != null && !found.isOf(lease) && found.taken()
        ? ReleaseAnswer.LOST
        : ReleaseAnswer.ALREADY_ENDED;
  }

  @Override
  public void abandon(LeaseName name, String owner, String attempt) {
    LeaseArguments.owner(owner);
    LeaseArguments.attempt(attempt);
    collection.call(
        "abandoning of '" + name + "'",
        call -> {
          for (int round = 0; round < ROUNDS; round++) {
            Stamp stamp = clock.stamp(call);
            if (records.changed(call, statements.abandon(name, attempt, stamp))) {
              return true;
            }
            LeaseDocument found = records.ascertain(call, name);
            if (found == null || !found.attempt().equals(attempt) || !found.live()) {
              return false;
            }
            clock.doubt();
          }
          throw call.unsettled("the server's clock could not be followed closely enough");
        });
  }

  @Override
  public Optional<LeaseView> read(LeaseName name) {
    return collection.call(
        "reading of '" + name + "'",
        call ->
            Optional.ofNullable(records.settled(call, name))
                .filter(LeaseDocument::live)
                .map(LeaseDocument::view));
  }

  @Override
  public LeasePage inspect(String prefix, Page page) {
    LeaseArguments.prefix(prefix);
    return collection.call("listing", call -> listing.page(call, prefix, page));
  }

  @Override
  public long reclaim(Duration endedFor) {
    Duration checked = LeaseArguments.endedFor(endedFor);
    long total = 0;
    long deleted;
    do {
      deleted = collection.call("reclaiming", call -> listing.reclaimStep(call, checked));
      total += deleted;
    } while (deleted > 0);
    return total;
  }

  @Override
  public List<AcquireAnswer> acquireAll(List<AcquireRequest> requests) {
    return requests.isEmpty()
        ? List.of()
        : collection.call(
            "acquisition of " + requests.size() + " names",
            call -> batches.acquireAll(call, requests));
  }

  @Override
  public List<RenewAnswer> renewAll(List<Lease> leases, Duration ttl) {
    Duration checked = LeaseArguments.ttl(ttl);
    return leases.isEmpty()
        ? List.of()
        : collection.call(
            "renewal of " + leases.size() + " leases",
            call -> batches.renewAll(call, leases, checked));
  }

  @Override
  public List<ReleaseAnswer> releaseAll(List<Lease> leases, Duration linger) {
    Duration checked = LeaseArguments.linger(linger);
    return leases.isEmpty()
        ? List.of()
        : collection.call(
            "release of " + leases.size() + " leases",
            call -> batches.releaseAll(call, leases, checked));
  }

  @Override
  public Subscription subscribe(LeaseName name, Runnable onRelease) {
    return signalled ? signals.subscribe(name, onRelease) : Subscription.NONE;
  }

  /** Ends the thread that follows releases; closes the client if it was made the store's. */
  @Override
  public void close() {
    if (collection.close()) {
      signals.close();
      closing.run();
    }
  }

  /** The store's namespace: database and collection. */
  @Override
  public String toString() {
    return "MongoDB store " + collection.namespace();
  }

  /**
   * Sets up a store. Not thread-safe.
   *
   * <pre>{@code
   * MongoLeaseStore.builder(client).database("ops").callTimeout(Duration.ofSeconds(2)).build();
   * }</pre>
   */
  public static final class Builder {

    private final MongoClient client;
    private String database = "leasehold";
    private String collection = "leases";
    private Duration callTimeout = Duration.ofSeconds(5);
    private Optional<InstantSource> clock = Optional.empty();
    private boolean signals = true;
    private boolean ownsClient;

    private Builder(MongoClient client) {
      this.client = client;
    }

    /**
     * The database.
     *
     * @param name a legal database name
     * @return this
     * @throws IllegalArgumentException if the name is not legal
     */
    public Builder database(String name) {
      MongoNamespace.checkDatabaseNameValidity(name);
      this.database = name;
      return this;
    }

    /**
     * The collection, used for leases only.
     *
     * @param name a legal collection name
     * @return this
     * @throws IllegalArgumentException if the name is not legal
     */
    public Builder collection(String name) {
      MongoNamespace.checkCollectionNameValidity(name);
      if (name.contains("$") || name.startsWith("system.")) {
        throw new IllegalArgumentException(
            "collection '" + name + "' is the server's; give one without $ and not system.*");
      }
      this.collection = name;
      return this;
    }

    /**
     * How long a call may take, with all that it sends.
     *
     * @param timeout 1 ms to 1 hour
     * @return this
     * @throws IllegalArgumentException if the timeout is out of range
     */
    public Builder callTimeout(Duration timeout) {
      if (timeout.compareTo(Duration.ofMillis(1)) < 0
          || timeout.compareTo(Duration.ofHours(1)) > 0) {
        throw new IllegalArgumentException(
            "call timeout " + timeout + " is out of range: at least 1 ms and at most 1 hour");
      }
      this.callTimeout = timeout;
      return this;
    }

    /**
     * Decides expiry by a clock of the caller's, not by the server's. Every process that uses the
     * collection must have the same clock.
     *
     * @param source the clock, read to the millisecond
     * @return this
     */
    public Builder clock(InstantSource source) {
      this.clock = Optional.of(source);
      return this;
    }

    /**
     * Whether a change stream tells candidates of releases, where the deployment has them. It takes
     * a thread and a connection once somebody subscribes; without it, candidates poll.
     *
     * @param on whether; on unless said otherwise
     * @return this
     */
    public Builder signals(boolean on) {
      this.signals = on;
      return this;
    }

    /**
     * Makes the client the store's, to be closed with it.
     *
     * @return this
     */
    public Builder ownClient() {
      this.ownsClient = true;
      return this;
    }

    /** What is to be said of the deployment and the collection. */
    List<Finding> examine(boolean signalled) {
      LeaseCollection leases =
          new LeaseCollection(
              client.getDatabase(database), collection, callTimeout, Ticker.system());
      return new Examination(
              leases::newCall, database, collection, signalled, InstantSource.system())
          .findings();
    }

    /**
     * Opens the store and looks at the collection. A server that does not answer now is looked at
     * before the first call instead.
     *
     * @return the store
     * @throws IllegalStateException if the collection cannot hold leases: it has a collation or a
     *     TTL index
     */
    public MongoLeaseStore build() {
      LeaseCollection leases =
          new LeaseCollection(
              client.getDatabase(database), collection, callTimeout, Ticker.system());
      leases.open();
      StoreClock deciding =
          clock
              .<StoreClock>map(StoreClock.OfCaller::new)
              .orElseGet(() -> new ServerClock(leases::serverTime, Ticker.system()));
      return new MongoLeaseStore(leases, deciding, signals, ownsClient ? client::close : () -> {});
    }
  }
}
