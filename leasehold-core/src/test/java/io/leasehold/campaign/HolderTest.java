package io.leasehold.campaign;

import static io.leasehold.campaign.CampaignScript.RETRY;
import static io.leasehold.campaign.CampaignScript.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.ElectionEvent;
import io.leasehold.EndReason;
import io.leasehold.LeaseView;
import io.leasehold.ReleaseAnswer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HolderTest {

  private final CampaignScript script = new CampaignScript();

  @Test
  void theHolderRenewsEveryThirdOfItsTtlCountedFromTheSend() {
    script.start().passMillis(500).grant(7).passMillis(1_499);
    assertThat(script.renewals()).isZero();
    script.passMillis(1);
    assertThat(script.renewals()).isEqualTo(1);
    script.passMillis(300).renewed().passMillis(1_699);
    assertThat(script.renewals()).isEqualTo(1);
    script.passMillis(1);
    assertThat(script.renewals()).isEqualTo(2);
    assertThat(script.latest(CampaignAction.SendRenew.class).lease().token().value()).isEqualTo(7);
  }

  @Test
  void aHealthyHolderKeepsItsTerm() {
    script.elected(7);
    for (int i = 0; i < 100; i++) {
      script.passMillis(2_000).renewed();
    }

    assertThat(script.all(CampaignAction.StartWork.class)).hasSize(1);
    assertThat(script.endReason()).isEmpty();
    assertThat(script.told(ElectionEvent.Renewed.class))
        .hasSize(100)
        .allMatch(event -> event.margin().equals(Duration.ofSeconds(3)));
    assertThat(script.all(CampaignAction.ExtendWork.class)).hasSize(100);
  }

  @Test
  void aHolderThatCannotRenewStopsBeforeItsLeaseCanExpire() {
    script.elected(7).passMillis(4_999);
    assertThat(script.endReason()).isEmpty();

    script.passMillis(1);

    assertThat(script.endReason()).contains(EndReason.UNREACHABLE);
    assertThat(script.phase()).isEqualTo(CampaignStatus.Phase.STEPPING_DOWN);
    assertThat(script.campaign.status(script.now()).lease()).isPresent();
  }

  @Test
  void theHoldIsCountedFromTheSendOfARenewalNotFromItsAnswer() {
    script.elected(7).passMillis(2_000).passMillis(1_900).renewed();
    script.passMillis(3_099);
    assertThat(script.endReason()).isEmpty();
    script.passMillis(1);
    assertThat(script.endReason()).contains(EndReason.UNREACHABLE);
  }

  @Test
  void oneFailedRenewalDoesNotEndATerm() {
    script.elected(7).passMillis(2_000);
    script.unanswered(script.latest(CampaignAction.SendRenew.class).call());
    assertThat(script.endReason()).isEmpty();
    assertThat(script.told(ElectionEvent.RenewalUnanswered.class))
        .singleElement()
        .satisfies(event -> assertThat(event.left()).isEqualTo(Duration.ofSeconds(3)));

    script.passMillis(499);
    assertThat(script.renewals()).isEqualTo(1);
    script.passMillis(1);
    assertThat(script.renewals()).isEqualTo(2);
    script.renewed().passMillis(1_900);
    assertThat(script.endReason()).isEmpty();
    assertThat(script.told(ElectionEvent.StoreAway.class)).hasSize(1);
    assertThat(script.told(ElectionEvent.StoreBack.class)).hasSize(1);
  }

  @Test
  void aRenewalThatHangsIsGivenUpAfterAThirdOfTheTtlAndTriedAgain() {
    script.elected(7).passMillis(2_000).passMillis(1_999);
    assertThat(script.all(CampaignAction.Cancel.class)).isEmpty();
    script.passMillis(1);
    assertThat(script.latest(CampaignAction.Cancel.class).call())
        .isEqualTo(script.all(CampaignAction.SendRenew.class).get(0).call());
    assertThat(script.renewals()).as("at once: it has waited long enough").isEqualTo(2);
    script.passMillis(999).renewed().passMillis(900);
    assertThat(script.endReason()).isEmpty();
  }

  @Test
  void theAnswerToARenewalThatWasGivenUpIsIgnored() {
    script.elected(7).passMillis(4_000);
    long first = script.all(CampaignAction.SendRenew.class).get(0).call();
    script.on(
        new CampaignEvent.RenewAnswered(
            first, new io.leasehold.RenewAnswer.Renewed(script.lease(7, "attempt-1"))));
    assertThat(script.all(CampaignAction.ExtendWork.class)).isEmpty();
  }

  @Test
  void aRefusedRenewalEndsTheTermAtOnceAndTheStopComesFirst() {
    script.elected(7).passMillis(2_000);
    script.lost(Optional.of(script.view(8, "theirs", TTL, LeaseView.State.LIVE)));

    assertThat(script.last.get(0)).isEqualTo(new CampaignAction.EndWork(EndReason.SUPERSEDED));
    assertThat(script.told(ElectionEvent.Ending.class)).hasSize(1);
    assertThat(script.campaign.status(script.now()).holder()).isPresent();
    script.workReturned();
    assertThat(script.releases()).as("nothing to release").isZero();
    assertThat(script.told(ElectionEvent.Ended.class))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.reason()).isEqualTo(EndReason.SUPERSEDED);
              assertThat(event.clean()).isTrue();
            });
    script.passMillis(1_999);
    assertThat(script.acquires()).isEqualTo(1);
    script.passMillis(1);
    assertThat(script.acquires()).isEqualTo(2);
  }

  @Test
  void aRecordThatVanishedUnderItsHolderEndsTheTerm() {
    script.elected(7).passMillis(2_000).lost(Optional.empty());

    assertThat(script.endReason()).contains(EndReason.SUPERSEDED);
  }

  @Test
  void ourOwnGrantReleasedByAnotherIsForced() {
    script.elected(7).passMillis(2_000);
    script.lost(Optional.of(script.view(7, "attempt-1", TTL, LeaseView.State.LINGERING)));

    assertThat(script.endReason()).contains(EndReason.FORCED);
    script.workReturned();
    assertThat(script.releases()).isZero();
  }

  @Test
  void ourOwnGrantThatExpiredWasNotRenewedInTime() {
    script.elected(7).passMillis(2_000);
    script.lost(Optional.of(script.view(7, "attempt-1", Duration.ZERO, LeaseView.State.EXPIRED)));

    assertThat(script.endReason()).contains(EndReason.UNREACHABLE);
  }

  @Test
  void aTokenOfAnotherAttemptIsNotOurs() {
    script.elected(7).passMillis(2_000);
    script.lost(Optional.of(script.view(7, "theirs", Duration.ZERO, LeaseView.State.RELEASED)));

    assertThat(script.endReason()).contains(EndReason.SUPERSEDED);
  }

  @Test
  void aMachineThatSleptPastTheHoldIsSuspended() {
    script.elected(7).passMillis(1_000).suspend(Duration.ofHours(1));
    script.passMillis(250);

    assertThat(script.endReason()).contains(EndReason.SUSPENDED);
  }

  @Test
  void aHolderLooksAtItsClocksFourTimesASecond() {
    script.elected(7);
    long wake = script.latest(CampaignAction.WakeAt.class).nanos();
    assertThat(wake - script.now().nanos()).isEqualTo(Duration.ofMillis(250).toNanos());
  }

  @Test
  void aWallClockSteppedBackDoesNotExtendATerm() {
    script.elected(7).suspend(Duration.ofHours(-1)).passMillis(4_999);
    assertThat(script.endReason()).isEmpty();
    script.passMillis(1);
    assertThat(script.endReason()).contains(EndReason.UNREACHABLE);
  }

  @Test
  void aStalledProcessEndsItsTermWithTheFirstThingItDoes() {
    script.elected(7).passMillis(2_000).stall(Duration.ofSeconds(10)).renewed();

    assertThat(script.last.get(0)).isEqualTo(new CampaignAction.EndWork(EndReason.UNREACHABLE));
    assertThat(script.all(CampaignAction.ExtendWork.class)).isEmpty();
  }

  @Test
  void withGraceTheWorkIsToldThatLongBefore() {
    CampaignScript graceful =
        new CampaignScript(
            CampaignScript.plan(Duration.ofSeconds(1), Duration.ZERO, Duration.ofSeconds(30)));
    graceful.elected(7).passMillis(3_999);
    assertThat(graceful.endReason()).isEmpty();
    graceful.passMillis(1);
    assertThat(graceful.endReason()).contains(EndReason.UNREACHABLE);
    graceful.passMillis(1_999).workReturned();
    assertThat(graceful.told(ElectionEvent.Ended.class))
        .singleElement()
        .matches(ElectionEvent.Ended::clean);
  }

  @Test
  void belowASixthOfTheTtlTheGraceLeavesRoomForOneRenewalThatHangs() {
    CampaignScript graceful =
        new CampaignScript(
            CampaignScript.plan(Duration.ofMillis(900), Duration.ZERO, Duration.ofSeconds(30)));
    graceful.elected(7).passMillis(4_000);
    assertThat(graceful.renewals()).isEqualTo(2);
    graceful.passMillis(99).renewed().passMillis(1_000);
    assertThat(graceful.endReason()).isEmpty();
  }

  @Test
  void aGrantThatLeavesNoRoomForTheGraceIsNoTerm() {
    CampaignScript graceful =
        new CampaignScript(
            CampaignScript.plan(Duration.ofSeconds(2), Duration.ZERO, Duration.ofSeconds(30)));
    graceful.start().suspend(Duration.ofSeconds(3)).grant(7);
    assertThat(graceful.all(CampaignAction.StartWork.class)).isEmpty();
    assertThat(graceful.abandons()).isEqualTo(1);
  }

  @Test
  void graceAndSuspensionAreToldApart() {
    CampaignScript graceful =
        new CampaignScript(
            CampaignScript.plan(Duration.ofSeconds(1), Duration.ZERO, Duration.ofSeconds(30)));
    graceful.elected(7).passMillis(1_000).suspend(Duration.ofSeconds(3)).passMillis(250);
    assertThat(graceful.endReason()).contains(EndReason.SUSPENDED);
  }

  @Test
  void workThatReturnsEndsItsTermAndTheLeaseIsReleased() {
    script.elected(7).passMillis(100).workReturned();

    assertThat(script.endReason()).contains(EndReason.WORK_ENDED);
    assertThat(script.latest(CampaignAction.SendRelease.class).linger()).isZero();
    assertThat(script.phase()).isEqualTo(CampaignStatus.Phase.STEPPING_DOWN);
    script.passMillis(500).released();
    assertThat(script.told(ElectionEvent.Released.class))
        .singleElement()
        .matches(event -> event.answer() == ReleaseAnswer.RELEASED);
    assertThat(script.phase()).isEqualTo(CampaignStatus.Phase.CANDIDATE);
    script.signal().passMillis(1_999);
    assertThat(script.acquires()).as("deaf to its own release").isEqualTo(1);
    script.passMillis(1);
    assertThat(script.acquires()).isEqualTo(2);
  }

  @Test
  void afterATermTheJitterOnlyLengthensTheRetry() {
    script.elected(7).workReturned();
    script.jitter = -1;
    script.released().passMillis(1_999);
    assertThat(script.acquires()).isEqualTo(1);
    script.passMillis(1);
    assertThat(script.acquires()).isEqualTo(2);

    script.grant(8).workReturned();
    script.jitter = 1;
    script.released().passMillis(2_000);
    assertThat(script.acquires()).isEqualTo(2);
    script.signal();
    assertThat(script.acquires()).as("after one retry a signal counts again").isEqualTo(3);
  }

  @Test
  void workThatThrowsIsReportedAndTheCandidateCampaignsAgain() {
    script.elected(7).workFailed().released().pass(RETRY);

    assertThat(script.endReason()).contains(EndReason.WORK_FAILED);
    assertThat(script.told(ElectionEvent.Ended.class))
        .singleElement()
        .matches(event -> event.failure().isPresent());
    assertThat(script.acquires()).isEqualTo(2);
  }

  @Test
  void theLingerKeepsTheNameOnlyWhenTheWorkEndedByItself() {
    CampaignPlan plan =
        CampaignScript.plan(Duration.ZERO, Duration.ofMinutes(1), Duration.ofSeconds(30));
    CampaignScript ended = new CampaignScript(plan).elected(7).workReturned();
    assertThat(ended.latest(CampaignAction.SendRelease.class).linger())
        .isEqualTo(Duration.ofMinutes(1));
    CampaignScript failed = new CampaignScript(plan).elected(7).workFailed();
    assertThat(failed.latest(CampaignAction.SendRelease.class).linger())
        .isEqualTo(Duration.ofMinutes(1));
    CampaignScript stopped = new CampaignScript(plan).elected(7).stop().workReturned();
    assertThat(stopped.latest(CampaignAction.SendRelease.class).linger()).isZero();
    CampaignScript yielded = new CampaignScript(plan).elected(7).yieldTerm().workReturned();
    assertThat(yielded.latest(CampaignAction.SendRelease.class).linger()).isZero();
  }

  @Test
  void aYieldStopsTheWorkThenReleasesThenWaitsOneRetry() {
    script.elected(7).yieldTerm();
    assertThat(script.endReason()).contains(EndReason.YIELDED);
    assertThat(script.releases()).isZero();
    script.workReturned().released().signal();
    assertThat(script.acquires()).isEqualTo(1);
    script.pass(RETRY);
    assertThat(script.acquires()).isEqualTo(2);
  }

  @Test
  void aStopEndsTheTermReleasesAndCloses() {
    script.elected(7).stop();
    assertThat(script.endReason()).contains(EndReason.STOPPED);
    assertThat(script.releases()).isZero();
    script.workReturned();
    assertThat(script.releases()).isEqualTo(1);
    assertThat(script.all(CampaignAction.Close.class)).isEmpty();
    script.released();
    assertThat(script.all(CampaignAction.Close.class)).hasSize(1);
    assertThat(script.phase()).isEqualTo(CampaignStatus.Phase.CLOSED);
  }

  @Test
  void theReleaseIsBoundedByFiveSeconds() {
    script.elected(7).stop().workReturned().passMillis(4_999);
    assertThat(script.all(CampaignAction.Close.class)).isEmpty();
    script.passMillis(1);
    assertThat(script.latest(CampaignAction.Cancel.class).call())
        .isEqualTo(script.latest(CampaignAction.SendRelease.class).call());
    assertThat(script.told(ElectionEvent.NotReleased.class)).hasSize(1);
    assertThat(script.all(CampaignAction.Close.class)).hasSize(1);
  }

  @Test
  void aReleaseThatFailsIsToldAndTheCandidateGoesOn() {
    script.elected(7).workReturned();
    script.unanswered(script.latest(CampaignAction.SendRelease.class).call());
    assertThat(script.told(ElectionEvent.NotReleased.class)).hasSize(1);
    script.pass(RETRY);
    assertThat(script.acquires()).isEqualTo(2);
  }

  @Test
  void nothingIsRenewedOnceTheWorkWasToldToEnd() {
    script.elected(7).passMillis(1_999).yieldTerm().pass(Duration.ofMinutes(1));

    assertThat(script.renewals()).isZero();
  }

  @Test
  void aRenewalUnderWayIsCancelledAtTheEndAndItsAnswerIgnored() {
    script.elected(7).passMillis(2_000).yieldTerm();
    assertThat(script.latest(CampaignAction.Cancel.class).call())
        .isEqualTo(script.latest(CampaignAction.SendRenew.class).call());
    script.renewed();
    assertThat(script.all(CampaignAction.ExtendWork.class)).isEmpty();
    assertThat(script.all(CampaignAction.EndWork.class)).hasSize(1);
  }

  @Test
  void workThatDoesNotReturnIsNotReleasedAndReportedUncleanWhenItsLeaseCanExpire() {
    script.elected(7).passMillis(1_000).yieldTerm().passMillis(4_999);
    assertThat(script.told(ElectionEvent.Ended.class)).isEmpty();
    script.passMillis(1);
    assertThat(script.told(ElectionEvent.Ended.class))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.clean()).isFalse();
              assertThat(event.reason()).isEqualTo(EndReason.YIELDED);
            });
    script.pass(Duration.ofHours(1)).signal();
    assertThat(script.releases()).isZero();
    assertThat(script.acquires()).as("no second work beside the first").isEqualTo(1);

    script.workReturned();
    assertThat(script.told(ElectionEvent.Ended.class)).hasSize(1);
    assertThat(script.releases()).isEqualTo(1);
  }

  @Test
  void workThatReturnsJustAfterItsLeaseCouldExpireIsUnclean() {
    script.elected(7).yieldTerm().stall(Duration.ofSeconds(6)).workReturned();
    assertThat(script.told(ElectionEvent.Ended.class))
        .singleElement()
        .matches(event -> !event.clean());
  }

  @Test
  void aStopWaitsForTheWorkNoLongerThanItsPatience() {
    CampaignScript impatient =
        new CampaignScript(
            CampaignScript.plan(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(2)));
    impatient.elected(7).stop().passMillis(1_999);
    assertThat(impatient.all(CampaignAction.Close.class)).isEmpty();
    impatient.passMillis(1);
    assertThat(impatient.all(CampaignAction.Close.class)).hasSize(1);
    assertThat(impatient.releases()).as("the work may still write").isZero();
    assertThat(impatient.told(ElectionEvent.Ended.class))
        .singleElement()
        .matches(event -> !event.clean());
  }

  @Test
  void aStopWhileTheWorkDrainsHasThePatienceToo() {
    CampaignScript impatient =
        new CampaignScript(
            CampaignScript.plan(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(2)));
    impatient.elected(7).yieldTerm().passMillis(1_000).stop().passMillis(1_999);
    assertThat(impatient.all(CampaignAction.Close.class)).isEmpty();
    impatient.passMillis(1);
    assertThat(impatient.all(CampaignAction.Close.class)).hasSize(1);
  }

  @Test
  void aStopAfterAnUncleanEndDoesNotReportItTwice() {
    script.elected(7).yieldTerm().pass(Duration.ofSeconds(10)).stop();
    assertThat(script.told(ElectionEvent.Ended.class)).hasSize(1);
    assertThat(script.all(CampaignAction.Close.class)).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"YIELDED", "STOPPED", "WORK_ENDED", "WORK_FAILED", "UNREACHABLE"})
  void everyEndThatMayLeaveALeaseReleasesIt(EndReason reason) {
    script.elected(7);
    switch (reason) {
      case YIELDED -> script.yieldTerm().workReturned();
      case STOPPED -> script.stop().workReturned();
      case WORK_ENDED -> script.workReturned();
      case WORK_FAILED -> script.workFailed();
      default -> script.passMillis(5_000).workReturned();
    }
    assertThat(script.endReason()).contains(reason);
    assertThat(script.all(CampaignAction.SendRelease.class))
        .extracting(release -> release.lease().token().value())
        .isEqualTo(List.of(7L));
  }

  @Test
  void aStopWhileReleasingIsRemembered() {
    script.elected(7).workReturned().stop();
    assertThat(script.all(CampaignAction.Close.class)).isEmpty();
    script.released();
    assertThat(script.all(CampaignAction.Close.class)).hasSize(1);
  }
}
