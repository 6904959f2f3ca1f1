package io.leasehold.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.EndReason;
import io.leasehold.FencingToken;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import io.leasehold.RenewAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RosterTest {

  private static final Duration TTL = Duration.ofSeconds(6);
  private final Throwable down = new IllegalStateException("down");

  private long nanos = 1_000;
  private long wallMillis = 1_000_000;
  private final Roster roster = new Roster(TTL, 3, now());

  private Moment now() {
    return new Moment(nanos, wallMillis);
  }

  private void passMillis(long millis) {
    nanos += millis * 1_000_000;
    wallMillis += millis;
  }

  private static Lease lease(String name, Duration remaining) {
    return new Lease(
        LeaseName.of(name),
        "me",
        "attempt-" + name,
        new FencingToken(7),
        Instant.EPOCH,
        Instant.EPOCH,
        remaining);
  }

  private Tenancy add(String name) {
    return roster.add(lease(name, TTL), now());
  }

  private static <A extends RosterAction> List<A> only(List<RosterAction> all, Class<A> type) {
    return all.stream().filter(type::isInstance).map(type::cast).toList();
  }

  private static RosterAction.SendRenewAll renewal(List<RosterAction> all) {
    List<RosterAction.SendRenewAll> sent = only(all, RosterAction.SendRenewAll.class);
    assertThat(sent).hasSize(1);
    return sent.get(0);
  }

  private static List<RenewAnswer> renewed(RosterAction.SendRenewAll sent) {
    List<RenewAnswer> answers = new ArrayList<>();
    for (Lease lease : sent.leases()) {
      answers.add(new RenewAnswer.Renewed(lease(lease.name().value(), TTL)));
    }
    return answers;
  }

  @Test
  void leasesAreRenewedInOneBatchAThirdOfTheTtlAfterTheyWereSent() {
    Tenancy a = add("a");
    add("b");
    passMillis(1_999);
    assertThat(roster.passTime(now())).isEmpty();
    assertThat(roster.nextWakeIn(now())).isEqualTo(1_000_000);
    passMillis(1);
    RosterAction.SendRenewAll sent = renewal(roster.passTime(now()));
    assertThat(sent.leases()).extracting(lease -> lease.name().value()).containsExactly("a", "b");
    Moment at = now();
    assertThat(roster.passTime(now())).as("not twice").isEmpty();

    passMillis(300);
    assertThat(roster.answered(sent.call(), renewed(sent), now())).isEmpty();
    assertThat(a.hold()).isEqualTo(new Hold(at, Duration.ofSeconds(5).toNanos()));
    passMillis(1_699);
    assertThat(roster.passTime(now())).isEmpty();
    passMillis(1);
    assertThat(renewal(roster.passTime(now())).leases()).hasSize(2);
  }

  @Test
  void moreThanABatchIsRenewedInSeveralUpToFourAtATime() {
    for (int i = 0; i < 14; i++) {
      add("n" + i);
    }
    passMillis(2_000);
    List<RosterAction.SendRenewAll> sent =
        only(roster.passTime(now()), RosterAction.SendRenewAll.class);
    assertThat(sent).hasSize(4).allMatch(each -> each.leases().size() == 3);
    assertThat(sent).extracting(RosterAction.SendRenewAll::call).doesNotHaveDuplicates();

    roster.answered(sent.get(1).call(), renewed(sent.get(1)), now());
    assertThat(renewal(roster.passTime(now())).leases()).hasSize(2);
  }

  @Test
  void aLeaseThatCannotBeRenewedEndsAtItsHold() {
    Tenancy a = add("a");
    passMillis(2_000);
    RosterAction.SendRenewAll sent = renewal(roster.passTime(now()));
    passMillis(1_000);
    List<RosterAction> told = roster.unanswered(sent.call(), down, now());
    assertThat(only(told, RosterAction.StoreAway.class)).hasSize(1);
    passMillis(1_999);
    roster.passTime(now());
    assertThat(a.end()).isEmpty();
    assertThat(a.isHeld(now())).isTrue();
    passMillis(1);
    assertThat(a.isHeld(now())).as("seen by itself").isFalse();
    assertThat(only(roster.passTime(now()), RosterAction.Lost.class))
        .containsExactly(new RosterAction.Lost(a, EndReason.UNREACHABLE));
    assertThat(a.end()).contains(EndReason.UNREACHABLE);
    assertThat(roster.size()).isZero();
  }

  @Test
  void aLeaseWhoseRenewalHangsEndsAtItsHoldToo() {
    Tenancy a = add("a");
    passMillis(1_000);
    Tenancy b = add("b");
    passMillis(1_000);
    roster.passTime(now());
    passMillis(1_500);
    roster.passTime(now());
    nanos += 1_500_000_000L;
    wallMillis += 1_500;
    List<RosterAction> actions = roster.passTime(now());
    assertThat(only(actions, RosterAction.Lost.class))
        .extracting(RosterAction.Lost::tenancy)
        .containsExactly(a);
    assertThat(b.end()).isEmpty();
  }

  @Test
  void aBatchThatHangsIsGivenUpAfterAThirdAndTriedAgainAtOnce() {
    Tenancy a = add("a");
    passMillis(2_000);
    RosterAction.SendRenewAll sent = renewal(roster.passTime(now()));
    passMillis(1_999);
    assertThat(roster.passTime(now())).isEmpty();
    assertThat(roster.nextWakeIn(now())).isEqualTo(1_000_000);
    passMillis(1);
    List<RosterAction> actions = roster.passTime(now());
    assertThat(only(actions, RosterAction.Cancel.class))
        .containsExactly(new RosterAction.Cancel(sent.call()));
    assertThat(only(actions, RosterAction.StoreAway.class)).hasSize(1);
    RosterAction.SendRenewAll again = renewal(actions);
    assertThat(roster.answered(sent.call(), renewed(sent), now())).as("late").isEmpty();
    List<RosterAction> back = roster.answered(again.call(), renewed(again), now());
    assertThat(back).containsExactly(new RosterAction.StoreBack());
    assertThat(a.hold().sent()).isEqualTo(now());
  }

  @Test
  void aBatchThatFailsIsTriedAgainAfterATwelfth() {
    add("a");
    passMillis(2_000);
    RosterAction.SendRenewAll sent = renewal(roster.passTime(now()));
    roster.unanswered(sent.call(), down, now());
    passMillis(499);
    assertThat(roster.passTime(now())).isEmpty();
    assertThat(roster.nextWakeIn(now())).isEqualTo(1_000_000);
    passMillis(1);
    assertThat(renewal(roster.passTime(now())).leases()).hasSize(1);
  }

  @Test
  void anOutageIsToldOnce() {
    add("a");
    passMillis(2_000);
    RosterAction.SendRenewAll one = renewal(roster.passTime(now()));
    assertThat(roster.unanswered(one.call(), down, now()))
        .containsExactly(new RosterAction.StoreAway(down));
    passMillis(500);
    RosterAction.SendRenewAll two = renewal(roster.passTime(now()));
    assertThat(roster.unanswered(two.call(), down, now())).isEmpty();
    assertThat(roster.unanswered(two.call(), down, now())).as("twice").isEmpty();
  }

  @Test
  void aRefusedRenewalEndsThatLeaseAlone() {
    Tenancy a = add("a");
    Tenancy b = add("b");
    passMillis(2_000);
    RosterAction.SendRenewAll sent = renewal(roster.passTime(now()));
    List<RosterAction> actions =
        roster.answered(
            sent.call(),
            List.of(new RenewAnswer.Lost(Optional.empty()), renewed(sent).get(1)),
            now());
    assertThat(actions).containsExactly(new RosterAction.Lost(a, EndReason.SUPERSEDED));
    assertThat(b.isHeld(now())).isTrue();
    assertThat(roster.size()).isEqualTo(1);
    assertThat(roster.find(LeaseName.of("a"))).isEmpty();
    assertThat(roster.find(LeaseName.of("b"))).contains(b);
    assertThat(roster.all()).containsExactly(b);
  }

  @Test
  void anOperatorsReleaseIsForced() {
    Tenancy a = add("a");
    passMillis(2_000);
    RosterAction.SendRenewAll sent = renewal(roster.passTime(now()));
    LeaseView forced =
        LeaseView.of(
            a.lease().name(),
            "me",
            a.lease().attempt(),
            a.lease().token(),
            Instant.EPOCH,
            Instant.EPOCH,
            Instant.EPOCH,
            true,
            Instant.EPOCH);
    assertThat(
            roster.answered(sent.call(), List.of(new RenewAnswer.Lost(Optional.of(forced))), now()))
        .containsExactly(new RosterAction.Lost(a, EndReason.FORCED));
  }

  @Test
  void nothingRenewsAfterARelease() {
    Tenancy a = add("a");
    passMillis(2_000);
    RosterAction.SendRenewAll sent = renewal(roster.passTime(now()));
    Hold before = a.hold();
    assertThat(roster.remove(a, EndReason.STOPPED)).isTrue();
    assertThat(roster.remove(a, EndReason.STOPPED)).isFalse();
    assertThat(a.end()).contains(EndReason.STOPPED);
    assertThat(roster.answered(sent.call(), renewed(sent), now())).isEmpty();
    assertThat(a.hold()).isEqualTo(before);
    passMillis(10_000);
    assertThat(roster.passTime(now())).isEmpty();
    assertThat(roster.size()).isZero();
  }

  @Test
  void aWrongNumberOfAnswersIsNoAnswer() {
    Tenancy a = add("a");
    passMillis(2_000);
    RosterAction.SendRenewAll sent = renewal(roster.passTime(now()));
    assertThat(only(roster.answered(sent.call(), List.of(), now()), RosterAction.StoreAway.class))
        .singleElement()
        .satisfies(away -> assertThat(away.cause()).hasMessage("the store gave 0 answers to 1"));
    assertThat(a.isHeld(now())).isTrue();
  }

  @Test
  void aMachineThatSleptLosesItsLeases() {
    Tenancy a = add("a");
    wallMillis += 3_600_000;
    assertThat(roster.passTime(now()))
        .containsExactly(new RosterAction.Lost(a, EndReason.SUSPENDED));
  }

  @Test
  void theClocksAreLookedAtFourTimesASecondWhileThereIsALease() {
    assertThat(roster.nextWakeIn(now())).isEqualTo(Hold.MAX_TTL.toNanos());
    add("a");
    assertThat(roster.nextWakeIn(now())).isEqualTo(250_000_000);
  }

  @Test
  void aNameGrantedAnewSupersedesTheFormerTenancy() {
    Tenancy former = add("a");
    Tenancy next = add("a");
    assertThat(former.end()).contains(EndReason.SUPERSEDED);
    assertThat(roster.find(LeaseName.of("a"))).contains(next);
    assertThat(roster.size()).isEqualTo(1);
    passMillis(2_000);
    assertThat(renewal(roster.passTime(now())).leases()).hasSize(1);
  }

  @Test
  void aLeaseWithLessLeftThanTheOthersEndsFirst() {
    add("a");
    Tenancy small = roster.add(lease("b", Duration.ofMillis(1_200)), now());
    passMillis(1_000);
    assertThat(roster.passTime(now()))
        .containsExactly(new RosterAction.Lost(small, EndReason.UNREACHABLE));
  }

  @Test
  void aRenewalThatGaveLessThanWasAskedForHoldsForThat() {
    Tenancy a = add("a");
    passMillis(2_000);
    RosterAction.SendRenewAll sent = renewal(roster.passTime(now()));
    roster.answered(
        sent.call(), List.of(new RenewAnswer.Renewed(lease("a", Duration.ofSeconds(3)))), now());
    assertThat(a.hold().lengthNanos()).isEqualTo(2_500_000_000L);
  }

  @Test
  void leasesThatComeAndGoDoNotPileUp() {
    for (int i = 0; i < 10_000; i++) {
      roster.remove(add("n" + i), EndReason.STOPPED);
    }
    assertThat(roster.restingForTest()).isLessThan(10);
  }
}
