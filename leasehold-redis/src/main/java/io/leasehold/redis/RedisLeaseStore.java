package io.leasehold.redis;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseArguments;
import io.leasehold.LeaseName;
import io.leasehold.LeasePage;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseStoreException.Outcome;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Leases in Redis 6.2 or newer, or Valkey: standalone, through Sentinel, or in a Cluster.
 *
 * <p>A lease is one hash at <code>{prefix:name}</code>; every operation is one Lua script, decided
 * by the server's {@code TIME}. No key ever carries a time to live, so a token outlives its lease.
 *
 * <p>All threads share one connection per server; one more is open for signals while somebody is
 * subscribed, and one more for grants when they wait for replicas. A command is sent at most once:
 * nothing is queued while the server is away, and nothing is sent again after a reconnection. A
 * call on a server that is away fails at once with {@link Outcome#NOT_APPLIED}; a call that was
 * sent and not answered, with {@link Outcome#UNKNOWN}.
 *
 * <p><strong>Not guaranteed:</strong> Redis replicates asynchronously. A failover, or a restart
 * without an append-only file, can forget the last grants, and then a name can be granted while its
 * former holder has not noticed. Fence what you write; see docs/redis.md.
 *
 * <pre>{@code
 * try (RedisLeaseStore store = RedisLeaseStore.open(RedisURI.create("redis://localhost"))) {
 *   store.acquire(LeaseName.of("sweeper"), "host-1", "attempt-1", Duration.ofSeconds(30));
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class RedisLeaseStore implements LeaseStore {

  private final RedisConnections connections;
  private final LeaseKeys keys;
  private final RedisLeaseOptions options;
  private final ScriptDispatch dispatch;
  private final ReplicaWait grants;
  private final RecordListing listing;
  private final SurroundingsCheck surroundings;
  private final AtomicBoolean closed = new AtomicBoolean();

  private RedisLeaseStore(
      RedisConnections connections, RedisLeaseOptions options, InstantSource wallClock) {
    this.connections = connections;
    this.options = options;
    this.keys = new LeaseKeys(options.prefix());
    this.dispatch = connections.dispatch();
    this.grants = new ReplicaWait(connections, options, this::abandonCall);
    this.listing = new RecordListing(dispatch, keys);
    this.surroundings =
        new SurroundingsCheck(
            connections.store(), dispatch, options, connections.isCluster(), wallClock);
  }

  /**
   * Opens a store on a server of its own connections, with the default options.
   *
   * @param uri the server, or the Sentinels and the name of what they guard
   * @return the store
   */
  public static RedisLeaseStore open(RedisURI uri) {
    return open(uri, RedisLeaseOptions.defaults());
  }

  /**
   * Opens a store on a server. Does not fail when the server is away: the calls do, until it is
   * back. Looks at the server, for one time-out at most, and logs what is amiss, see {@link
   * #findings()}.
   *
   * @param uri the server, or the Sentinels and the name of what they guard
   * @param options the options
   * @return the store, which owns its connections and threads
   */
  public static RedisLeaseStore open(RedisURI uri, RedisLeaseOptions options) {
    return open(uri, options, InstantSource.system());
  }

  /** With another wall clock, which serves to tell how far the server's is from it. */
  static RedisLeaseStore open(RedisURI uri, RedisLeaseOptions options, InstantSource wallClock) {
    return started(
        new RedisLeaseStore(RedisConnections.ofServer(uri, options), options, wallClock));
  }

  /**
   * Opens a store on a cluster, as {@link #open(RedisURI, RedisLeaseOptions)} does on a server.
   *
   * @param seeds some of the cluster's nodes, at least one
   * @param options the options
   * @return the store, which owns its connections and threads
   * @throws IllegalArgumentException if there is no seed
   */
  public static RedisLeaseStore openCluster(List<RedisURI> seeds, RedisLeaseOptions options) {
    return started(
        new RedisLeaseStore(
            RedisConnections.ofCluster(seeds, options), options, InstantSource.system()));
  }

  /**
   * A store that shares a client's threads and settings. Its connections are its own, because they
   * must not reconnect by themselves; closing the store closes them and leaves the client alone.
   *
   * @param client the client
   * @param uri the server, or the Sentinels and the name of what they guard
   * @param options the options
   * @return the store
   */
  public static RedisLeaseStore of(RedisClient client, RedisURI uri, RedisLeaseOptions options) {
    return started(
        new RedisLeaseStore(
            RedisConnections.ofServer(client, uri, options), options, InstantSource.system()));
  }

  /**
   * A store that shares a cluster client's threads, settings and view of the cluster. Its
   * connections are its own; closing the store closes them and leaves the client alone.
   *
   * @param client the client
   * @param options the options
   * @return the store
   */
  public static RedisLeaseStore of(RedisClusterClient client, RedisLeaseOptions options) {
    return started(
        new RedisLeaseStore(
            RedisConnections.ofCluster(client, options), options, InstantSource.system()));
  }

  private static RedisLeaseStore started(RedisLeaseStore store) {
    store.surroundings.log();
    return store;
  }

  @Override
  public AcquireAnswer acquire(LeaseName name, String owner, String attempt, Duration ttl) {
    return acquireAll(List.of(new AcquireRequest(name, owner, attempt, ttl))).get(0);
  }

  @Override
  public List<AcquireAnswer> acquireAll(List<AcquireRequest> requests) {
    checkOpen("acquire");
    List<ScriptCall> calls = new ArrayList<>(requests.size());
    for (AcquireRequest request : requests) {
      calls.add(
          call(
              LeaseScript.ACQUIRE,
              request.name(),
              request.owner(),
              request.attempt(),
              Long.toString(request.ttl().toMillis())));
    }
    List<Answer> answers = grants.acquireAll(requests, calls);
    return each(
        requests,
        answers,
        (request, answer) -> {
          LeaseView view = viewed("acquire", request.name(), answer);
          return answer.word().equals("granted")
              ? new AcquireAnswer.Granted(view.asLease())
              : new AcquireAnswer.Held(view);
        });
  }

  @Override
  public RenewAnswer renew(Lease lease, Duration ttl) {
    return renewAll(List.of(lease), ttl).get(0);
  }

  @Override
  public List<RenewAnswer> renewAll(List<Lease> leases, Duration ttl) {
    String millis = Long.toString(LeaseArguments.ttl(ttl).toMillis());
    checkOpen("renew");
    List<Answer> answers =
        dispatch.runAll(
            "renew",
            mapped(
                leases,
                lease ->
                    call(
                        LeaseScript.RENEW,
                        lease.name(),
                        lease.token().toString(),
                        lease.attempt(),
                        millis)));
    return each(
        leases,
        answers,
        (lease, answer) -> {
          if (answer.word().equals("absent")) {
            return new RenewAnswer.Lost(Optional.empty());
          }
          LeaseView view = viewed("renew", lease.name(), answer);
          return answer.word().equals("renewed")
              ? new RenewAnswer.Renewed(view.asLease())
              : new RenewAnswer.Lost(Optional.of(view));
        });
  }

  @Override
  public ReleaseAnswer release(Lease lease, Duration linger) {
    return releaseAll(List.of(lease), linger).get(0);
  }

  @Override
  public List<ReleaseAnswer> releaseAll(List<Lease> leases, Duration linger) {
    String millis = Long.toString(LeaseArguments.linger(linger).toMillis());
    checkOpen("release");
    List<Answer> answers =
        dispatch.runAll(
            "release",
            mapped(
                leases,
                lease ->
                    signalling(
                        LeaseScript.RELEASE,
                        lease.name(),
                        lease.token().toString(),
                        lease.attempt(),
                        millis)));
    return each(
        leases,
        answers,
        (lease, answer) ->
            switch (answer.word()) {
              case "released" -> ReleaseAnswer.RELEASED;
              case "ended" -> ReleaseAnswer.ALREADY_ENDED;
              case "lost" -> ReleaseAnswer.LOST;
              default -> throw unreadable("release", lease.name(), answer);
            });
  }

  @Override
  public void abandon(LeaseName name, String owner, String attempt) {
    LeaseArguments.owner(owner);
    LeaseArguments.attempt(attempt);
    checkOpen("abandon");
    // Down the line of the acquire, so that it stays behind it.
    Answer answer = grants.dispatch().run("abandon", abandonCall(name, attempt));
    if (answer.word().equals("broken")) {
      throw unreadable("abandon", name, answer);
    }
  }

  @Override
  public Optional<LeaseView> read(LeaseName name) {
    checkOpen("read");
    Answer answer = dispatch.run("read", call(LeaseScript.VIEW, name));
    if (answer.word().equals("absent")) {
      return Optional.empty();
    }
    return Optional.of(viewed("read", name, answer)).filter(LeaseView::isLive);
  }

  @Override
  public LeasePage inspect(String prefix, Page page) {
    LeaseArguments.prefix(prefix);
    checkOpen("inspect");
    return listing.page(prefix, page);
  }

  /** {@inheritDoc} A record whose token is ahead of a clock that was set back is kept. */
  @Override
  public long reclaim(Duration endedFor) {
    long millis = LeaseArguments.endedFor(endedFor).toMillis();
    checkOpen("reclaim");
    return listing.reclaim(millis);
  }

  @Override
  public Subscription subscribe(LeaseName name, Runnable onRelease) {
    if (!options.signals() || closed.get()) {
      return Subscription.NONE;
    }
    return connections.signals().subscribe(keys.channel(name), onRelease);
  }

  /**
   * What this store found out about its servers just now, for {@code leasehold doctor} and for
   * logs. Reads only; an unreachable server is a finding too.
   *
   * @return the findings, those of one server together
   */
  public List<RedisFinding> findings() {
    checkOpen("findings");
    return surroundings.findings();
  }

  /** Closes the connections; waits for 2 s at most. Leases that are held stay held. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      connections.close();
    }
  }

  private void checkOpen(String what) {
    if (closed.get()) {
      throw dispatch.failure(Outcome.NOT_APPLIED, what, "was called on a closed store", null);
    }
  }

  private ScriptCall call(LeaseScript script, LeaseName name, String... arguments) {
    return new ScriptCall(script, keys.key(name), List.of(arguments));
  }

  private ScriptCall abandonCall(LeaseName name, String attempt) {
    return signalling(LeaseScript.ABANDON, name, attempt);
  }

  /** A call that is followed by the channel and the name, or by nothing when signals are off. */
  private ScriptCall signalling(LeaseScript script, LeaseName name, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    if (options.signals()) {
      all.add(keys.channel(name));
      all.add(name.value());
    }
    return new ScriptCall(script, keys.key(name), all);
  }

  private LeaseView viewed(String what, LeaseName name, Answer answer) {
    try {
      if (!answer.word().equals("broken")) {
        return answer.view(name);
      }
    } catch (IllegalArgumentException e) {
      throw dispatch.failure(Outcome.UNKNOWN, what, "found no lease at " + keys.key(name), e);
    }
    throw unreadable(what, name, answer);
  }

  private LeaseStoreException unreadable(String what, LeaseName name, Answer answer) {
    String why =
        "found a hash at "
            + keys.key(name)
            + " that is not a lease record ("
            + answer.word()
            + "); somebody else wrote it: rename or delete it";
    return dispatch.failure(Outcome.NOT_APPLIED, what, why, null);
  }

  private static <T> List<ScriptCall> mapped(List<T> all, Function<T, ScriptCall> call) {
    return all.stream().map(call).toList();
  }

  private static <T, R> List<R> each(
      List<T> asked, List<Answer> answers, AnswerReading<T, R> reading) {
    List<R> read = new ArrayList<>(asked.size());
    for (int i = 0; i < asked.size(); i++) {
      read.add(reading.read(asked.get(i), answers.get(i)));
    }
    return read;
  }

  /** Turns one answer into what the contract says. */
  private interface AnswerReading<T, R> {
    R read(T asked, Answer answer);
  }
}
