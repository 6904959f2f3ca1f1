package io.leasehold.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;

/** A cluster of three primaries, wired by the commands an operator would use. */
final class RedisClusterProcesses implements AutoCloseable {

  private static final int SLOTS = 16_384;

  final List<RedisProcess> nodes = new ArrayList<>();

  RedisClusterProcesses() {
    for (int i = 0; i < 3; i++) {
      nodes.add(
          RedisProcess.started(
              "--cluster-enabled",
              "yes",
              "--cluster-port",
              "" + RedisProcess.freePort(),
              "--cluster-node-timeout",
              "2000"));
    }
    for (int i = 0; i < 3; i++) {
      cluster(i, "ADDSLOTSRANGE", "" + i * SLOTS / 3, "" + ((i + 1) * SLOTS / 3 - 1));
      cluster(i, "SET-CONFIG-EPOCH", "" + (i + 1));
    }
    for (int i = 1; i < 3; i++) {
      cluster(0, "MEET", "127.0.0.1", "" + nodes.get(i).port(), busPort(i));
    }
    Awaitility.await("cluster")
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                nodes.stream()
                    .allMatch(
                        node -> {
                          String info = node.commands().clusterInfo();
                          return info.contains("cluster_state:ok")
                              && info.contains("cluster_known_nodes:3")
                              && info.contains("cluster_slots_ok:16384");
                        }));
  }

  List<RedisURI> seeds() {
    return nodes.stream().map(RedisProcess::uri).toList();
  }

  /** CLUSTER with any arguments, on one node. */
  void cluster(int node, String... arguments) {
    CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
    for (String argument : arguments) {
      args.add(argument);
    }
    nodes
        .get(node)
        .commands()
        .dispatch(CommandType.CLUSTER, new StatusOutput<>(StringCodec.UTF8), args);
  }

  @Override
  public void close() {
    nodes.forEach(RedisProcess::close);
  }

  private String busPort(int node) {
    return nodes.get(node).commands().configGet("cluster-port").getOrDefault("cluster-port", "");
  }
}
