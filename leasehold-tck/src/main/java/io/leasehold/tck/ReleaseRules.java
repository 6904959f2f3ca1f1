package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.FencingToken;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import io.leasehold.ReleaseAnswer;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How a lease is given back, and by whom. */
abstract class ReleaseRules extends StoreRules {

  ReleaseRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("L31 releasing makes the name available at once")
  void releasingMakesTheNameAvailable() {
    LeaseName name = name("job");
    Lease lease = grant(name, ALICE);

    assertThat(release(lease)).as("a live lease is given back").isEqualTo(ReleaseAnswer.RELEASED);

    assertThat(store().read(name)).as("nobody holds a released name").isEmpty();
    granted(acquire(name, BOB, LONG), "a released name is free at once");
  }

  @Test
  @DisplayName("L32 a release keeps the record and its token")
  void aReleaseKeepsTheRecord() {
    LeaseName name = name("job");
    Lease lease = grant(name, ALICE);
    release(lease);

    LeaseView view = record(name);
    assertThat(view.isOf(lease)).as("the token stays where it was").isTrue();
    assertThat(view.state()).as("it was given back").isEqualTo(LeaseView.State.RELEASED);
    assertThat(view.expiresAt())
        .as("a release moves the expiry into the past")
        .isBetween(lease.grantedAt(), lease.expiresAt().minusMillis(1));
  }

  @Test
  @DisplayName("L33 a superseded token cannot release")
  void aSupersededTokenCannotRelease() {
    LeaseName name = name("job");
    Lease old = grantShort(name, ALICE);
    letExpire(old);
    Lease successor = grant(name, BOB);

    assertThat(release(believedLive(old)))
        .as("a late release does not free the successor's lease")
        .isEqualTo(ReleaseAnswer.LOST);
    assertUntouched(successor);
  }

  @Test
  @DisplayName("L34 releasing what nobody holds is a no-op")
  void releasingWhatNobodyHoldsIsANoOp() {
    LeaseName nobody = name("nobody");
    assertThat(release(inventedLease(nobody)))
        .as("there is no record")
        .isEqualTo(ReleaseAnswer.ALREADY_ENDED);
    assertThat(recordIfAny(nobody)).as("a release leaves no record behind").isEmpty();

    Lease old = grant(name("job"), ALICE);
    release(old);
    LeaseView once = record(old.name());
    assertThat(release(old)).as("released twice").isEqualTo(ReleaseAnswer.ALREADY_ENDED);
    assertThat(record(old.name())).as("the second changes nothing").isEqualTo(once);

    release(grant(old.name(), BOB));
    assertThat(release(old))
        .as("superseded by a grant that has ended too")
        .isEqualTo(ReleaseAnswer.ALREADY_ENDED);
  }

  @Test
  @DisplayName("L35 releasing an expired lease is a no-op, and lingers not")
  void releasingAnExpiredLeaseIsANoOp() {
    Lease lease = grantShort(name("job"), ALICE);
    letExpire(lease);

    assertThat(store().release(lease, LONG))
        .as("it ended by itself")
        .isEqualTo(ReleaseAnswer.ALREADY_ENDED);
    LeaseView view = record(lease.name());
    assertThat(view.state()).as("it stays expired, not released").isEqualTo(EXPIRED);
    granted(acquire(lease.name(), BOB, LONG), "a late release takes nothing back by its linger");
  }

  @Test
  @DisplayName("L36 only token and attempt together release; the owner's name decides nothing")
  void onlyTokenAndAttemptTogetherRelease() {
    Lease lease = grant(name("job"), ALICE);
    FencingToken higher = new FencingToken(lease.token().value() + 1);

    assertThat(release(withAttempt(lease, newAttempt())))
        .as("the right token with another attempt")
        .isEqualTo(ReleaseAnswer.LOST);
    assertThat(release(withToken(lease, higher)))
        .as("the right attempt with another token")
        .isEqualTo(ReleaseAnswer.LOST);
    assertUntouched(lease);
    assertThat(release(withOwner(lease, BOB)))
        .as("token and attempt are right; the owner is for people")
        .isEqualTo(ReleaseAnswer.RELEASED);
  }

  @Test
  @DisplayName("L37 a name that lingers is taken, and held by nobody")
  void aNameThatLingersIsTakenAndHeldByNobody() {
    Lease lease = grant(name("job"), ALICE);
    Duration linger = LONG.multipliedBy(2);

    assertThat(store().release(lease, linger)).isEqualTo(ReleaseAnswer.RELEASED);

    LeaseView view = held(acquire(lease.name(), BOB, LONG), "a name that lingers is refused");
    assertThat(view.state()).isEqualTo(LeaseView.State.LINGERING);
    assertThat(view.expiresAt())
        .as("it lingers until that long after the grant")
        .isEqualTo(lease.grantedAt().plus(linger));
    assertThat(view.remaining()).as("the refusal says for how long").isPositive();
    assertThat(store().read(lease.name())).as("nobody holds it").isEmpty();
    assertThat(lost(store().renew(lease, LONG), "its old holder has lost it")).isPresent();
    held(
        store().acquire(lease.name(), ALICE, lease.attempt(), LONG),
        "nor does its old attempt get it back");
  }

  @Test
  @DisplayName("L38 a name that lingered is free when the linger has passed")
  void aNameThatLingeredIsFreeAfterwards() {
    Lease lease = grant(name("job"), ALICE);
    store().release(lease, fixture.ttl());

    passLinger(lease.name());

    Lease next = granted(acquire(lease.name(), BOB, LONG), "the linger has passed");
    assertThat(next.grantedAt())
        .as("the name was free no sooner than the linger after the grant")
        .isAfterOrEqualTo(lease.grantedAt().plus(fixture.ttl()));
    assertThat(next.token().value()).isGreaterThan(lease.token().value());
  }

  @Test
  @DisplayName("L39 linger counts from the grant, not from the release")
  void lingerCountsFromTheGrant() {
    Lease lease = grant(name("job"), ALICE);
    pass(fixture.ttl());

    store().release(lease, fixture.ttl().dividedBy(2));

    granted(
        acquire(lease.name(), BOB, LONG),
        "a lease held for longer than its linger frees the name when it is released");
  }

  @Test
  @DisplayName("L40 a release while the name lingers changes nothing")
  void aReleaseWhileTheNameLingersChangesNothing() {
    LeaseName name = name("job");
    Lease old = grant(name, ALICE);
    release(old);
    Lease lease = grant(name, BOB);
    store().release(lease, LONG);
    LeaseView lingering = record(name);

    assertThat(release(lease)).as("it has ended").isEqualTo(ReleaseAnswer.ALREADY_ENDED);
    assertThat(release(old)).as("another grant has the name").isEqualTo(ReleaseAnswer.LOST);
    store().abandon(name, BOB, lease.attempt());

    assertThat(record(name).expiresAt()).as("the name lingers on").isEqualTo(lingering.expiresAt());
  }

  @Test
  @DisplayName("L41 an abandoned attempt gives back what it took")
  void anAbandonedAttemptGivesBack() {
    LeaseName name = name("job");
    Lease lease = grant(name, ALICE);

    store().abandon(name, ALICE, lease.attempt());

    assertThat(store().read(name)).as("nobody holds it").isEmpty();
    assertThat(record(name).isOf(lease)).as("the record and its token stay").isTrue();
    lost(store().renew(lease, LONG), "an abandoned grant is over");
    granted(acquire(name, BOB, LONG), "the name is free at once");
  }

  @Test
  @DisplayName("L42 abandon gives back exactly one attempt")
  void abandonGivesBackExactlyOneAttempt() {
    LeaseName name = name("job");
    Lease old = grant(name, ALICE);
    release(old);
    Lease lease = grant(name, ALICE);

    store().abandon(name, ALICE, newAttempt());
    store().abandon(name, ALICE, old.attempt());
    store().abandon(name("nobody"), ALICE, newAttempt());

    assertUntouched(lease);
    assertThat(recordIfAny(name("nobody"))).as("abandon leaves no record behind").isEmpty();
  }

  @Test
  @DisplayName("L73 what a listing showed is released, though the holder has renewed since")
  void whatAListingShowedIsReleased() {
    Lease lease = grant(name("job"), ALICE);
    Lease shown = record(lease.name()).asLease();
    renewed(store().renew(lease, LONG.multipliedBy(2)), "the holder goes on renewing");

    assertThat(release(shown))
        .as("a grant is recognised by token and attempt, not by the expiry that was shown")
        .isEqualTo(ReleaseAnswer.RELEASED);
    Lease successor = grant(lease.name(), BOB);
    assertThat(release(shown))
        .as("what was shown is not the next grant")
        .isEqualTo(ReleaseAnswer.LOST);
    assertUntouched(successor);
  }

  @Test
  @DisplayName("L74 a linger that has passed already ends the lease now, not in the past")
  void aLingerThatHasPassedEndsTheLeaseNow() {
    Lease lease = grant(name("job"), ALICE);
    Duration linger = Duration.ofMillis(1);
    // Far more than the linger, so that no coarse clock takes the one for the other.
    pass(fixture.ttl());

    assertThat(store().release(lease, linger)).isEqualTo(ReleaseAnswer.RELEASED);

    LeaseView view = record(lease.name());
    assertThat(view.state()).as("nothing lingers").isEqualTo(LeaseView.State.RELEASED);
    assertThat(view.expiresAt())
        .as("the record says when the lease ended")
        .isAfter(lease.grantedAt().plus(linger));
  }

  private ReleaseAnswer release(Lease lease) {
    return store().release(lease, Duration.ZERO);
  }

  /** Lets the fixture's TTL pass; what a coarse clock adds is polled for, one TTL at most. */
  private void passLinger(LeaseName name) {
    pass(fixture.ttl());
    Duration step = Duration.ofMillis(2);
    // By the store's clock, which may be one that runs only when it is told to.
    for (Duration more = Duration.ZERO;
        more.compareTo(fixture.ttl()) < 0 && record(name).state() == LeaseView.State.LINGERING;
        more = more.plus(step)) {
      pass(step);
    }
  }
}
