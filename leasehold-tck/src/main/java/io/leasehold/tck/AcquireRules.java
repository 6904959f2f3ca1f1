package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who gets a name, and who is refused. */
abstract class AcquireRules extends StoreRules {

  AcquireRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("L01 an unheld name is granted with a real token and an expiry")
  void anUnheldNameIsGranted() {
    LeaseName name = name("job");
    String attempt = newAttempt();

    Lease lease = granted(store().acquire(name, ALICE, attempt, LONG), "a free name is granted");

    assertThat(lease.name()).as("the grant is of the name that was asked for").isEqualTo(name);
    assertThat(lease.owner()).as("the grant is the caller's").isEqualTo(ALICE);
    assertThat(lease.attempt()).as("the grant is of this attempt").isEqualTo(attempt);
    assertThat(lease.expiresAt())
        .as("the lease expires one TTL after its grant")
        .isEqualTo(lease.grantedAt().plus(LONG));
    assertThat(lease.remaining()).as("a fresh lease has its time ahead").isPositive();
    assertThat(lease.remaining())
        .as("a lease lasts no longer than its TTL")
        .isLessThanOrEqualTo(LONG);
  }

  @Test
  @DisplayName("L02 a live lease is refused to another owner")
  void aLiveLeaseIsRefusedToAnotherOwner() {
    LeaseName name = name("job");
    grant(name, ALICE);

    LeaseView view = held(acquire(name, BOB, LONG), "a live lease is refused to another owner");

    assertThat(view.owner()).as("the holder is still the holder").isEqualTo(ALICE);
  }
}
