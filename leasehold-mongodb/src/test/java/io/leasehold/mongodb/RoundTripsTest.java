package io.leasehold.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the table in docs/mongodb.md claims, counted by the driver: one command is one round trip.
 * The server's time is asked for at most every 10 s, so these tests do not meet it.
 */
class RoundTripsTest {

  private static final Duration TTL = Duration.ofMinutes(1);

  private final MongoServerUnderTest server = MongoServerUnderTest.start();
  private final MongoServerUnderTest.Commands commands = new MongoServerUnderTest.Commands();
  private final MongoClient client = server.client(commands);
  private final MongoLeaseStore store =
      MongoLeaseStore.builder(client)
          .database(server.database())
          // What is counted here is commands; a loaded machine may take its time for 2,000 changes.
          .callTimeout(Duration.ofMinutes(2))
          .build();
  private final LeaseName name = LeaseName.of("job");

  @BeforeEach
  void haveASample() {
    take(LeaseName.of("warm-up"), "warm-up");
    commands.forget();
  }

  @AfterEach
  void close() {
    store.close();
    client.close();
    server.close();
  }

  @Test
  void theFirstGrantOfANameIsALookAndOneCommandOfTwoStatements() {
    take(name, "a1");
    assertThat(commands.sent()).containsExactly("aggregate", "update");
  }

  @Test
  void aTakeoverIsALookAndAChange() {
    store.release(take(name, "a1"), Duration.ZERO);
    commands.forget();
    take(name, "a2");
    assertThat(commands.sent()).containsExactly("aggregate", "findAndModify");
  }

  @Test
  void aRefusalIsALook() {
    take(name, "a1");
    commands.forget();
    assertThat(store.acquire(name, "bob", "b1", TTL)).isInstanceOf(AcquireAnswer.Held.class);
    assertThat(commands.sent()).containsExactly("aggregate");
  }

  @Test
  void renewalReleaseAbandonReadAndAPageAreOneEach() {
    Lease lease = take(name, "a1");
    commands.forget();
    assertThat(store.renew(lease, TTL)).isInstanceOf(RenewAnswer.Renewed.class);
    assertThat(commands.sent()).containsExactly("findAndModify");
    commands.forget();
    assertThat(store.read(name)).isPresent();
    assertThat(commands.sent()).containsExactly("aggregate");
    commands.forget();
    assertThat(store.inspect("", Page.first(100)).leases()).hasSize(2);
    assertThat(commands.sent()).containsExactly("aggregate");
    commands.forget();
    assertThat(store.release(lease, Duration.ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
    assertThat(commands.sent()).containsExactly("update");
    take(name, "a2");
    commands.forget();
    store.abandon(name, "alice", "a2");
    assertThat(commands.sent()).containsExactly("update");
  }

  @Test
  void aThousandLeasesAreTakenInThreeRenewedInTwoAndReleasedInTwo() {
    List<AcquireRequest> requests =
        IntStream.range(0, 1_000)
            .mapToObj(i -> new AcquireRequest(LeaseName.of("order/" + i), "alice", "a" + i, TTL))
            .toList();
    List<Lease> leases =
        store.acquireAll(requests).stream()
            .map(answer -> ((AcquireAnswer.Granted) answer).lease())
            .toList();
    // mongo-java-server takes 1,000 statements at a time, MongoDB itself 100,000.
    assertThat(commands.sent()).startsWith("aggregate", "update").endsWith("aggregate");
    assertThat(commands.sent()).hasSizeBetween(3, 4);
    commands.forget();
    assertThat(store.renewAll(leases, TTL)).allMatch(RenewAnswer.Renewed.class::isInstance);
    assertThat(commands.sent()).containsExactly("update", "aggregate");
    commands.forget();
    assertThat(store.releaseAll(leases, Duration.ZERO)).containsOnly(ReleaseAnswer.RELEASED);
    assertThat(commands.sent()).containsExactly("aggregate", "update");
  }

  private Lease take(LeaseName taken, String attempt) {
    return ((AcquireAnswer.Granted) store.acquire(taken, "alice", attempt, TTL)).lease();
  }
}
