package io.leasehold.redis;

import io.leasehold.LeaseStore;
import io.leasehold.tck.LeaseStoreConformance;
import io.lettuce.core.RedisURI;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The suite on one server: one started here, or the one that LEASEHOLD_REDIS_URI names. */
final class RedisLeaseStoreConformanceTest extends LeaseStoreConformance {

  private static @Nullable RedisProcess server;
  private static RedisURI uri = RedisURI.create("redis://127.0.0.1");

  @BeforeAll
  static void startServer() {
    String given = System.getenv("LEASEHOLD_REDIS_URI");
    if (given != null) {
      uri = RedisURI.create(given);
    } else {
      RedisProcess started = RedisProcess.started();
      server = started;
      uri = started.uri();
    }
  }

  @AfterAll
  static void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  @Override
  public LeaseStore openStore() {
    return RedisLeaseStore.open(uri);
  }

  @Override
  public Optional<LeaseStore> openStoreOnClock(InstantSource callersClock) {
    return Optional.of(RedisLeaseStore.open(uri, RedisLeaseOptions.defaults(), callersClock));
  }

  @Override
  public Optional<LeaseStore> openUnreachableStore() {
    return Optional.of(
        RedisLeaseStore.open(RedisURI.create("redis://127.0.0.1:" + RedisProcess.freePort())));
  }
}
