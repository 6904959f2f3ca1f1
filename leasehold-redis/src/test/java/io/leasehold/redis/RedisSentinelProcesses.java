package io.leasehold.redis;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import org.awaitility.Awaitility;

/** A primary, its replica, and a Sentinel that watches them. */
final class RedisSentinelProcesses implements AutoCloseable {

  final RedisProcess primary;
  final RedisProcess replica;
  private final RedisProcess sentinel;

  RedisSentinelProcesses() {
    primary = RedisProcess.started();
    replica = RedisProcess.started("--replicaof", "127.0.0.1", "" + primary.port());
    Awaitility.await("replica")
        .atMost(Duration.ofSeconds(30))
        .until(() -> primary.commands().info("replication").contains("state=online"));
    sentinel =
        RedisProcess.sentinel(
            String.join(
                "\n",
                "sentinel monitor leases 127.0.0.1 " + primary.port() + " 1",
                "sentinel down-after-milliseconds leases 2000",
                "sentinel failover-timeout leases 3000",
                ""));
    Awaitility.await("sentinel knows the replica")
        .atMost(Duration.ofSeconds(30))
        .until(() -> sentinel.answers("SENTINEL REPLICAS leases").contains("" + replica.port()));
  }

  RedisURI uri() {
    return RedisURI.Builder.sentinel("127.0.0.1", sentinel.port(), "leases").build();
  }

  @Override
  public void close() {
    sentinel.close();
    replica.close();
    primary.close();
  }
}
