package io.leasehold.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.mongodb.client.MongoClient;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import io.leasehold.AcquireAnswer;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseStoreException.Outcome;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import io.leasehold.tck.net.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A connection hangs, breaks, or loses an answer. */
class WireFaultTest {

  private static final Duration TTL = Duration.ofMinutes(1);
  private static final Duration TIMEOUT = Duration.ofMillis(800);

  private final MongoServerUnderTest server = MongoServerUnderTest.startOwn();
  private final TcpProxy wire = TcpProxy.to("127.0.0.1", server.address().getPort());
  private final AtCommand atCommand = new AtCommand();
  private final MongoClient client =
      MongoServerUnderTest.client(
          MongoServerUnderTest.uri(wire.port()) + "/?maxPoolSize=1", atCommand);
  private final MongoLeaseStore patient =
      MongoLeaseStore.builder(client).database(server.database()).build();
  private final MongoLeaseStore store =
      MongoLeaseStore.builder(client).database(server.database()).callTimeout(TIMEOUT).build();

  /** Past the wire: what the server really has. */
  private final MongoLeaseStore truth = server.open();

  private final LeaseName name = LeaseName.of("job");

  @AfterEach
  void close() {
    wire.close();
    store.close();
    patient.close();
    truth.close();
    client.close();
    server.close();
  }

  @Test
  void aConnectionThatHangsIsBoundedAndTheSameLeaseGoesOn() {
    Lease held = take(patient, "a1");
    // Once, so that this store has a sample of the clock and its next command is the renewal.
    assertThat(Eventually.answered(() -> store.renew(held, TTL)))
        .isInstanceOf(RenewAnswer.Renewed.class);
    wire.stall();
    long sent = System.nanoTime();
    assertThat(outcome(() -> store.renew(held, TTL))).isEqualTo(Outcome.UNKNOWN);
    // 800 ms, and as much again for a loaded machine.
    assertThat(Duration.ofNanos(System.nanoTime() - sent)).isLessThan(TIMEOUT.multipliedBy(2));
    // Nothing but a look was sent, so nothing can have happened.
    assertThat(outcome(() -> store.acquire(name, "bob", "b1", TTL))).isEqualTo(Outcome.NOT_APPLIED);
    wire.restore();
    wire.cutAll();
    RenewAnswer again = Eventually.answered(() -> patient.renew(held, TTL));
    assertThat(((RenewAnswer.Renewed) again).lease().token()).isEqualTo(held.token());
  }

  @Test
  void aConnectionThatIsCutCostsAtMostOneCall() {
    Lease held = take(patient, "a1");
    wire.cutAll();
    RenewAnswer again = Eventually.answered(() -> patient.renew(held, TTL));
    assertThat(again).isInstanceOf(RenewAnswer.Renewed.class);
  }

  @Test
  void aGrantWhoseAnswerIsLostIsGivenBackByAbandonAndLocksNobodyOut() {
    store.release(take(patient, "a1"), Duration.ZERO);
    loseTheAnswerTo("findAndModify");
    assertThat(outcome(() -> patient.acquire(name, "alice", "a2", TTL))).isEqualTo(Outcome.UNKNOWN);
    assertThat(truth.read(name)).isPresent();
    repair();
    Eventually.answered(
        () -> {
          patient.abandon(name, "alice", "a2");
          return true;
        });
    assertThat(truth.read(name)).isEmpty();
    assertThat(truth.acquire(name, "bob", "b1", TTL)).isInstanceOf(AcquireAnswer.Granted.class);
  }

  @Test
  void aGrantWhoseAnswerIsLostIsTheSameGrantWhenTheSameAttemptAsksAgain() {
    take(patient, LeaseName.of("other"), "o1");
    loseTheAnswerTo("update");
    assertThat(outcome(() -> patient.acquire(name, "alice", "a1", TTL))).isEqualTo(Outcome.UNKNOWN);
    var taken = truth.read(name).orElseThrow();
    repair();
    AcquireAnswer answer = Eventually.answered(() -> patient.acquire(name, "alice", "a1", TTL));
    Lease lease = ((AcquireAnswer.Granted) answer).lease();
    assertThat(lease.token()).isEqualTo(taken.token());
    assertThat(lease.expiresAt()).isEqualTo(taken.expiresAt());
  }

  @Test
  void aRenewalOrReleaseWhoseAnswerIsLostMayBeAskedAgain() {
    Lease held = take(patient, "a1");
    loseTheAnswerTo("findAndModify");
    assertThat(outcome(() -> patient.renew(held, TTL))).isEqualTo(Outcome.UNKNOWN);
    repair();
    assertThat(Eventually.answered(() -> patient.renew(held, TTL)))
        .isInstanceOf(RenewAnswer.Renewed.class);
    loseTheAnswerTo("update");
    assertThat(outcome(() -> patient.release(held, Duration.ZERO))).isEqualTo(Outcome.UNKNOWN);
    repair();
    assertThat(Eventually.answered(() -> patient.release(held, Duration.ZERO)))
        .isEqualTo(ReleaseAnswer.ALREADY_ENDED);
    assertThat(truth.read(name)).isEmpty();
  }

  @Test
  void aBatchWhoseAnswerIsLostIsUnknownAndMayBeAskedAgain() {
    Lease held = take(patient, "a1");
    loseTheAnswerTo("update");
    assertThat(outcome(() -> patient.renewAll(List.of(held), TTL))).isEqualTo(Outcome.UNKNOWN);
    repair();
    assertThat(Eventually.answered(() -> patient.renewAll(List.of(held), TTL)))
        .allMatch(RenewAnswer.Renewed.class::isInstance);
  }

  /** The one connection is with a call that hangs. */
  @Test
  void aPoolWithNoFreeConnectionIsNoAnswerAndCertainlyNotApplied() throws Exception {
    take(patient, "a1");
    CountDownLatch sent = new CountDownLatch(1);
    atCommand.next =
        (command) -> {
          wire.stall();
          sent.countDown();
        };
    Thread hanging =
        new Thread(
            () ->
                // The driver may look again once the wire is repaired, and be answered.
                assertThatCode(() -> patient.acquire(name, "bob", "b1", TTL))
                    .satisfiesAnyOf(
                        thrown -> assertThat(thrown).isNull(),
                        thrown -> assertThat(thrown).isInstanceOf(LeaseStoreException.class)));
    hanging.start();
    assertThat(sent.await(10, TimeUnit.SECONDS)).isTrue();
    long asked = System.nanoTime();
    assertThat(outcome(() -> store.acquire(name, "bob", "b2", TTL))).isEqualTo(Outcome.NOT_APPLIED);
    assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(TIMEOUT.multipliedBy(2));
    repair();
    wire.cutAll();
    hanging.join(10_000);
    assertThat(hanging.isAlive()).isFalse();
    assertThat(Eventually.answered(() -> patient.acquire(name, "bob", "b3", TTL)))
        .isInstanceOf(AcquireAnswer.Held.class);
  }

  @Test
  void anInterruptIsHonouredAndTheFlagIsKept() throws Exception {
    take(patient, "a1");
    CountDownLatch sent = new CountDownLatch(1);
    CountDownLatch kept = new CountDownLatch(1);
    atCommand.next = command -> sent.countDown();
    wire.stall();
    Thread calling =
        new Thread(
            () -> {
              outcome(() -> store.acquire(name, "bob", "b1", TTL));
              outcome(() -> store.acquire(name, "bob", "b2", TTL));
              if (Thread.currentThread().isInterrupted()) {
                kept.countDown();
              }
            });
    calling.start();
    assertThat(sent.await(10, TimeUnit.SECONDS)).isTrue();
    calling.interrupt();
    assertThat(kept.await(10, TimeUnit.SECONDS)).isTrue();
  }

  private void loseTheAnswerTo(String command) {
    atCommand.next =
        sent -> {
          if (sent.equals(command)) {
            wire.cutAtAnswer();
          }
        };
  }

  private void repair() {
    atCommand.next = command -> {};
    wire.restore();
  }

  private static Outcome outcome(ThrowingCallable call) {
    LeaseStoreException failure = catchThrowableOfType(LeaseStoreException.class, call);
    assertThat(failure).as("no answer").isNotNull();
    return failure.outcome();
  }

  private Lease take(MongoLeaseStore from, String attempt) {
    return take(from, name, attempt);
  }

  private static Lease take(MongoLeaseStore from, LeaseName taken, String attempt) {
    return ((AcquireAnswer.Granted) from.acquire(taken, "alice", attempt, TTL)).lease();
  }

  /** Does something just before a command is sent. */
  private static final class AtCommand implements CommandListener {
    private volatile java.util.function.Consumer<String> next = command -> {};

    @Override
    public void commandStarted(CommandStartedEvent event) {
      next.accept(event.getCommandName());
    }
  }
}
