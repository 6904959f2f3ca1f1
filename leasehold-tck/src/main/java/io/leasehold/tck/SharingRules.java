package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseView;
import io.leasehold.ReleaseAnswer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** One database, many store objects, clocks and zones: one truth. */
abstract class SharingRules extends StoreRules {

  private static final Duration HOUR = Duration.ofHours(1);

  /** How far two readings of one clock may be apart in a slow test; far from an hour. */
  private static final Duration SAME_CLOCK = Duration.ofMinutes(10);

  SharingRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("L71 two store objects over one database see one truth")
  void twoStoreObjectsSeeOneTruth() throws Exception {
    LeaseStore other = anotherStore();
    Lease lease = grant(name("job"), ALICE);

    held(
        other.acquire(lease.name(), BOB, newAttempt(), LONG),
        "what one granted, the other refuses");
    assertThat(other.read(lease.name()).map(view -> view.isOf(lease)))
        .as("what one granted, the other reads")
        .contains(true);
    Lease renewed =
        renewed(other.renew(lease, LONG.plus(LONG)), "what one granted, the other renews");
    assertThat(record(lease.name()).expiresAt())
        .as("what one renewed, the other sees")
        .isEqualTo(renewed.expiresAt());
    assertThat(other.release(lease, Duration.ZERO))
        .as("what one granted, the other releases")
        .isEqualTo(ReleaseAnswer.RELEASED);
    lost(store().renew(lease, LONG), "what one released, the other cannot renew");
    granted(acquire(lease.name(), BOB, LONG), "what one released, the other grants");
  }

  @Test
  @DisplayName("L72 tokens grow when store objects take turns: the count is in the database")
  void tokensGrowWhenStoreObjectsTakeTurns() throws Exception {
    LeaseStore other = anotherStore();
    LeaseName name = name("job");
    Lease last = grant(name, ALICE);
    for (int turn = 0; turn < 10; turn++) {
      store().release(last, Duration.ZERO);
      LeaseStore one = turn % 2 == 0 ? other : store();
      Lease next = granted(one.acquire(name, BOB, newAttempt(), LONG), "a released name is free");
      assertThat(next.token().supersedes(last.token()))
          .as("a token is strictly greater, whichever store object grants: %s, then %s", last, next)
          .isTrue();
      last = next;
    }
  }

  @Test
  @DisplayName("L73 leases outlive the store object that took them")
  void leasesOutliveTheStoreObject() throws Exception {
    LeaseName name = name("job");
    LeaseStore shortLived = anotherStore();
    Lease lease =
        granted(shortLived.acquire(name, ALICE, newAttempt(), LONG), "a free name is granted");
    shortLived.close();

    LeaseStore later = anotherStore();
    held(later.acquire(name, BOB, newAttempt(), LONG), "closing a store gives nothing back");
    assertThat(later.release(lease, Duration.ZERO))
        .as("a lease can be released by whoever has it")
        .isEqualTo(ReleaseAnswer.RELEASED);
    Lease next = granted(later.acquire(name, BOB, newAttempt(), LONG), "a released name is free");
    assertThat(next.token().supersedes(lease.token()))
        .as("a store that was opened later goes on with greater tokens")
        .isTrue();
  }

  @Test
  @DisplayName("L74 a caller's clock that is wrong by an hour changes nothing")
  void aCallersClockThatIsWrongChangesNothing() throws Exception {
    needs(Capability.OWN_CLOCK);
    for (Duration wrong : List.of(HOUR, HOUR.negated())) {
      InstantSource clock = InstantSource.offset(InstantSource.system(), wrong);
      LeaseStore skewed =
          closedAfterwards(offered(fixture.openStoreOnClock(clock), "store on a caller's clock"));
      Lease live = grant(name("live " + wrong), ALICE);
      Lease ended = grantShort(name("ended " + wrong), ALICE);
      Lease other = grant(name("other " + wrong), ALICE);
      letExpire(ended);

      held(
          skewed.acquire(live.name(), BOB, newAttempt(), LONG),
          "a live lease is refused, though the caller's clock is off by " + wrong);
      assertThat(skewed.read(live.name()))
          .as("a live lease is read, though the caller's clock is off by %s", wrong)
          .isPresent();
      assertThat(skewed.read(ended.name()))
          .as("an expired lease reads as empty, though the caller's clock is off by %s", wrong)
          .isEmpty();
      Lease taken =
          granted(
              skewed.acquire(ended.name(), BOB, newAttempt(), LONG),
              "an expired lease is free, though the caller's clock is off by " + wrong);
      expectNear(live.grantedAt(), taken.grantedAt(), "a grant is dated");
      assertThat(record(ended.name()).isLive())
          .as("a lease lasts its TTL, though the caller's clock is off by %s", wrong)
          .isTrue();
      Lease renewed = renewed(skewed.renew(live, LONG), "a live lease is renewed");
      expectNear(live.expiresAt(), renewed.expiresAt(), "an expiry is dated");
      skewed.release(other, Duration.ZERO);
      LeaseView released = record(other.name());
      expectNear(live.grantedAt(), released.expiresAt(), "a release is dated");
      granted(acquire(other.name(), BOB, LONG), "a released name is free at once");
    }
  }

  private static void expectNear(Instant one, Instant other, String what) {
    assertThat(Duration.between(one, other).abs())
        .as("%s by the store's clock, not the caller's", what)
        .isLessThan(SAME_CLOCK);
  }

  @Test
  @ResourceLock(Resources.TIME_ZONE)
  @DisplayName("L75 instants mean the same in every time zone")
  void instantsMeanTheSameInEveryTimeZone() throws Exception {
    TimeZone before = TimeZone.getDefault();
    try {
      TimeZone.setDefault(TimeZone.getTimeZone("Asia/Seoul"));
      Lease lease =
          granted(
              anotherStore().acquire(name("job"), ALICE, newAttempt(), LONG),
              "a free name is granted");
      for (String zone : List.of("America/New_York", "Europe/Berlin", "UTC")) {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        LeaseStore there = anotherStore();
        LeaseView view =
            held(
                there.acquire(lease.name(), BOB, newAttempt(), LONG),
                "a lease granted in Seoul is live in " + zone);
        assertThat(view.grantedAt())
            .as("a grant in Seoul is dated alike in %s", zone)
            .isEqualTo(lease.grantedAt());
        assertThat(view.expiresAt())
            .as("an expiry set in Seoul is the same in %s", zone)
            .isEqualTo(lease.expiresAt());
        assertThat(view.remaining())
            .as("what remains is the same in %s", zone)
            .isLessThanOrEqualTo(LONG);
      }
    } finally {
      TimeZone.setDefault(before);
    }
  }
}
