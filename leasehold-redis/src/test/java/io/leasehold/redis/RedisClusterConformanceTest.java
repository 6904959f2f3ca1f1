package io.leasehold.redis;

import io.leasehold.LeaseStore;
import io.leasehold.tck.LeaseStoreConformance;
import io.lettuce.core.RedisURI;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The suite on a cluster of three. */
final class RedisClusterConformanceTest extends LeaseStoreConformance {

  private static @Nullable RedisClusterProcesses cluster;
  private static List<RedisURI> seeds = List.of();

  @BeforeAll
  static void startCluster() {
    RedisClusterProcesses started = new RedisClusterProcesses();
    cluster = started;
    seeds = started.seeds();
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Override
  public LeaseStore openStore() {
    return RedisLeaseStore.openCluster(seeds, RedisLeaseOptions.defaults());
  }

  @Override
  public Optional<LeaseStore> openUnreachableStore() {
    RedisURI nobody = RedisURI.create("redis://127.0.0.1:" + RedisProcess.freePort());
    return Optional.of(RedisLeaseStore.openCluster(List.of(nobody), RedisLeaseOptions.defaults()));
  }
}
