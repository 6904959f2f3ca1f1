package io.leasehold.redis;

import io.leasehold.Ticker;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Everything of one store that is connected to something, and how it is closed.
 *
 * <p>The store always has a client of its own, so that its connections do not reconnect by
 * themselves (see {@link Wire}); it shares the threads and the settings of the client that it was
 * given.
 */
final class RedisConnections {

  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(2);

  private final RedisLeaseOptions options;
  private final Ticker ticker = Ticker.system();
  private final RedisClient client;
  private final Optional<RedisClusterClient> topology;
  private final boolean ownsTopology;
  private final Optional<ClientResources> ownResources;
  private final Optional<RedisURI> uri;
  private final String store;
  private final Servers servers;
  private final Servers serversOfGrants;
  private final ScriptDispatch dispatch;
  private final ReleaseSignals signals;

  private RedisConnections(
      RedisLeaseOptions options,
      String store,
      RedisClient client,
      Optional<RedisURI> uri,
      Optional<RedisClusterClient> topology,
      Optional<ClientResources> ownResources) {
    this.options = options;
    this.store = store;
    this.client = client;
    this.uri = uri;
    this.topology = topology;
    this.ownsTopology = topology.isPresent() && ownResources.isPresent();
    this.ownResources = ownResources;
    this.servers = newServers();
    this.serversOfGrants = newServers();
    this.dispatch = newDispatch(servers);
    this.signals = new ReleaseSignals(this::openSignals);
  }

  static RedisConnections ofServer(RedisURI uri, RedisLeaseOptions options) {
    ClientResources resources = newResources();
    return new RedisConnections(
        options,
        described(uri),
        newClient(resources, ClientOptions.create(), options),
        Optional.of(uri),
        Optional.empty(),
        Optional.of(resources));
  }

  static RedisConnections ofServer(RedisClient given, RedisURI uri, RedisLeaseOptions options) {
    return new RedisConnections(
        options,
        described(uri),
        newClient(given.getResources(), given.getOptions(), options),
        Optional.of(uri),
        Optional.empty(),
        Optional.empty());
  }

  static RedisConnections ofCluster(List<RedisURI> seeds, RedisLeaseOptions options) {
    if (seeds.isEmpty()) {
      throw new IllegalArgumentException("no seed; name at least one node of the cluster");
    }
    ClientResources resources = newResources();
    RedisClusterClient topology = RedisClusterClient.create(resources, seeds);
    topology.setOptions(
        ClusterClientOptions.builder()
            .socketOptions(SocketOptions.builder().connectTimeout(options.timeout()).build())
            .build());
    return new RedisConnections(
        options,
        "Redis Cluster at " + seeds.get(0).getHost() + ":" + seeds.get(0).getPort(),
        newClient(resources, ClientOptions.create(), options),
        Optional.empty(),
        Optional.of(topology),
        Optional.of(resources));
  }

  static RedisConnections ofCluster(RedisClusterClient given, RedisLeaseOptions options) {
    return new RedisConnections(
        options,
        "Redis Cluster",
        newClient(given.getResources(), given.getOptions(), options),
        Optional.empty(),
        Optional.of(given),
        Optional.empty());
  }

  ScriptDispatch dispatch() {
    return dispatch;
  }

  /** The same servers by lines of their own. */
  ScriptDispatch dispatchOfGrants() {
    return newDispatch(serversOfGrants);
  }

  ReleaseSignals signals() {
    return signals;
  }

  boolean isCluster() {
    return topology.isPresent();
  }

  /** The name of the store in messages: never with a password. */
  String store() {
    return store;
  }

  /** Closes all that the store opened, waiting for {@link #LONGEST_CLOSE} at most. */
  void close() {
    Deadline deadline = Deadline.in(LONGEST_CLOSE, ticker);
    signals.close(deadline);
    servers.close();
    serversOfGrants.close();
    long millis = LONGEST_CLOSE.toMillis();
    await(client.shutdownAsync(0, millis, TimeUnit.MILLISECONDS), deadline);
    if (ownsTopology && topology.isPresent()) {
      await(topology.get().shutdownAsync(0, millis, TimeUnit.MILLISECONDS), deadline);
    }
    if (ownResources.isPresent()) {
      await(ownResources.get().shutdown(0, millis, TimeUnit.MILLISECONDS), deadline);
    }
  }

  private Servers newServers() {
    if (topology.isPresent()) {
      return new ClusterServers(topology.get(), this::newWire, ticker);
    }
    return new SingleServer(newWire(uri.orElseThrow()), store);
  }

  private ScriptDispatch newDispatch(Servers to) {
    return new ScriptDispatch(store, to, options.timeout(), ticker);
  }

  private Wire newWire(RedisURI to) {
    return new Wire(() -> client.connectAsync(StringCodec.UTF8, to), options.timeout(), ticker);
  }

  /** A cluster passes what is published on to all its nodes, so that any of them will do. */
  private CompletionStage<StatefulRedisPubSubConnection<String, String>> openSignals() {
    Supplier<RedisURI> anyNode =
        () ->
            topology.orElseThrow().getPartitions().stream()
                .filter(node -> node.getRole().isUpstream())
                .findAny()
                .orElseThrow(() -> new UnreachableException("the cluster has no primary", null))
                .getUri();
    if (uri.isPresent()) {
      return client.connectPubSubAsync(StringCodec.UTF8, uri.get());
    }
    // The picture of the cluster may have to be drawn first; the driver waits for it, we must not.
    return CompletableFuture.supplyAsync(anyNode)
        .thenCompose(node -> client.connectPubSubAsync(StringCodec.UTF8, node));
  }

  private static RedisClient newClient(
      ClientResources resources, ClientOptions basis, RedisLeaseOptions options) {
    RedisClient client = RedisClient.create(resources);
    client.setOptions(
        ClientOptions.copyOf(basis)
            .mutate()
            .autoReconnect(false)
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .socketOptions(
                basis.getSocketOptions().mutate().connectTimeout(options.timeout()).build())
            .build());
    return client;
  }

  private static ClientResources newResources() {
    return DefaultClientResources.builder()
        .threadFactoryProvider(pool -> new DefaultThreadFactory("leasehold-redis-" + pool, true))
        .build();
  }

  private static String described(RedisURI uri) {
    if (!uri.getSentinels().isEmpty()) {
      return "Redis '" + uri.getSentinelMasterId() + "' of Sentinel";
    }
    return uri.getSocket() != null
        ? "Redis at " + uri.getSocket()
        : "Redis at " + uri.getHost() + ":" + uri.getPort();
  }

  private static void await(Future<?> closing, Deadline deadline) {
    try {
      closing.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // What does not close in time is left to its daemon threads.
    }
  }
}
