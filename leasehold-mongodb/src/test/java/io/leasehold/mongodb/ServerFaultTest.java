package io.leasehold.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.mongodb.client.MongoClient;
import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseStoreException.Outcome;
import io.leasehold.Page;
import io.leasehold.RenewAnswer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The server stops, starts, and forgets. */
class ServerFaultTest {

  private static final Duration TTL = Duration.ofMinutes(1);

  /** A call against a server that is away takes this long; the rest is the machine's. */
  private static final Duration TIMEOUT = Duration.ofMillis(500);

  private final MongoServerUnderTest server = MongoServerUnderTest.startOwn();
  private final MongoClient client = server.client();
  private final MongoLeaseStore patient =
      MongoLeaseStore.builder(client).database(server.database()).build();
  private final MongoLeaseStore store =
      MongoLeaseStore.builder(client).database(server.database()).callTimeout(TIMEOUT).build();
  private final LeaseName name = LeaseName.of("job");

  @AfterEach
  void close() {
    store.close();
    patient.close();
    client.close();
    server.close();
  }

  @Test
  void aServerThatIsBackWithinTheHoldFindsTheSameLease() {
    Lease held = take("a1");
    server.stop();
    assertThat(outcome(() -> store.renew(held, TTL))).isNotNull();
    server.startAgain();
    Lease renewed = ((RenewAnswer.Renewed) eventuallyRenewed(held)).lease();
    assertThat(renewed.token()).isEqualTo(held.token());
    assertThat(patient.acquire(name, "bob", "b1", TTL)).isInstanceOf(AcquireAnswer.Held.class);
  }

  @Test
  void aServerThatIsAwayAnswersNothingAndEveryCallIsBounded() {
    Lease held = take("a1");
    server.stop();
    AcquireRequest request = new AcquireRequest(name, "bob", "b1", TTL);
    List<ThrowingCallable> calls =
        List.of(
            () -> store.acquire(name, "bob", "b1", TTL),
            () -> store.renew(held, TTL),
            () -> store.release(held, Duration.ZERO),
            () -> store.abandon(name, "alice", "a1"),
            () -> store.read(name),
            () -> store.inspect("", Page.first(10)),
            () -> store.reclaim(Duration.ZERO),
            () -> store.acquireAll(List.of(request)),
            () -> store.renewAll(List.of(held), TTL),
            () -> store.releaseAll(List.of(held), Duration.ZERO),
            store::createIndexes);
    for (ThrowingCallable each : calls) {
      long sent = System.nanoTime();
      assertThat(outcome(each)).isNotNull();
      // 500 ms, and as much again for a loaded machine.
      assertThat(Duration.ofNanos(System.nanoTime() - sent)).isLessThan(TIMEOUT.multipliedBy(2));
    }
    // The first call may still have had a connection to lose; by now there is none to send by.
    assertThat(outcome(() -> store.acquire(name, "bob", "b2", TTL))).isEqualTo(Outcome.NOT_APPLIED);
    assertThat(outcome(() -> store.renew(held, TTL))).isEqualTo(Outcome.NOT_APPLIED);
  }

  @Test
  void aStoreOpenedWhileTheServerIsAwayServesWhenItIsBack() {
    server.stop();
    try (MongoClient later = server.client();
        MongoLeaseStore early =
            MongoLeaseStore.builder(later)
                .database(server.database())
                .callTimeout(TIMEOUT)
                .build()) {
      assertThat(outcome(() -> early.acquire(name, "bob", "b1", TTL)))
          .isEqualTo(Outcome.NOT_APPLIED);
      server.startAgain();
      // The same attempt again, so that one that was applied and not answered is found.
      AcquireAnswer answer = Eventually.answered(() -> early.acquire(name, "bob", "b2", TTL));
      assertThat(answer).isInstanceOf(AcquireAnswer.Granted.class);
    }
  }

  @Test
  void aServerThatLostItsDataEndsTheTermAndTheNextTokenIsGreater() {
    Lease held = take("a1");
    client.getDatabase(server.database()).drop();
    assertThat(patient.renew(held, TTL)).isEqualTo(new RenewAnswer.Lost(Optional.empty()));
    assertThat(take("a2").token()).isGreaterThan(held.token());
  }

  @Test
  void aClosedStoreSendsNothing() {
    Lease held = take("a1");
    store.close();
    store.close();
    assertThat(outcome(() -> store.renew(held, TTL))).isEqualTo(Outcome.NOT_APPLIED);
  }

  @Test
  void aMessageNamesStoreAndCallAndNoPassword() {
    take("a1");
    server.stop();
    LeaseStoreException failure =
        catchThrowableOfType(
            LeaseStoreException.class, () -> store.acquire(name, "bob", "b1", TTL));
    assertThat(failure)
        .hasMessageStartingWith(
            "MongoDB store " + server.database() + ".leases: acquire of 'job' was not answered: ");
  }

  private RenewAnswer eventuallyRenewed(Lease held) {
    return Eventually.answered(() -> store.renew(held, TTL));
  }

  private static Outcome outcome(ThrowingCallable call) {
    LeaseStoreException failure = catchThrowableOfType(LeaseStoreException.class, call);
    assertThat(failure).as("no answer").isNotNull();
    return failure.outcome();
  }

  private Lease take(String attempt) {
    return ((AcquireAnswer.Granted) patient.acquire(name, "alice", attempt, TTL)).lease();
  }
}
