package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseStoreException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Signals, interrupts and closing: what a store does beside answering. */
abstract class LifeRules extends StoreRules {

  LifeRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("L63 a subscriber is told of a release")
  void aSubscriberIsToldOfARelease() throws Exception {
    needs(Capability.SIGNALS);
    assertTold(store(), lease -> store().release(lease, Duration.ZERO));
  }

  @Test
  @DisplayName("L64 a subscriber is told of an abandoned attempt")
  void aSubscriberIsToldOfAnAbandonedAttempt() throws Exception {
    needs(Capability.SIGNALS);
    assertTold(store(), lease -> store().abandon(lease.name(), lease.owner(), lease.attempt()));
  }

  @Test
  @DisplayName("L65 a subscriber on another store object is told")
  void aSubscriberOnAnotherStoreObjectIsTold() throws Exception {
    needs(Capability.SIGNALS);
    assertTold(anotherStore(), lease -> store().release(lease, Duration.ZERO));
  }

  /**
   * A signal may be lost, and subscribing does not wait for the store: so the name is given back
   * again and again until the subscriber is told, for as long as the fixture has patience.
   */
  private void assertTold(LeaseStore subscriber, Consumer<Lease> giveBack)
      throws InterruptedException {
    LeaseName name = name("awaited {*} 'job'");
    Semaphore told = new Semaphore(0);
    LeaseStore.Subscription subscription = subscriber.subscribe(name, told::release);
    try {
      long until = System.nanoTime() + fixture.patience().toNanos();
      boolean signalled = false;
      while (!signalled && System.nanoTime() < until) {
        giveBack.accept(grant(name, ALICE));
        signalled = told.tryAcquire(200, TimeUnit.MILLISECONDS);
      }
      assertThat(signalled).as("told within %s", fixture.patience()).isTrue();
      assertThat(store().read(name)).as("what was signalled is free").isEmpty();
    } finally {
      subscription.close();
      assertThatCode(subscription::close).as("closed twice").doesNotThrowAnyException();
    }
  }

  @Test
  @DisplayName("L66 an interrupted caller keeps its interrupt, and the store keeps working")
  void anInterruptedCallerKeepsItsInterrupt() {
    LeaseName name = name("job");
    String attempt = newAttempt();
    Thread.currentThread().interrupt();
    boolean kept;
    try {
      store().acquire(name, ALICE, attempt, LONG);
    } catch (LeaseStoreException e) {
      // No answer is a fair answer to an interrupt.
    } finally {
      kept = Thread.interrupted();
    }
    assertThat(kept).as("the interrupt belongs to the caller").isTrue();

    store().abandon(name, ALICE, attempt);
    Lease lease = granted(acquire(name, BOB, LONG), "the store still answers");
    renewed(store().renew(lease, LONG), "the store still answers");
  }

  @Test
  @DisplayName("L67 closing twice is closing once")
  void closingTwiceIsClosingOnce() throws Exception {
    LeaseStore closed = closedAfterwards(fixture.openStore());
    granted(closed.acquire(name("own"), ALICE, newAttempt(), LONG), "a free name");

    assertThatCode(
            () -> {
              closed.close();
              closed.close();
            })
        .as("close is idempotent")
        .doesNotThrowAnyException();
  }

  @Test
  @DisplayName("L68 closing a store object ends no lease, and no other store object")
  void closingAStoreEndsNoLease() throws Exception {
    LeaseStore closed = anotherStore();
    LeaseName name = name("job");
    Lease lease = granted(closed.acquire(name, ALICE, newAttempt(), LONG), "a free name");

    closed.close();

    assertUntouched(lease);
    held(acquire(name, BOB, LONG), "a lease lives until it is released or expires");
    renewed(store().renew(lease, LONG), "whoever has the lease may renew it elsewhere");
  }
}
