package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import io.leasehold.LeaseView.State;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Tokens grow for ever, and a record outlives its lease to see to it. */
abstract class TokenRules extends StoreRules {

  /** How far the first token may be from the instant of the grant: a second, in microseconds. */
  private static final long FIRST_TOKEN_MARGIN = 1_000_000;

  TokenRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  private void expectGrowth(Lease earlier, Lease later, String across) {
    assertThat(later.token().supersedes(earlier.token()))
        .as("a token is strictly greater across %s: %s, then %s", across, earlier, later)
        .isTrue();
  }

  @Test
  @DisplayName("L14 a token is strictly greater at every grant, across expiry")
  void tokensGrowAcrossExpiry() {
    LeaseName name = name("job");
    Lease first = grantShort(name, ALICE);
    letExpire(first);
    Lease second = granted(acquire(name, BOB, fixture.ttl()), "an expired name is free");
    letExpire(second);
    Lease third = granted(acquire(name, ALICE, LONG), "an expired name is free");

    expectGrowth(first, second, "expiry");
    expectGrowth(second, third, "expiry");
  }

  @Test
  @DisplayName("L15 a token is strictly greater at every grant, across release")
  void tokensGrowAcrossRelease() {
    LeaseName name = name("job");
    Lease last = grant(name, ALICE);
    for (int i = 0; i < 5; i++) {
      store().release(last, Duration.ZERO);
      Lease next =
          granted(acquire(name, i % 2 == 0 ? BOB : ALICE, LONG), "a released name is free");
      expectGrowth(last, next, "release");
      last = next;
    }
  }

  @Test
  @DisplayName("L16 a token is strictly greater at every grant, across abandon")
  void tokensGrowAcrossAbandon() {
    LeaseName name = name("job");
    Lease first = grant(name, ALICE);
    store().abandon(name, ALICE, first.attempt());
    Lease second = granted(acquire(name, ALICE, LONG), "an abandoned name is free");

    expectGrowth(first, second, "abandon");
  }

  @Test
  @DisplayName("L17 a token is strictly greater at every grant, across reclaim")
  void tokensGrowAcrossReclaim() {
    needs(Capability.RECLAIM);
    LeaseName name = name("job");
    Lease last = grant(name, ALICE);
    for (int i = 0; i < 3; i++) {
      store().release(last, Duration.ZERO);
      last = granted(acquire(name, ALICE, LONG), "a released name is free");
    }
    store().release(last, Duration.ZERO);
    store().reclaim(Duration.ZERO);
    assertThat(recordIfAny(name)).as("the record is reclaimed").isEmpty();

    Lease next = granted(acquire(name, BOB, LONG), "a reclaimed name is free");

    expectGrowth(last, next, "reclaim");
  }

  @Test
  @DisplayName("L18 the first token of a record is the store's clock in microseconds")
  void theFirstTokenComesFromTheClock() {
    Lease lease = grant(name("job"), ALICE);

    long granted = lease.grantedAt().toEpochMilli() * 1_000;
    assertThat(lease.token().value())
        .as("a new record starts from the clock, so that a lost record's tokens are below it")
        .isBetween(Math.max(1, granted - FIRST_TOKEN_MARGIN), granted + FIRST_TOKEN_MARGIN);
  }

  @Test
  @DisplayName("L19 the next token is the record's last one plus one, whatever the clock says")
  void theNextTokenComesFromTheRecord() {
    LeaseName name = name("job");
    Lease first = grant(name, ALICE);
    pass(Duration.ofMillis(3));
    store().release(first, Duration.ZERO);
    Lease second = granted(acquire(name, BOB, LONG), "a released name is free");

    assertThat(second.token().value())
        .as("a token taken from a clock again could go back with the clock")
        .isEqualTo(first.token().value() + 1);
  }

  @Test
  @DisplayName("L20 a record outlives its lease, with its token")
  void aRecordOutlivesItsLease() {
    Lease released = grant(name("released"), ALICE);
    store().release(released, Duration.ZERO);
    Lease abandoned = grant(name("abandoned"), ALICE);
    store().abandon(abandoned.name(), ALICE, abandoned.attempt());
    Lease expired = grantShort(name("expired"), ALICE);
    letExpire(expired);

    expectEnded(released, State.RELEASED);
    expectEnded(abandoned, State.RELEASED);
    expectEnded(expired, State.EXPIRED);
  }

  private void expectEnded(Lease lease, State state) {
    LeaseView view = record(lease.name());
    assertThat(view.isOf(lease)).as("the record keeps token and attempt").isTrue();
    assertThat(view.state()).as("the record says how the lease ended").isEqualTo(state);
  }
}
