package io.leasehold.mongodb;

import com.mongodb.client.MongoClient;
import io.leasehold.LeaseStore;
import io.leasehold.tck.Capability;
import io.leasehold.tck.LeaseStoreConformance;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** The conformance suite by a caller's clock, which the suite moves. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MongoOnCallersClockConformanceTest extends LeaseStoreConformance {

  private final MongoServerUnderTest server = MongoServerUnderTest.start();
  private final MongoClient client = server.client();
  private final AtomicReference<Instant> now =
      new AtomicReference<>(InstantSource.system().instant());

  @AfterAll
  void stop() {
    client.close();
    server.close();
  }

  @Override
  public LeaseStore openStore() {
    return MongoLeaseStore.builder(client).database(server.database()).clock(now::get).build();
  }

  @Override
  public Optional<Consumer<Duration>> clock() {
    return Optional.of(time -> now.updateAndGet(at -> at.plus(time)));
  }

  @Override
  public Map<Capability, String> lacks() {
    Map<Capability, String> lacks = new EnumMap<>(Capability.class);
    lacks.putAll(server.lacks());
    lacks.put(Capability.OWN_CLOCK, "the caller's clock decides");
    return lacks;
  }
}
