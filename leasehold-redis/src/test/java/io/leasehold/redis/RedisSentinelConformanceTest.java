package io.leasehold.redis;

import io.leasehold.LeaseStore;
import io.leasehold.tck.LeaseStoreConformance;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The suite through Sentinel, with grants that wait for the replica it watches. */
final class RedisSentinelConformanceTest extends LeaseStoreConformance {

  private static @Nullable RedisSentinelProcesses processes;
  private static RedisURI uri = RedisURI.create("redis://127.0.0.1");

  @BeforeAll
  static void startProcesses() {
    RedisSentinelProcesses started = new RedisSentinelProcesses();
    processes = started;
    uri = started.uri();
  }

  @AfterAll
  static void stopProcesses() {
    if (processes != null) {
      processes.close();
    }
  }

  @Override
  public LeaseStore openStore() {
    return RedisLeaseStore.open(
        uri, RedisLeaseOptions.defaults().waitForReplicas(1, Duration.ofSeconds(5)));
  }
}
