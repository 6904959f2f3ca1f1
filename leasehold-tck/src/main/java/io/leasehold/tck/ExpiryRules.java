package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import io.leasehold.RenewAnswer;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When a lease ends by itself. */
abstract class ExpiryRules extends StoreRules {

  private static final Duration TICK = Duration.ofMillis(1);

  ExpiryRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("L17 an expired lease is acquirable, at exactly its expiry")
  void anExpiredLeaseIsAcquirableAtExactlyItsExpiry() {
    LeaseName name = name("job");
    Lease old = grantShort(name, ALICE);

    Lease successor =
        fixture.clock().isPresent() ? takenOverByTheTick(old) : takenOverInRealTime(old);

    assertThat(successor.grantedAt())
        .as("nobody is granted a name before the old lease has expired")
        .isAfterOrEqualTo(old.expiresAt());
  }

  private Lease takenOverByTheTick(Lease old) {
    pass(old.remaining().minus(TICK));
    LeaseView last = held(acquire(old.name(), BOB, LONG), "one millisecond before its expiry");
    assertThat(last.remaining()).as("the last millisecond is left").isEqualTo(TICK);
    pass(TICK);
    return granted(acquire(old.name(), BOB, LONG), "expiresAt <= now is expired");
  }

  /**
   * A refusal says how long to wait. An attempt sent that long after the refusal came back is
   * granted: the store's clock has passed the expiry then. The margin for a store's clock that is
   * coarse, or is being slewed, is one TTL.
   */
  private Lease takenOverInRealTime(Lease old) {
    long due = System.nanoTime() + old.remaining().plus(fixture.ttl()).toNanos();
    while (true) {
      boolean late = System.nanoTime() > due;
      AcquireAnswer answer = acquire(old.name(), BOB, LONG);
      if (answer instanceof AcquireAnswer.Held refused && !late) {
        assertThat(refused.view().isOf(old)).as("the old lease is what refuses").isTrue();
        assertThat(refused.view().remaining()).as("a refusal has time left").isPositive();
        pass(TICK.multipliedBy(2));
      } else {
        return granted(answer, "a lease that has expired does not refuse anybody");
      }
    }
  }

  @Test
  @DisplayName("L18 an expired lease reads as empty")
  void anExpiredLeaseReadsAsEmpty() {
    LeaseName name = name("job");
    Lease lease = grantShort(name, ALICE);
    letExpire(lease);

    assertThat(store().read(name)).as("an expired lease is held by nobody").isEmpty();
  }

  @Test
  @DisplayName("L19 a record outlives its expired lease")
  void aRecordOutlivesItsExpiredLease() {
    LeaseName name = name("job");
    Lease lease = grantShort(name, ALICE);
    letExpire(lease);

    LeaseView view = record(name);
    assertThat(view.isOf(lease)).as("the token stays where it was").isTrue();
    assertThat(view.state()).as("the record says how it ended").isEqualTo(EXPIRED);
    assertThat(view.expiresAt()).as("expiry is a value").isEqualTo(lease.expiresAt());
    assertThat(view.remaining()).as("nothing is left").isZero();
  }

  @Test
  @DisplayName("L20 a holder that renews in time outlives its first expiry")
  void aHolderThatRenewsOutlivesItsFirstExpiry() {
    LeaseName name = name("job");
    Lease first = grantShort(name, ALICE);
    RenewAnswer answer = store().renew(first, LONG);
    if (answer instanceof RenewAnswer.Lost && fixture.clock().isEmpty()) {
      Assumptions.abort("the machine took longer than the TTL of " + fixture.ttl());
    }
    renewed(answer, "a live lease is renewed");

    pass(first.remaining());

    held(acquire(name, BOB, LONG), "the renewed expiry decides, not the granted one");
    assertThat(store().read(name)).as("a renewed lease is held").isPresent();
  }
}
