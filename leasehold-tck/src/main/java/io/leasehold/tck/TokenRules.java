package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LeaseName;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Every grant's token is strictly greater than all before it. */
abstract class TokenRules extends StoreRules {

  TokenRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("L12 tokens grow across releases")
  void tokensGrowAcrossReleases() {
    LeaseName name = name("job");
    Lease last = grant(name, ALICE);
    for (int i = 0; i < 10; i++) {
      store().release(last, Duration.ZERO);
      last = grantAbove(last, i % 2 == 0 ? ALICE : BOB);
    }
  }

  @Test
  @DisplayName("L13 tokens grow across expiry")
  void tokensGrowAcrossExpiry() {
    Lease first = grantShort(name("job"), ALICE);
    letExpire(first);

    grantAbove(first, BOB);
  }

  @Test
  @DisplayName("L14 tokens grow across abandoned attempts")
  void tokensGrowAcrossAbandonedAttempts() {
    Lease last = grant(name("job"), ALICE);
    for (int i = 0; i < 3; i++) {
      store().abandon(last.name(), last.owner(), last.attempt());
      last = grantAbove(last, ALICE);
    }
  }

  @Test
  @DisplayName("L15 tokens grow across reclaimed records")
  void tokensGrowAcrossReclaimedRecords() {
    needs(Capability.RECLAIM);
    Lease last = grant(name("job"), ALICE);
    for (int i = 0; i < 3; i++) {
      store().release(last, Duration.ZERO);
      last = grantAbove(last, ALICE);
    }
    store().release(last, Duration.ZERO);
    awaitReclaimed(last.name());

    grantAbove(last, BOB);
  }

  @Test
  @DisplayName("L16 a first token comes from the store's clock")
  void aFirstTokenComesFromTheClock() {
    Lease lease = grant(name("job"), ALICE);

    long micros = Math.max(1, ChronoUnit.MICROS.between(Instant.EPOCH, lease.grantedAt()));
    // One second either way: a store may read its clock twice, and may keep above what it deleted.
    assertThat(lease.token().value())
        .as("a record that was lost comes back above its old tokens only if it starts at the time")
        .isBetween(Math.max(1, micros - 1_000_000), micros + 1_000_000);
  }

  private Lease grantAbove(Lease before, String owner) {
    Lease next = grant(before.name(), owner);
    assertThat(next.token().value())
        .as("the token of every grant is greater than the one before")
        .isGreaterThan(before.token().value());
    return next;
  }

  @Test
  @DisplayName("L76 the next token is the record's last one plus one, whatever the clock says")
  void theNextTokenComesFromTheRecord() {
    LeaseName name = name("job");
    Lease first = grant(name, ALICE);
    pass(Duration.ofMillis(3));
    store().release(first, Duration.ZERO);

    Lease second = granted(acquire(name, BOB, LONG), "a released name");

    assertThat(second.token().value())
        .as("a token that is taken from a clock again goes back when the clock does")
        .isEqualTo(first.token().value() + 1);
  }
}
