package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/** What a store must do when its server's clock steps. */
final class ClockSteps {

  private static final LeaseName NAME = LeaseName.of("nightly");
  private static final Duration TTL = Duration.ofSeconds(30);

  private ClockSteps() {}

  private static Lease take(JdbcLeaseStore store, String attempt) {
    return ((AcquireAnswer.Granted) store.acquire(NAME, "a", attempt, TTL)).lease();
  }

  static void check(ServerProcess server, JdbcLeaseStore store) throws IOException {
    Lease first = take(store, "1");
    assertThat(first.grantedAt())
        .isBetween(Instant.now().minusSeconds(5), Instant.now().plusSeconds(5));
    assertThat(store.release(first, Duration.ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
    Lease second = take(store, "2");

    server.stepClock(Duration.ofMinutes(-1));
    // The name is taken until the clock has caught up: longer than asked for, never by two.
    assertThat(store.acquire(NAME, "b", "3", TTL))
        .isInstanceOfSatisfying(
            AcquireAnswer.Held.class,
            held ->
                assertThat(held.view().remaining())
                    .isBetween(Duration.ofSeconds(75), Duration.ofSeconds(91)));
    assertThat(store.renew(second, TTL))
        .isInstanceOfSatisfying(
            RenewAnswer.Renewed.class,
            renewed ->
                assertThat(renewed.lease().expiresAt())
                    .as("an expiry never moves backward")
                    .isEqualTo(second.expiresAt()));
    assertThat(store.release(second, Duration.ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
    Lease third = take(store, "4");
    assertThat(third.grantedAt()).isBefore(first.grantedAt());
    assertThat(third.token()).isGreaterThan(second.token()).isGreaterThan(first.token());
    assertThat(store.release(third, Duration.ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
    // Its token is ahead of the clock now: deleted, it could come back with a lower one.
    assertThat(store.reclaim(Duration.ZERO)).isZero();
    Lease fourth = take(store, "5");
    assertThat(fourth.token()).isGreaterThan(third.token());

    server.stepClock(Duration.ZERO);
    // The clock is a minute on: the lease has expired and is anybody's.
    assertThat(store.renew(fourth, TTL)).isInstanceOf(RenewAnswer.Lost.class);
    assertThat(take(store, "6").token()).isGreaterThan(fourth.token());

    // The hour that the European summer time skips, in a session that is there.
    Duration toTheGap = Duration.between(Instant.now(), Instant.parse("2024-03-31T01:29:58Z"));
    server.stepClock(toTheGap);
    LeaseName atTheGap = LeaseName.of("at-the-gap");
    Lease lease = ((AcquireAnswer.Granted) store.acquire(atTheGap, "a", "1", TTL)).lease();
    assertThat(lease.grantedAt())
        .isBetween(Instant.parse("2024-03-31T01:29:50Z"), Instant.parse("2024-03-31T01:30:30Z"));
    assertThat(lease.expiresAt()).isEqualTo(lease.grantedAt().plus(TTL));
    // Half an hour earlier the clock changes: 01:59:59 is followed by 03:00:00.
    server.stepClock(toTheGap.minusMinutes(30));
    LeaseName across = LeaseName.of("across-the-gap");
    Lease before = ((AcquireAnswer.Granted) store.acquire(across, "a", "1", TTL)).lease();
    server.stepClock(toTheGap.minusMinutes(30).plusSeconds(10));
    assertThat(store.renew(before, TTL))
        .isInstanceOfSatisfying(
            RenewAnswer.Renewed.class,
            renewed ->
                assertThat(renewed.lease().expiresAt())
                    .isBetween(
                        before.expiresAt().plusSeconds(5), before.expiresAt().plusSeconds(20)));
    server.stepClock(Duration.ZERO);
  }
}
