package io.leasehold.tck;

import static java.time.temporal.ChronoUnit.MILLIS;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.Lease;
import io.leasehold.LeaseArguments;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import io.leasehold.LeaseView.State;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who gets a name, who is refused, and when a name is free again. */
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
    assertThat(lease.remaining()).as("a lease has its TTL ahead").isPositive();
    assertThat(lease.remaining()).as("a lease has no more than its TTL").isLessThanOrEqualTo(LONG);
  }

  @Test
  @DisplayName("L02 a live lease is refused to another owner")
  void aLiveLeaseIsRefusedToAnotherOwner() {
    LeaseName name = name("job");
    grant(name, ALICE);
    LeaseView before = record(name);

    held(acquire(name, BOB, LONG), "a live lease is refused to another owner");

    expectUnchanged(before, "a refusal changes nothing");
  }

  @Test
  @DisplayName("L03 a live lease is refused to its own owner: a holder renews")
  void aLiveLeaseIsRefusedToItsOwnOwner() {
    LeaseName name = name("job");
    grant(name, ALICE);
    LeaseView before = record(name);

    held(acquire(name, ALICE, LONG), "a live lease is refused to another attempt of its owner");

    expectUnchanged(before, "a refusal changes nothing");
  }

  @Test
  @DisplayName("L04 the same attempt sent again gets the same grant")
  void theSameAttemptSentAgainGetsTheSameGrant() {
    LeaseName name = name("job");
    String attempt = newAttempt();
    Lease first = granted(store().acquire(name, ALICE, attempt, LONG), "a free name is granted");

    for (Duration ttl : new Duration[] {LONG, LONG.plus(LONG), Duration.ofMinutes(1)}) {
      Lease again =
          granted(store().acquire(name, ALICE, attempt, ttl), "an attempt has its grant still");
      assertThat(again.token())
          .as("a repeated attempt gets the same token")
          .isEqualTo(first.token());
      assertThat(again.grantedAt()).as("it is the same grant").isEqualTo(first.grantedAt());
      assertThat(again.expiresAt())
          .as("a repeated attempt does not move the expiry: only a renewal does")
          .isEqualTo(first.expiresAt());
    }
  }

  @Test
  @DisplayName("L05 an attempt whose lease has expired never takes a second grant")
  void anExpiredAttemptIsSpent() {
    LeaseName name = name("job");
    String attempt = newAttempt();
    Lease lease =
        granted(store().acquire(name, ALICE, attempt, fixture.ttl()), "a free name is granted");
    letExpire(lease);

    LeaseView view =
        held(store().acquire(name, ALICE, attempt, LONG), "a spent attempt is not granted again");

    assertThat(view.state()).as("the answer is the ended record").isEqualTo(State.EXPIRED);
    assertThat(view.isOf(lease)).as("the answer is the attempt's own record").isTrue();
    granted(acquire(name, ALICE, LONG), "a new attempt takes the name");
  }

  @Test
  @DisplayName("L06 an attempt whose lease was given back never takes a second grant")
  void anAttemptThatWasGivenBackIsSpent() {
    Lease released = grant(name("released"), ALICE);
    store().release(released, Duration.ZERO);
    Lease lingering = grant(name("lingering"), ALICE);
    store().release(lingering, LONG);
    Lease abandoned = grant(name("abandoned"), ALICE);
    store().abandon(abandoned.name(), ALICE, abandoned.attempt());

    expectSpent(released, State.RELEASED);
    expectSpent(lingering, State.LINGERING);
    expectSpent(abandoned, State.RELEASED);
  }

  private void expectSpent(Lease lease, State state) {
    LeaseView view =
        held(
            store().acquire(lease.name(), lease.owner(), lease.attempt(), LONG),
            "a spent attempt is not granted again");
    assertThat(view.state()).as("the answer is the ended record").isEqualTo(state);
    assertThat(view.isOf(lease)).as("the answer is the attempt's own record").isTrue();
  }

  @Test
  @DisplayName("L07 names do not exclude each other")
  void namesDoNotExcludeEachOther() {
    Lease one = grant(name("one"), ALICE);

    Lease two = granted(acquire(name("two"), BOB, LONG), "another name is free");
    Lease three = granted(acquire(name("three"), ALICE, LONG), "an owner may hold many names");
    store().release(three, Duration.ZERO);

    assertThat(record(one.name()).isLive())
        .as("releasing one name leaves the owner's other names")
        .isTrue();
    assertThat(record(two.name()).isLive()).as("and those of others").isTrue();
  }

  @Test
  @DisplayName("L08 an expired lease is acquirable, by anybody")
  void anExpiredLeaseIsAcquirable() {
    Lease first = grantShort(name("one"), ALICE);
    Lease second = grantShort(name("two"), ALICE);
    letExpire(first);
    letExpire(second);

    Lease byAnother = granted(acquire(first.name(), BOB, LONG), "an expired name is free");
    Lease byTheSame = granted(acquire(second.name(), ALICE, LONG), "an expired name is free");

    assertThat(byAnother.owner()).as("the new grant is the caller's").isEqualTo(BOB);
    assertThat(byTheSame.grantedAt())
        .as("a new grant starts at or after the old one's end")
        .isAfterOrEqualTo(second.expiresAt());
  }

  /**
   * Not one refusal may come from a time at or after the expiry, not one grant from a time before
   * it: both by the instants in the answers, so that the test need not know the store's clock.
   */
  @Test
  @DisplayName("L09 a lease is refused until its expiry and granted from then on")
  void aLeaseIsRefusedUntilItsExpiry() {
    LeaseName name = name("job");
    Lease first = grantShort(name, ALICE);
    long until = System.nanoTime() + first.remaining().plus(fixture.patience()).toNanos();
    AcquireAnswer answer = acquire(name, BOB, LONG);
    while (answer instanceof AcquireAnswer.Held held) {
      assertThat(held.view().isLive())
          .as("a refusal comes from before the expiry: %s", held.view())
          .isTrue();
      assertThat(System.nanoTime()).as("an expired lease becomes free").isLessThan(until);
      pass(Duration.ofMillis(1));
      answer = acquire(name, BOB, LONG);
    }

    assertThat(granted(answer, "an expired lease is free").grantedAt())
        .as("a grant comes from the expiry or after")
        .isAfterOrEqualTo(first.expiresAt());
  }

  @Test
  @DisplayName(
      "L10 a lease is live one millisecond before its expiry and free at exactly its expiry")
  void aLeaseIsFreeAtExactlyItsExpiry() {
    Consumer<Duration> clock = offered(fixture.clock(), "clock to move");
    LeaseName name = name("job");
    Lease lease = grantShort(name, ALICE);
    Duration millisecond = Duration.ofMillis(1);

    clock.accept(lease.remaining().minus(millisecond));
    LeaseView view = held(acquire(name, BOB, LONG), "a lease is live until its expiry");
    assertThat(view.remaining()).as("one millisecond remains").isEqualTo(millisecond);
    assertThat(store().read(name)).as("a lease reads as live until its expiry").isPresent();

    clock.accept(millisecond);
    assertThat(store().read(name)).as("at its expiry a lease is over").isEmpty();
    Lease next = granted(acquire(name, BOB, LONG), "at its expiry a lease is free");
    assertThat(next.grantedAt()).as("no gap between two grants").isEqualTo(lease.expiresAt());
  }

  @Test
  @DisplayName("L11 a refusal says who holds the name, by which token, and for how long")
  void aRefusalSaysWhoHoldsTheName() {
    LeaseName name = name("job");
    Lease lease = grant(name, ALICE);

    pass(Duration.ofMillis(20));
    LeaseView view = held(acquire(name, BOB, LONG), "a live lease is refused");

    assertThat(view.name()).as("the refusal is about the name").isEqualTo(name);
    assertThat(view.owner()).as("the refusal names the holder").isEqualTo(ALICE);
    assertThat(view.isOf(lease)).as("the refusal shows the holder's token and attempt").isTrue();
    assertThat(view.grantedAt()).as("since when").isEqualTo(lease.grantedAt());
    assertThat(view.expiresAt()).as("until when").isEqualTo(lease.expiresAt());
    assertThat(view.isLive()).as("the refusal comes from a live lease").isTrue();
    assertThat(view.remaining())
        .as("the refusal says for how long the name stays taken, counted from now")
        .isPositive()
        // 20 ms have passed here; 10 of them must have passed there, whatever its clock's grain.
        .isLessThanOrEqualTo(LONG.minusMillis(10));
  }

  @Test
  @DisplayName("L12 instants are whole milliseconds, and a TTL is cut to them")
  void instantsAreWholeMilliseconds() {
    Duration uneven = LONG.plusNanos(1_999_999);

    Lease lease = granted(acquire(name("job"), ALICE, uneven), "a free name is granted");
    Lease renewed = renewed(store().renew(lease, uneven.plus(LONG)), "a live lease is renewed");
    LeaseView view = record(lease.name());

    assertThat(lease.expiresAt())
        .as("a TTL is cut to whole milliseconds")
        .isEqualTo(lease.grantedAt().plus(LONG).plusMillis(1));
    for (Instant instant :
        new Instant[] {
          lease.grantedAt(),
          lease.expiresAt(),
          renewed.expiresAt(),
          view.grantedAt(),
          view.renewedAt(),
          view.expiresAt()
        }) {
      assertThat(instant)
          .as("an instant is kept to the millisecond")
          .isEqualTo(instant.truncatedTo(MILLIS));
    }
  }

  @Test
  @DisplayName("L13 the longest and the shortest TTL are kept as they are")
  void theLongestAndTheShortestTtlAreKept() {
    Lease longest =
        granted(acquire(name("long"), ALICE, LeaseArguments.MAX_TTL), "366 days are granted");
    Lease shortest =
        granted(acquire(name("short"), ALICE, LeaseArguments.MIN_TTL), "1 ms is granted");

    assertThat(longest.expiresAt())
        .as("366 days are 366 days")
        .isEqualTo(longest.grantedAt().plus(LeaseArguments.MAX_TTL));
    assertThat(shortest.expiresAt())
        .as("1 ms is 1 ms")
        .isEqualTo(shortest.grantedAt().plus(LeaseArguments.MIN_TTL));
    held(acquire(longest.name(), BOB, LONG), "a lease of 366 days is live");
    letExpire(shortest);
    granted(acquire(shortest.name(), BOB, LONG), "a lease of 1 ms is soon over");
  }
}
