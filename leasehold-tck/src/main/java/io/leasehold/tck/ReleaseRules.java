package io.leasehold.tck;

import static java.time.temporal.ChronoUnit.MILLIS;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.FencingToken;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import io.leasehold.LeaseView.State;
import io.leasehold.ReleaseAnswer;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who may give a name back, and what becomes of it. */
abstract class ReleaseRules extends StoreRules {

  ReleaseRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  private void expectAnswer(Lease lease, ReleaseAnswer answer, String guarantee) {
    assertThat(store().release(lease, Duration.ZERO)).as(guarantee).isEqualTo(answer);
  }

  @Test
  @DisplayName("L33 releasing makes the name available at once")
  void releasingMakesTheNameAvailableAtOnce() {
    Lease lease = grant(name("job"), ALICE);

    expectAnswer(lease, ReleaseAnswer.RELEASED, "the holder releases");

    Lease next = granted(acquire(lease.name(), BOB, LONG), "a released name is free at once");
    assertThat(next.owner()).as("the next grant is the caller's").isEqualTo(BOB);
  }

  @Test
  @DisplayName("L34 a superseded token cannot release")
  void aSupersededTokenCannotRelease() {
    Lease old = grantShort(name("job"), ALICE);
    letExpire(old);
    granted(acquire(old.name(), BOB, LONG), "an expired name is free");
    LeaseView successor = record(old.name());

    expectAnswer(old, ReleaseAnswer.LOST, "a late release is lost");
    expectAnswer(believedLive(old), ReleaseAnswer.LOST, "whatever its holder believes");

    expectUnchanged(successor, "the successor's lease is as it was");
  }

  @Test
  @DisplayName("L35 only token and attempt together release")
  void tokenAndAttemptTogetherRelease() {
    Lease lease = grant(name("job"), ALICE);
    LeaseView before = record(lease.name());
    FencingToken higher = new FencingToken(lease.token().value() + 1);

    expectAnswer(
        withAttempt(lease, newAttempt()),
        ReleaseAnswer.LOST,
        "the live token with another attempt is another grant");
    expectAnswer(
        withToken(lease, higher),
        ReleaseAnswer.LOST,
        "the live attempt with another token is another grant");
    expectUnchanged(before, "the live lease is as it was");

    expectAnswer(
        withOwner(lease, BOB),
        ReleaseAnswer.RELEASED,
        "the grant is recognised by token and attempt, not by its owner");
  }

  @Test
  @DisplayName("L36 releasing a lease that has ended is a no-op")
  void releasingAnEndedLeaseIsANoOp() {
    Lease expired = grantShort(name("expired"), ALICE);
    letExpire(expired);
    LeaseView expiredBefore = record(expired.name());
    expectAnswer(expired, ReleaseAnswer.ALREADY_ENDED, "an expired lease has ended already");
    expectUnchanged(expiredBefore, "its record still says that it expired");

    Lease released = grant(name("released"), ALICE);
    expectAnswer(released, ReleaseAnswer.RELEASED, "the holder releases");
    LeaseView releasedBefore = record(released.name());
    pass(Duration.ofMillis(3));
    expectAnswer(released, ReleaseAnswer.ALREADY_ENDED, "a second release is a no-op");
    expectUnchanged(releasedBefore, "its record still says when it ended");

    Lease successor = grant(released.name(), BOB);
    store().release(successor, Duration.ZERO);
    expectAnswer(
        released, ReleaseAnswer.ALREADY_ENDED, "nobody holds the name, so nothing was lost to it");
  }

  @Test
  @DisplayName("L37 releasing what nobody holds is a no-op")
  void releasingWhatNobodyHoldsIsANoOp() {
    Lease real = grant(name("elsewhere"), ALICE);
    LeaseName nobodys = name("nobody's");
    Lease forged =
        new Lease(
            nobodys,
            ALICE,
            real.attempt(),
            real.token(),
            real.grantedAt(),
            real.expiresAt(),
            real.remaining());

    expectAnswer(forged, ReleaseAnswer.ALREADY_ENDED, "there is nothing to release");

    assertThat(recordIfAny(nobodys)).as("a release leaves no new record").isEmpty();
    assertThat(record(real.name()).isLive()).as("other names are left alone").isTrue();
  }

  @Test
  @DisplayName("L38 a linger keeps the name taken, by nobody, until that long after the grant")
  void aLingerKeepsTheNameTaken() {
    Duration linger = Duration.ofMinutes(2);
    for (Duration ttl : new Duration[] {LONG, Duration.ofMinutes(1)}) {
      Lease lease = granted(acquire(name("for " + ttl), ALICE, ttl), "a free name is granted");
      pass(Duration.ofMillis(3));

      assertThat(store().release(lease, linger))
          .as("the holder releases")
          .isEqualTo(ReleaseAnswer.RELEASED);

      LeaseView view = held(acquire(lease.name(), BOB, LONG), "a name that lingers is taken");
      assertThat(view.state()).as("by nobody").isEqualTo(State.LINGERING);
      assertThat(view.expiresAt())
          .as("until that long after the grant")
          .isEqualTo(lease.grantedAt().plus(linger));
      assertThat(view.remaining())
          .as("the refusal says for how long")
          .isPositive()
          .isLessThanOrEqualTo(linger);
    }
  }

  @Test
  @DisplayName("L39 a name is free when its linger is over")
  void aNameIsFreeWhenItsLingerIsOver() {
    Lease lease = grant(name("job"), ALICE);
    store().release(lease, fixture.ttl());
    letPass(lease.name(), fixture.ttl());

    assertThat(record(lease.name()).state())
        .as("a linger that is over leaves a released record")
        .isEqualTo(State.RELEASED);
    Lease next = granted(acquire(lease.name(), BOB, LONG), "the name is free");
    assertThat(next.grantedAt())
        .as("not before the linger was over")
        .isAfterOrEqualTo(lease.grantedAt().plus(fixture.ttl().truncatedTo(MILLIS)));
  }

  @Test
  @DisplayName("L40 a linger that is over already frees the name at once")
  void aLingerThatIsOverAlreadyFreesTheName() {
    Lease lease = grant(name("job"), ALICE);
    Duration linger = Duration.ofMillis(1);
    pass(Duration.ofMillis(20));

    assertThat(store().release(lease, linger))
        .as("the holder releases")
        .isEqualTo(ReleaseAnswer.RELEASED);

    LeaseView view = record(lease.name());
    assertThat(view.state()).as("nothing lingers").isEqualTo(State.RELEASED);
    assertThat(view.expiresAt())
        .as("the record says when the lease ended: now, not in the past")
        .isAfter(lease.grantedAt().plus(linger));
    granted(acquire(lease.name(), BOB, LONG), "the name is free at once");
  }

  @Test
  @DisplayName("L41 a linger cannot be cut short by a second release, nor by a superseded holder")
  void aLingerCannotBeCutShort() {
    Lease old = grant(name("job"), ALICE);
    store().release(old, Duration.ZERO);
    Lease lease = grant(old.name(), BOB);
    store().release(lease, LONG);
    LeaseView before = record(lease.name());

    expectAnswer(lease, ReleaseAnswer.ALREADY_ENDED, "a second release is a no-op");
    expectAnswer(old, ReleaseAnswer.LOST, "another grant has the name");

    expectUnchanged(before, "the name lingers as before");
  }

  @Test
  @DisplayName("L42 an operator releases by what a listing shows")
  void anOperatorReleasesByWhatAListingShows() {
    Lease lease = grant(name("job"), ALICE);
    Lease shown = record(lease.name()).asLease();
    renewed(store().renew(lease, LONG.plus(LONG)), "the holder goes on renewing");

    expectAnswer(
        shown, ReleaseAnswer.RELEASED, "the grant that was shown is released, renewed or not");

    granted(acquire(lease.name(), BOB, LONG), "the name is free");
    expectAnswer(shown, ReleaseAnswer.LOST, "the grant that was shown is not the next one");
  }
}
