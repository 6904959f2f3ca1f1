package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import io.leasehold.ReleaseAnswer;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who gets a name, who is refused, and what a read shows. */
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
    Lease lease = grant(name, ALICE);

    LeaseView view = held(acquire(name, BOB, LONG), "a live lease is refused to another owner");

    assertThat(view.state()).as("the refusal says that somebody holds it").isEqualTo(LIVE);
    assertThat(view.isOf(lease)).as("the refusal shows the holder's grant").isTrue();
    assertThat(view.owner()).as("the holder is still the holder").isEqualTo(ALICE);
    assertThat(view.expiresAt()).as("a refusal moves no expiry").isEqualTo(lease.expiresAt());
    assertThat(view.remaining())
        .as("a refusal says how long the lease has left")
        .isBetween(LONG.dividedBy(2), LONG);
  }

  @Test
  @DisplayName("L03 a live lease is refused to its own owner with another attempt")
  void aLiveLeaseIsRefusedToItsOwnOwner() {
    LeaseName name = name("job");
    Lease lease = grant(name, ALICE);

    LeaseView view =
        held(acquire(name, ALICE, LONG), "the owner's name is no key: two processes may share it");

    assertThat(view.isOf(lease)).as("the first grant stands").isTrue();
  }

  @Test
  @DisplayName("L04 the same attempt sent again gets the same grant")
  void theSameAttemptGetsTheSameGrant() {
    LeaseName name = name("job");
    String attempt = newAttempt();
    Lease first = granted(store().acquire(name, ALICE, attempt, LONG), "a free name is granted");

    Lease again =
        granted(
            store().acquire(name, ALICE, attempt, LONG.multipliedBy(2)),
            "an attempt whose answer was lost may be sent again");

    assertThat(again.token()).as("no second grant is taken").isEqualTo(first.token());
    assertThat(again.expiresAt())
        .as("asking again is no renewal: the expiry stays")
        .isEqualTo(first.expiresAt());
    assertThat(again.grantedAt()).as("it is the same grant").isEqualTo(first.grantedAt());
  }

  @Test
  @DisplayName("L05 an attempt whose grant was given back takes no second one")
  void anAttemptThatWasGivenBackIsSpent() {
    LeaseName name = name("job");
    Lease released = grant(name, ALICE);
    store().release(released, Duration.ZERO);

    AcquireAnswer late = store().acquire(name, ALICE, released.attempt(), LONG);
    LeaseView view = held(late, "a late copy of a finished attempt must not take the name");

    assertThat(view.isOf(released)).as("the answer shows what became of it").isTrue();
    assertThat(view.isLive()).as("the grant has ended").isFalse();
    Lease abandoned = grant(name, ALICE);
    store().abandon(name, ALICE, abandoned.attempt());
    held(
        store().acquire(name, ALICE, abandoned.attempt(), LONG),
        "an abandoned attempt that arrives late must not take the name");
    granted(acquire(name, ALICE, LONG), "a new attempt is not hindered by a spent one");
  }

  @Test
  @DisplayName("L06 an attempt whose grant has expired takes no second one")
  void anAttemptWhoseGrantExpiredIsSpent() {
    LeaseName name = name("job");
    Lease expired = grantShort(name, ALICE);
    letExpire(expired);

    LeaseView view =
        held(
            store().acquire(name, ALICE, expired.attempt(), LONG),
            "a copy of an attempt that was held up for a TTL must not take the name");

    assertThat(view.state()).as("its grant has expired").isEqualTo(LeaseView.State.EXPIRED);
    granted(acquire(name, ALICE, LONG), "a new attempt is not hindered by a spent one");
  }

  @Test
  @DisplayName("L07 names do not exclude each other")
  void namesDoNotExcludeEachOther() {
    Lease first = grant(name("job-1"), ALICE);
    Lease second = grant(name("job-2"), BOB);

    assertThat(store().release(first, Duration.ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
    assertThat(store().read(second.name())).as("the other name is still held").isPresent();
  }

  @Test
  @DisplayName("L08 one attempt id may serve two names")
  void oneAttemptMayServeTwoNames() {
    String attempt = newAttempt();
    Lease first = granted(store().acquire(name("a"), ALICE, attempt, LONG), "a free name");
    Lease second = granted(store().acquire(name("b"), ALICE, attempt, LONG), "another free name");

    store().abandon(first.name(), ALICE, attempt);

    assertThat(store().read(second.name()))
        .as("an attempt is looked for under its name alone")
        .isPresent();
  }

  @Test
  @DisplayName("L09 a read shows the live grant")
  void aReadShowsTheLiveGrant() {
    LeaseName name = name("job");
    Lease lease = grant(name, ALICE);

    Optional<LeaseView> read = store().read(name);

    assertThat(read).as("a held name reads as held").isPresent();
    LeaseView view = read.orElseThrow();
    assertThat(view.asLease())
        .as("a read shows the grant as its holder knows it")
        .usingRecursiveComparison()
        .ignoringFields("remaining")
        .isEqualTo(lease);
    assertThat(view.renewedAt()).as("not renewed yet").isEqualTo(lease.grantedAt());
    assertThat(view.remaining()).as("time only runs down").isLessThanOrEqualTo(lease.remaining());
  }

  @Test
  @DisplayName("L10 reading an unheld name is an answer, and takes nothing")
  void readingAnUnheldNameIsAnAnswer() {
    LeaseName name = name("nobody");

    assertThat(store().read(name)).as("nobody holds it").isEmpty();
    assertThat(recordIfAny(name)).as("a read leaves no record behind").isEmpty();
  }

  @Test
  @DisplayName("L11 the time a lease has left is counted down by the store's clock")
  void remainingRunsDown() {
    LeaseName name = name("job");
    Duration step = fixture.ttl().dividedBy(2);
    Lease lease = grant(name, ALICE);
    LeaseView before = store().read(name).orElseThrow();

    pass(step);
    LeaseView after = store().read(name).orElseThrow();

    assertThat(after.expiresAt()).as("reading moves no expiry").isEqualTo(lease.expiresAt());
    // Half of the time that passed is the margin for clocks that tick coarsely or are being slewed.
    assertThat(before.remaining().minus(after.remaining()))
        .as("after %s, less remains", step)
        .isGreaterThanOrEqualTo(step.dividedBy(2));
  }
}
