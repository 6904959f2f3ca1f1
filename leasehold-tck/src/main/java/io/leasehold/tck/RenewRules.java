package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.FencingToken;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who may go on holding. */
abstract class RenewRules extends StoreRules {

  RenewRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("L21 a renewal extends the lease to a TTL from now")
  void aRenewalExtends() {
    LeaseName name = name("job");
    Lease lease = grant(name, ALICE);
    Duration longer = LONG.multipliedBy(2);

    Lease renewed = renewed(store().renew(lease, longer), "a live lease is renewed");

    assertThat(renewed.expiresAt())
        .as("the expiry is at least a TTL after the grant")
        .isAfterOrEqualTo(lease.grantedAt().plus(longer));
    assertThat(renewed.remaining())
        .as("a renewal counts from now, not from the old expiry")
        .isBetween(longer.minus(LONG.dividedBy(2)), longer);
    LeaseView view = record(name);
    assertThat(view.expiresAt()).as("the store keeps what it said").isEqualTo(renewed.expiresAt());
    assertThat(view.renewedAt())
        .as("the store keeps when it was renewed")
        .isBetween(lease.grantedAt(), renewed.expiresAt().minus(longer).plusMillis(1));
  }

  @Test
  @DisplayName("L22 a renewal keeps the token and the grant")
  void aRenewalKeepsTheToken() {
    LeaseName name = name("job");
    Lease lease = grant(name, ALICE);

    Lease renewed = renewed(store().renew(lease, LONG), "a live lease is renewed");

    assertThat(renewed.token()).as("one grant has one token").isEqualTo(lease.token());
    assertThat(renewed.attempt()).as("it is the same grant").isEqualTo(lease.attempt());
    assertThat(renewed.grantedAt()).as("a renewal is no grant").isEqualTo(lease.grantedAt());
    assertThat(renewed.owner()).as("the owner is the same").isEqualTo(ALICE);
    assertThat(record(name).token()).as("the record's token stays").isEqualTo(lease.token());
  }

  @Test
  @DisplayName("L23 a renewal never moves an expiry backward")
  void aRenewalNeverMovesAnExpiryBackward() {
    LeaseName name = name("job");
    Lease lease = grant(name, ALICE);

    Lease renewed = renewed(store().renew(lease, fixture.ttl()), "a live lease is renewed");

    assertThat(renewed.expiresAt())
        .as("a renewal that overtook a longer one must not shorten it")
        .isEqualTo(lease.expiresAt());
    assertThat(record(name).expiresAt()).isEqualTo(lease.expiresAt());
  }

  @Test
  @DisplayName("L24 a renewal never creates a lease")
  void aRenewalNeverCreatesALease() {
    LeaseName name = name("nobody");
    Lease invented = inventedLease(name);

    Optional<LeaseView> current = lost(store().renew(invented, LONG), "there is nothing to renew");

    assertThat(current).as("there is no record to show").isEmpty();
    assertThat(recordIfAny(name)).as("a renewal leaves no record behind").isEmpty();
  }

  @Test
  @DisplayName("L25 an expired lease cannot be renewed")
  void anExpiredLeaseCannotBeRenewed() {
    LeaseName name = name("job");
    Lease lease = grantShort(name, ALICE);
    letExpire(lease);

    Optional<LeaseView> current =
        lost(
            store().renew(believedLive(lease), LONG),
            "a lease that has expired is over, even while nobody has taken the name");

    assertThat(current).as("the record is there").isPresent();
    assertThat(current.orElseThrow().state()).isEqualTo(EXPIRED);
    assertThat(store().read(name)).as("the name stays free").isEmpty();
  }

  @Test
  @DisplayName("L26 a superseded token cannot renew, whatever its holder believes")
  void aSupersededTokenCannotRenew() {
    LeaseName name = name("job");
    Lease old = grantShort(name, ALICE);
    letExpire(old);
    Lease successor = grant(name, BOB);

    Optional<LeaseView> current =
        lost(
            store().renew(believedLive(old), LONG.multipliedBy(2)),
            "a token that was superseded is lost, whatever expiry its holder sends");

    assertThat(current).as("the holder learns who has it now").isPresent();
    assertThat(current.orElseThrow().isOf(successor)).isTrue();
    assertUntouched(successor);
  }

  @Test
  @DisplayName("L27 a released lease cannot be renewed back")
  void aReleasedLeaseCannotBeRenewedBack() {
    LeaseName name = name("job");
    Lease lease = grant(name, ALICE);
    store().release(lease, Duration.ZERO);

    Optional<LeaseView> current =
        lost(store().renew(lease, LONG), "a renewal that was under way during the release is late");

    assertThat(current).as("the record is there").isPresent();
    assertThat(current.orElseThrow().isOf(lease))
        .as("it is the holder's own grant: so a forced release is told from a successor")
        .isTrue();
    assertThat(current.orElseThrow().state()).isEqualTo(LeaseView.State.RELEASED);
    assertThat(store().read(name)).as("the name stays free").isEmpty();
  }

  @Test
  @DisplayName("L28 the right token with another attempt does not renew")
  void theRightTokenWithAnotherAttemptDoesNotRenew() {
    Lease lease = grant(name("job"), ALICE);

    lost(
        store().renew(withAttempt(lease, newAttempt()), LONG.multipliedBy(2)),
        "after a failover two grants may bear one token; the attempt tells them apart");

    assertUntouched(lease);
  }

  @Test
  @DisplayName("L29 the right attempt with another token does not renew")
  void theRightAttemptWithAnotherTokenDoesNotRenew() {
    Lease lease = grant(name("job"), ALICE);

    for (long step : new long[] {-1, 1}) {
      FencingToken other = new FencingToken(Math.max(1, lease.token().value() + step));
      if (!other.equals(lease.token())) {
        lost(
            store().renew(withToken(lease, other), LONG.multipliedBy(2)),
            "a holder is recognised by its token too, lower or higher");
      }
    }

    assertUntouched(lease);
  }

  @Test
  @DisplayName("L30 the owner's name decides nothing in a renewal")
  void theOwnerDecidesNothingInARenewal() {
    Lease lease = grant(name("job"), ALICE);

    renewed(
        store().renew(withOwner(lease, BOB), LONG),
        "token and attempt are the key; the owner is for people");
  }
}
