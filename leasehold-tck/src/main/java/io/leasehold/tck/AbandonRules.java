package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import io.leasehold.LeaseView.State;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What an unanswered acquire may have taken is given back, and nothing else. */
abstract class AbandonRules extends StoreRules {

  AbandonRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("L43 abandoning gives back the lease of its attempt, without knowing the token")
  void abandoningGivesBackTheLeaseOfItsAttempt() {
    Lease lease = grant(name("job"), ALICE);

    store().abandon(lease.name(), ALICE, lease.attempt());

    assertThat(store().read(lease.name())).as("the lease is over").isEmpty();
    assertThat(record(lease.name()).state()).as("it was given back").isEqualTo(State.RELEASED);
    granted(acquire(lease.name(), BOB, LONG), "an abandoned name is free at once");
  }

  @Test
  @DisplayName("L44 abandoning one attempt leaves the lease of every other, of the same owner too")
  void abandoningLeavesEveryOtherAttempt() {
    LeaseName name = name("job");
    Lease old = grant(name, ALICE);
    store().release(old, Duration.ZERO);
    Lease lease = grant(name, ALICE);
    LeaseView before = record(name);

    store().abandon(name, ALICE, newAttempt());
    store().abandon(name, ALICE, old.attempt());
    store().abandon(name, BOB, newAttempt());
    store().abandon(name("other"), ALICE, lease.attempt());

    expectUnchanged(before, "only the attempt that is named is given back");
  }

  @Test
  @DisplayName("L45 abandoning what has ended, or never was, is a no-op")
  void abandoningWhatHasEndedIsANoOp() {
    Lease expired = grantShort(name("expired"), ALICE);
    letExpire(expired);
    Lease released = grant(name("released"), ALICE);
    store().release(released, Duration.ZERO);
    Lease lingering = grant(name("lingering"), ALICE);
    store().release(lingering, LONG);

    for (Lease lease : List.of(expired, released, lingering)) {
      LeaseView before = record(lease.name());
      pass(Duration.ofMillis(3));
      store().abandon(lease.name(), ALICE, lease.attempt());
      expectUnchanged(before, "the record of an ended lease stays as it is");
    }
    LeaseName nobodys = name("nobody's");
    store().abandon(nobodys, ALICE, newAttempt());
    assertThat(recordIfAny(nobodys)).as("abandoning leaves no new record").isEmpty();
  }
}
