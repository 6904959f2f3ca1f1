package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.FencingToken;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseView;
import io.leasehold.LeaseView.State;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who may renew, and what a renewal does. */
abstract class RenewRules extends StoreRules {

  private static final int RACES = 40;

  RenewRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("L21 a renewal extends the lease and keeps its token")
  void aRenewalExtendsAndKeepsTheToken() {
    Lease lease = grant(name("job"), ALICE);

    Lease renewed = renewed(store().renew(lease, LONG.plus(LONG)), "a live lease is renewed");

    assertThat(renewed.token()).as("a renewal keeps the token").isEqualTo(lease.token());
    assertThat(renewed.attempt()).as("a renewal keeps the attempt").isEqualTo(lease.attempt());
    assertThat(renewed.name()).as("a renewal keeps the name").isEqualTo(lease.name());
    assertThat(renewed.grantedAt()).as("a renewal is no grant").isEqualTo(lease.grantedAt());
    assertThat(renewed.expiresAt()).as("a renewal extends").isAfter(lease.expiresAt());
    assertThat(record(lease.name()).expiresAt())
        .as("what is answered is what is kept")
        .isEqualTo(renewed.expiresAt());
    assertThat(record(lease.name()).token()).as("the token is kept").isEqualTo(lease.token());
  }

  @Test
  @DisplayName("L22 a renewal never moves an expiry backward")
  void aRenewalNeverMovesAnExpiryBackward() {
    Lease lease = grant(name("job"), ALICE);

    Lease renewed = renewed(store().renew(lease, fixture.ttl()), "a live lease is renewed");

    assertThat(renewed.expiresAt())
        .as("a renewal for a shorter time leaves the expiry")
        .isEqualTo(lease.expiresAt());
    assertThat(record(lease.name()).expiresAt())
        .as("what is answered is what is kept")
        .isEqualTo(lease.expiresAt());
  }

  @Test
  @DisplayName("L23 a renewal counts its TTL from now, not from the old expiry")
  void aRenewalCountsFromNow() {
    Lease lease = grant(name("job"), ALICE);

    Lease last = lease;
    for (int i = 0; i < 3; i++) {
      last = renewed(store().renew(last, LONG), "a live lease is renewed");
      assertThat(last.remaining())
          .as("a renewal leaves a TTL, however often it is sent")
          .isPositive()
          .isLessThanOrEqualTo(LONG);
    }
    LeaseView view = record(lease.name());
    assertThat(view.expiresAt())
        .as("an expiry is one TTL after the renewal")
        .isEqualTo(view.renewedAt().plus(LONG));
  }

  @Test
  @DisplayName("L24 an expired lease cannot be renewed")
  void anExpiredLeaseCannotBeRenewed() {
    Lease lease = grantShort(name("job"), ALICE);
    letExpire(lease);

    lost(store().renew(lease, LONG), "an expired lease is lost, though nobody took it");

    assertThat(store().read(lease.name())).as("the lease is still over").isEmpty();
    granted(acquire(lease.name(), BOB, LONG), "the name is still free");
  }

  @Test
  @DisplayName("L25 a superseded token cannot renew, whatever its holder believes of the expiry")
  void aSupersededTokenCannotRenew() {
    Lease old = grantShort(name("job"), ALICE);
    letExpire(old);
    granted(acquire(old.name(), BOB, LONG), "an expired name is free");
    LeaseView successor = record(old.name());

    lost(store().renew(old, LONG.plus(LONG)), "a superseded token cannot renew");
    lost(
        store().renew(believedLive(old), LONG.plus(LONG)),
        "a superseded token cannot renew, whatever its holder believes");

    expectUnchanged(successor, "the successor's lease is as it was");
  }

  @Test
  @DisplayName("L26 a released lease cannot be renewed back")
  void aReleasedLeaseCannotBeRenewedBack() {
    Lease released = grant(name("released"), ALICE);
    store().release(released, Duration.ZERO);
    Lease abandoned = grant(name("abandoned"), ALICE);
    store().abandon(abandoned.name(), ALICE, abandoned.attempt());

    for (Lease lease : List.of(released, abandoned)) {
      lost(store().renew(lease, LONG), "a lease that was given back is lost");
      granted(acquire(lease.name(), BOB, LONG), "the name is still free");
    }
  }

  @Test
  @DisplayName("L27 a lease that lingers cannot be renewed")
  void aLingeringLeaseCannotBeRenewed() {
    Lease lease = grant(name("job"), ALICE);
    store().release(lease, LONG);
    LeaseView before = record(lease.name());

    lost(store().renew(lease, LONG.plus(LONG)), "a lease that lingers is held by nobody");

    expectUnchanged(before, "the name lingers as before");
  }

  @Test
  @DisplayName("L28 a renewal never creates a lease")
  void aRenewalNeverCreatesALease() {
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

    Optional<LeaseView> current =
        lost(store().renew(forged, LONG), "what was never granted cannot be renewed");

    assertThat(current).as("there is no record to show").isEmpty();
    assertThat(recordIfAny(nobodys)).as("a renewal leaves no record").isEmpty();
  }

  @Test
  @DisplayName("L29 a lost renewal shows the record as it is now")
  void aLostRenewalShowsTheRecord() {
    Lease forced = grant(name("forced"), ALICE);
    store().release(record(forced.name()).asLease(), Duration.ZERO);
    Lease superseded = grant(name("superseded"), ALICE);
    store().release(superseded, Duration.ZERO);
    Lease successor = grant(superseded.name(), BOB);
    Lease expired = grantShort(name("expired"), ALICE);
    letExpire(expired);

    LeaseView own = lostTo(forced, "a forced release ends the lease");
    LeaseView others = lostTo(superseded, "a superseded lease is lost");

    assertThat(own.isOf(forced)).as("the holder finds its own grant").isTrue();
    assertThat(own.state()).as("given back by somebody else").isEqualTo(State.RELEASED);
    assertThat(others.isOf(successor)).as("the holder finds its successor").isTrue();
    assertThat(others.isLive()).as("which is live").isTrue();
    assertThat(lostTo(expired, "an expired lease is lost").state())
        .as("the holder finds that its lease ran out")
        .isEqualTo(State.EXPIRED);
  }

  private LeaseView lostTo(Lease lease, String guarantee) {
    Optional<LeaseView> current = lost(store().renew(lease, LONG), guarantee);
    assertThat(current).as("the answer shows the record").isPresent();
    return current.orElseThrow();
  }

  @Test
  @DisplayName("L30 only token and attempt together renew")
  void tokenAndAttemptTogetherRenew() {
    Lease lease = grant(name("job"), ALICE);
    LeaseView before = record(lease.name());
    FencingToken higher = new FencingToken(lease.token().value() + 1);

    lost(
        store().renew(withAttempt(lease, newAttempt()), LONG.plus(LONG)),
        "the live token with another attempt is another grant");
    lost(
        store().renew(withToken(lease, higher), LONG.plus(LONG)),
        "the live attempt with a higher token is another grant");
    if (lease.token().value() > 1) {
      FencingToken lower = new FencingToken(lease.token().value() - 1);
      lost(
          store().renew(withToken(lease, lower), LONG.plus(LONG)),
          "the live attempt with a lower token is another grant");
    }

    expectUnchanged(before, "the live lease is as it was");
  }

  @Test
  @DisplayName("L31 the owner's name decides nothing: two processes may share one")
  void theOwnersNameDecidesNothing() {
    Lease first = grantShort(name("job"), ALICE);
    letExpire(first);
    Lease second = granted(acquire(first.name(), ALICE, LONG), "an expired name is free");

    lost(store().renew(first, LONG), "a superseded grant of the same owner is lost");
    Lease again =
        renewed(
            store().renew(withOwner(second, BOB), LONG.plus(LONG)),
            "the grant is recognised by token and attempt, not by its owner");
    assertThat(again.token()).as("a renewal keeps the token").isEqualTo(second.token());
  }

  @Test
  @DisplayName("L32 a renewal that races a hand-over never undoes it")
  void aRenewalThatRacesAHandOverNeverUndoesIt() throws Exception {
    LeaseStore other = anotherStoreIfAny();
    LeaseName name = name("job");
    Lease current = grant(name, ALICE);
    for (int race = 0; race < RACES; race++) {
      Lease held = current;
      // Now one comes a little later, now the other: so that each order is seen, and the middle.
      Duration renewalLate = Duration.ofNanos(race % 4 * 400_000L);
      Duration handOverLate = Duration.ofNanos(race % 3 * 400_000L);
      List<Object> answers =
          AtOnce.call(
              List.of(
                  () -> {
                    pause(renewalLate);
                    return store().renew(held, LONG.plus(LONG));
                  },
                  () -> {
                    pause(handOverLate);
                    other.release(held, Duration.ZERO);
                    return other.acquire(name, BOB, newAttempt(), LONG);
                  }));
      current = granted((AcquireAnswer) answers.get(1), "a released name is free");
      LeaseView view = record(name);
      assertThat(view.isOf(current)).as("the successor holds the name: %s", view).isTrue();
      assertThat(view.isLive()).as("the successor's lease is live: %s", view).isTrue();
      assertThat(view.expiresAt())
          .as("the successor's lease lasts as granted")
          .isEqualTo(current.expiresAt());
    }
  }
}
