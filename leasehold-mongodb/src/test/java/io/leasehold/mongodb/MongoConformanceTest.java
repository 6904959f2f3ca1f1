package io.leasehold.mongodb;

import com.mongodb.client.MongoClient;
import io.leasehold.LeaseStore;
import io.leasehold.Ticker;
import io.leasehold.tck.Capability;
import io.leasehold.tck.LeaseStoreConformance;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** The conformance suite by the server's clock. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MongoConformanceTest extends LeaseStoreConformance {

  private final MongoServerUnderTest server = MongoServerUnderTest.start();
  private final MongoClient client = server.client();

  @AfterAll
  void stop() {
    client.close();
    server.close();
  }

  @Override
  public LeaseStore openStore() {
    return MongoLeaseStore.builder(client).database(server.database()).build();
  }

  @Override
  public Optional<LeaseStore> openStoreOnClock(InstantSource callersClock) {
    // The only clock of the caller's that such a store reads carries the server's time forward.
    Ticker ticker = () -> Duration.between(Instant.EPOCH, callersClock.instant()).toNanos();
    LeaseCollection leases =
        new LeaseCollection(
            client.getDatabase(server.database()), "leases", Duration.ofSeconds(5), ticker);
    return Optional.of(
        new MongoLeaseStore(leases, new ServerClock(leases::serverTime, ticker), true, () -> {}));
  }

  @Override
  public Optional<LeaseStore> openUnreachableStore() {
    return Optional.of(
        MongoLeaseStore.builder(MongoServerUnderTest.client("mongodb://127.0.0.1:1"))
            .callTimeout(Duration.ofMillis(300))
            .ownClient()
            .build());
  }

  @Override
  public Map<Capability, String> lacks() {
    return server.lacks();
  }
}
