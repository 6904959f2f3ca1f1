package io.leasehold.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasehold.EndReason;
import io.leasehold.FencingToken;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

class HoldTest {

  private static final long SECOND = 1_000_000_000L;
  private static final Moment SENT = new Moment(50, 1_000);

  private static Lease lease(Duration remaining) {
    return new Lease(
        LeaseName.of("n"), "me", "a", new FencingToken(1), Instant.EPOCH, Instant.EPOCH, remaining);
  }

  private static Moment after(long ticks, long wallMillis) {
    return new Moment(SENT.nanos() + ticks, SENT.wallMillis() + wallMillis);
  }

  @Test
  void aHoldIsTheTtlLessASixth() {
    assertThat(Hold.length(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(25));
    Hold hold = Hold.proved(SENT, Duration.ofSeconds(6), lease(Duration.ofSeconds(6)));
    assertThat(hold).isEqualTo(new Hold(SENT, 5 * SECOND));
  }

  @Test
  void whereLessRemainsThanWasAskedForThatCounts() {
    assertThat(Hold.proved(SENT, Duration.ofSeconds(6), lease(Duration.ofSeconds(3))).lengthNanos())
        .isEqualTo(2_500_000_000L);
    assertThat(
            Hold.proved(SENT, Duration.ofSeconds(6), lease(Duration.ofSeconds(60))).lengthNanos())
        .isEqualTo(5 * SECOND);
  }

  @Test
  void aHoldIsOverAtItsEndByWhicheverClockRanFurther() {
    Hold hold = new Hold(SENT, 5 * SECOND);
    assertThat(hold.isOver(after(5 * SECOND - 1, 0))).isFalse();
    assertThat(hold.leftNanos(after(5 * SECOND - 1, 0))).isEqualTo(1);
    assertThat(hold.isOver(after(5 * SECOND, 0))).isTrue();
    assertThat(hold.isOver(after(0, 4_999))).isFalse();
    assertThat(hold.isOver(after(0, 5_000))).isTrue();
    assertThat(hold.isOver(after(5 * SECOND, -3_600_000))).isTrue();
  }

  @Test
  void theLeaseItselfLivesASixthOfItsTtlLonger() {
    Hold hold = new Hold(SENT, 5 * SECOND);
    assertThat(hold.expiresInNanos(SENT)).isEqualTo(6 * SECOND);
    assertThat(hold.mayHaveExpired(after(6 * SECOND - 1, 0))).isFalse();
    assertThat(hold.mayHaveExpired(after(6 * SECOND, 0))).isTrue();
  }

  @Test
  void theReasonTellsASleepFromAStoreThatIsAway() {
    Hold hold = new Hold(SENT, 5 * SECOND);
    assertThat(hold.reason(after(5 * SECOND, 5_000))).isEqualTo(EndReason.UNREACHABLE);
    assertThat(hold.reason(after(4_751_000_000L, 5_000))).isEqualTo(EndReason.UNREACHABLE);
    assertThat(hold.reason(after(4_750_000_000L, 5_000))).isEqualTo(EndReason.UNREACHABLE);
    assertThat(hold.reason(after(4_749_000_000L, 5_000))).isEqualTo(EndReason.SUSPENDED);
    assertThat(hold.reason(after(0, 3_600_000))).isEqualTo(EndReason.SUSPENDED);
  }

  @Test
  void aMomentIsReadOffBothClocks() {
    Moment moment = Moment.read(() -> 77, InstantSource.fixed(Instant.ofEpochMilli(5)));
    assertThat(moment).isEqualTo(new Moment(77, 5));
  }

  @Test
  void aWallClockThatJumpedByAgesDoesNotOverflow() {
    assertThat(new Moment(0, Long.MAX_VALUE / 2).nanosSince(new Moment(0, 0)))
        .isEqualTo(Long.MAX_VALUE);
    long limit = Long.MAX_VALUE / 1_000_000;
    assertThat(new Moment(0, limit).nanosSince(new Moment(0, 0))).isEqualTo(limit * 1_000_000);
    assertThat(new Moment(3, -Long.MAX_VALUE / 2).nanosSince(new Moment(0, 0))).isPositive();
  }

  @Test
  void aMonotonicClockMayWrap() {
    Moment before = new Moment(Long.MAX_VALUE, 0);
    Moment wrapped = new Moment(Long.MIN_VALUE + 9, 0);
    assertThat(wrapped.nanosSince(before)).isEqualTo(10);
    assertThat(wrapped.ticksSince(before)).isEqualTo(10);
  }

  @Test
  void aHoldersTtlIsFrom10MsTo366Days() {
    assertThat(Hold.checkTtl(Duration.ofMillis(10))).isEqualTo(Duration.ofMillis(10));
    assertThat(Hold.checkTtl(Duration.ofDays(366))).isEqualTo(Duration.ofDays(366));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Hold.checkTtl(Duration.ofMillis(9)))
        .withMessageContaining("ttl PT0.009S is out of range for a holder: at least 10 ms");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Hold.checkTtl(Duration.ofDays(366).plusMillis(1)));
  }

  private static CampaignPlan plan(
      String owner, long ttl, long retry, long grace, long linger, long patience) {
    return new CampaignPlan(
        LeaseName.of("n"),
        owner,
        Duration.ofMillis(ttl),
        Duration.ofMillis(retry),
        Duration.ofMillis(grace),
        Duration.ofMillis(linger),
        Duration.ofMillis(patience));
  }

  @Test
  void aPlanChecksItsTimes() {
    long tooLong = Duration.ofDays(367).toMillis();
    long longest = Duration.ofDays(366).toMillis();
    assertThat(plan("me", 300, 1, 100, 0, 0).third()).isEqualTo(Duration.ofMillis(100));
    assertThat(plan("me", 300, longest, 0, longest, longest).retry().toMillis()).isEqualTo(longest);
    assertThatIllegalArgumentException().isThrownBy(() -> plan("", 300, 1, 0, 0, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> plan("me", 9, 1, 0, 0, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> plan("me", 300, 0, 0, 0, 0))
        .withMessage("retry PT0S is out of range: at least 1 ms and at most 366 days");
    assertThatIllegalArgumentException().isThrownBy(() -> plan("me", 300, tooLong, 0, 0, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> plan("me", 300, 1, 101, 0, 0))
        .withMessageContaining("at most a third of the ttl, which is PT0.1S")
        .withMessageContaining("raise the ttl to at least PT0.303S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> plan("me", 300, 1, -1, 0, 0))
        .withMessageContaining("raise the ttl to at least PT0.3S");
    assertThatIllegalArgumentException().isThrownBy(() -> plan("me", 300, 1, 0, -1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> plan("me", 300, 1, 0, tooLong, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> plan("me", 300, 1, 0, 0, -1))
        .withMessageContaining("patience");
    assertThatIllegalArgumentException().isThrownBy(() -> plan("me", 300, 1, 0, 0, tooLong));
  }
}
