package io.leasehold.redis;

import io.leasehold.Ticker;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A cluster: every master has a wire of its own. The cluster client draws the picture of who owns
 * which slot; it is drawn anew after a redirection, and when a server does not answer.
 *
 * <p>The cluster client's own connection is not used: its batches are sent slot by slot, it waits
 * for connections on the caller's thread, and it refuses the first command to each node when
 * commands are not to be queued.
 */
// The futures are watched by callbacks, or nobody waits for them to be done, as when closing.
@SuppressWarnings("FutureReturnValueIgnored")
final class ClusterServers implements Servers {

  /** The least time between two drawings, in nanoseconds: 200 ms. */
  private static final long PAUSE = 200_000_000;

  private final RedisClusterClient topology;
  private final Function<RedisURI, Wire> wiring;
  private final Map<RedisAddress, Wire> wires = new ConcurrentHashMap<>();
  private final Ticker ticker;
  private final AtomicReference<@Nullable CompletableFuture<Void>> firstDrawing =
      new AtomicReference<>();
  private final AtomicLong drawnAt = new AtomicLong();

  ClusterServers(RedisClusterClient topology, Function<RedisURI, Wire> wiring, Ticker ticker) {
    this.topology = topology;
    this.wiring = wiring;
    this.ticker = ticker;
  }

  @Override
  public Wire having(String key, Deadline deadline) throws InterruptedException {
    int slot = SlotHash.getSlot(key);
    RedisClusterNode node = picture(deadline).getMasterBySlot(slot);
    if (node == null) {
      suspect();
      throw new UnreachableException("no server of the cluster owns slot " + slot, null);
    }
    return wire(node.getUri());
  }

  @Override
  public Wire at(String host, int port) {
    RedisAddress address = new RedisAddress(host, port);
    Wire known = wires.get(address);
    if (known != null) {
      return known;
    }
    // A node that is not in the picture yet: the same credentials and TLS, another address.
    RedisURI uri = RedisURI.builder(anyNode().getUri()).withHost(host).withPort(port).build();
    return wire(uri);
  }

  @Override
  public List<String> ids(Deadline deadline) throws InterruptedException {
    return picture(deadline).stream()
        .filter(node -> node.getRole().isUpstream() && !node.hasNoSlots())
        .map(RedisClusterNode::getNodeId)
        .sorted(Comparator.naturalOrder())
        .toList();
  }

  @Override
  public Wire of(String id) {
    RedisClusterNode node = topology.getPartitions().getPartitionByNodeId(id);
    if (node == null) {
      throw new UnreachableException("server " + id + " has left the cluster", null);
    }
    return wire(node.getUri());
  }

  @Override
  public String address(String id) {
    RedisClusterNode node = topology.getPartitions().getPartitionByNodeId(id);
    return node == null ? id : node.getUri().getHost() + ":" + node.getUri().getPort();
  }

  /** Draws in the background, one at a time and not too often; calls go on by the old picture. */
  @Override
  public void suspect() {
    CompletableFuture<Void> first = firstDrawing.get();
    if (first == null || !first.isDone() || first.isCompletedExceptionally()) {
      return;
    }
    long last = drawnAt.get();
    long now = ticker.nanos();
    if (now - last > PAUSE && drawnAt.compareAndSet(last, now)) {
      draw();
    }
  }

  @Override
  public void close() {
    wires.values().forEach(Wire::close);
  }

  private Partitions picture(Deadline deadline) throws InterruptedException {
    CompletableFuture<Void> seen = firstDrawing.get();
    if (seen == null || seen.isCompletedExceptionally()) {
      CompletableFuture<Void> fresh = new CompletableFuture<>();
      if (firstDrawing.compareAndSet(seen, fresh)) {
        draw()
            .whenComplete(
                (done, failure) -> {
                  if (failure == null) {
                    fresh.complete(null);
                  } else {
                    fresh.completeExceptionally(failure);
                  }
                });
        seen = fresh;
      } else {
        return picture(deadline);
      }
    }
    try {
      seen.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new UnreachableException("the cluster did not tell its nodes", e.getCause());
    } catch (TimeoutException e) {
      throw new UnreachableException("the cluster did not tell its nodes in time", e);
    }
    return topology.getPartitions();
  }

  private CompletionStage<Void> draw() {
    drawnAt.set(ticker.nanos());
    return topology.refreshPartitionsAsync().thenRun(this::closeThoseThatLeft);
  }

  private void closeThoseThatLeft() {
    Set<RedisAddress> present =
        topology.getPartitions().stream()
            .map(node -> RedisAddress.of(node.getUri()))
            .collect(Collectors.toSet());
    for (RedisAddress address : List.copyOf(wires.keySet())) {
      if (!present.contains(address)) {
        Wire gone = wires.remove(address);
        if (gone != null) {
          gone.close();
        }
      }
    }
  }

  private RedisClusterNode anyNode() {
    return topology.getPartitions().iterator().next();
  }

  private Wire wire(RedisURI uri) {
    return wires.computeIfAbsent(RedisAddress.of(uri), address -> wiring.apply(uri));
  }
}
