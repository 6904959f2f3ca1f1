package io.leasehold.campaign;

import static io.leasehold.campaign.CampaignScript.RETRY;
import static io.leasehold.campaign.CampaignScript.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.ElectionEvent;
import io.leasehold.LeaseView;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CandidateTest {

  private final CampaignScript script = new CampaignScript();

  @Test
  void aCandidateTriesAtOnce() {
    script.start();

    assertThat(script.acquires()).isEqualTo(1);
    assertThat(script.phase()).isEqualTo(CampaignStatus.Phase.CANDIDATE);
  }

  @Test
  void aGrantStartsTheWorkWithTheHoldCountedFromTheSend() {
    script.start();
    Moment sent = script.now();
    script.passMillis(700).grant(7);

    CampaignAction.StartWork start = script.latest(CampaignAction.StartWork.class);
    assertThat(start.lease().token().value()).isEqualTo(7);
    assertThat(start.hold()).isEqualTo(new Hold(sent, Duration.ofSeconds(5).toNanos()));
    assertThat(script.told(ElectionEvent.Elected.class)).hasSize(1);
    assertThat(script.phase()).isEqualTo(CampaignStatus.Phase.SERVING);
    assertThat(script.campaign.status(script.now()).lease()).contains(start.lease());
    assertThat(script.campaign.status(script.now()).remaining()).isEqualTo(Duration.ofMillis(4300));
  }

  @Test
  void aRefusedCandidateTriesAgainAfterItsRetry() {
    script.start().held(5, TTL);

    script.passMillis(1_999);
    assertThat(script.acquires()).isEqualTo(1);
    script.passMillis(1);
    assertThat(script.acquires()).isEqualTo(2);
    assertThat(script.campaign.status(script.now()).holder())
        .get()
        .extracting(LeaseView::owner)
        .isEqualTo("other");
  }

  @Test
  void theRetryIsSpreadByATenthEitherWay() {
    script.jitter = 1;
    script.start().held(5, TTL).passMillis(2_199);
    assertThat(script.acquires()).isEqualTo(1);
    script.jitter = -1;
    script.passMillis(1).held(5, TTL);
    assertThat(script.acquires()).isEqualTo(2);
    script.passMillis(1_799);
    assertThat(script.acquires()).isEqualTo(2);
    script.passMillis(1);
    assertThat(script.acquires()).isEqualTo(3);
  }

  @Test
  void aRefusedCandidateTriesAtTheMomentTheHeldLeaseExpires() {
    script.start().held(5, Duration.ofMillis(300));

    script.passMillis(300);
    assertThat(script.acquires()).isEqualTo(1);
    script.passMillis(1);
    assertThat(script.acquires()).isEqualTo(2);
  }

  @Test
  void aSpentAttemptIsFollowedByTheRetryNotByALoop() {
    script.start().held(script.view(5, "attempt-1", Duration.ZERO, LeaseView.State.RELEASED));

    script.passMillis(1_999);
    assertThat(script.acquires()).isEqualTo(1);
  }

  @Test
  void aSignalBringsTheAttemptForward() {
    script.start().held(5, TTL).passMillis(10).signal();

    assertThat(script.acquires()).isEqualTo(2);
  }

  @Test
  void aSignalDuringAnAttemptIsNotForgotten() {
    script.start().signal();
    assertThat(script.acquires()).isEqualTo(1);
    script.held(5, TTL);
    assertThat(script.acquires()).isEqualTo(2);
    script.held(5, TTL);
    assertThat(script.acquires()).isEqualTo(2);
  }

  @Test
  void everyAttemptHasAnIdOfItsOwn() {
    script.start().held(5, TTL).pass(RETRY);

    assertThat(script.all(CampaignAction.SendAcquire.class))
        .extracting(CampaignAction.SendAcquire::attempt)
        .containsExactly("attempt-1", "attempt-2");
    assertThat(script.all(CampaignAction.SendAcquire.class))
        .extracting(CampaignAction.SendAcquire::call)
        .doesNotHaveDuplicates();
  }

  @Test
  void anAttemptIsBoundedByAThirdOfTheTtlNotByTheRetry() {
    CampaignPlan quick =
        new CampaignPlan(
            CampaignScript.NAME,
            "me",
            TTL,
            Duration.ofMillis(1),
            Duration.ZERO,
            Duration.ZERO,
            Duration.ZERO);
    CampaignScript eager = new CampaignScript(quick);
    eager.start().passMillis(1_999);
    assertThat(eager.abandons()).isZero();
    assertThat(eager.acquires()).isEqualTo(1);

    eager.passMillis(1);

    assertThat(eager.latest(CampaignAction.Cancel.class).call())
        .isEqualTo(eager.all(CampaignAction.SendAcquire.class).get(0).call());
    assertThat(eager.latest(CampaignAction.SendAbandon.class).attempt()).isEqualTo("attempt-1");
    eager.passMillis(1);
    assertThat(eager.acquires()).isEqualTo(2);
  }

  @Test
  void anUnansweredAttemptIsAbandonedAndFollowedByTheRetry() {
    script.start();
    script.unanswered(script.latest(CampaignAction.SendAcquire.class).call());

    assertThat(script.latest(CampaignAction.SendAbandon.class).attempt()).isEqualTo("attempt-1");
    assertThat(script.all(CampaignAction.StartWork.class)).isEmpty();
    script.passMillis(1_999);
    assertThat(script.acquires()).isEqualTo(1);
    script.passMillis(1);
    assertThat(script.acquires()).isEqualTo(2);
  }

  @Test
  void anAttemptThatWasCertainlyNotMadeNeedsNoAbandon() {
    script.start();
    script.unanswered(script.latest(CampaignAction.SendAcquire.class).call(), false);

    assertThat(script.abandons()).isZero();
  }

  @Test
  void anOutageIsToldOnceAndItsEndOnce() {
    script.start();
    script.unanswered(script.latest(CampaignAction.SendAcquire.class).call());
    script.unanswered(script.latest(CampaignAction.SendAbandon.class).call());
    script.pass(RETRY);
    script.unanswered(script.latest(CampaignAction.SendAcquire.class).call());
    assertThat(script.told(ElectionEvent.StoreAway.class)).hasSize(1);
    assertThat(script.campaign.status(script.now()).storeAway()).isTrue();
    assertThat(script.campaign.status(script.now()).lastFailure()).isPresent();
    assertThat(script.campaign.status(script.now()).sinceAnswer()).isEqualTo(RETRY);

    script.pass(RETRY).held(5, TTL).pass(RETRY).held(5, TTL);
    assertThat(script.told(ElectionEvent.StoreBack.class)).hasSize(1);
    assertThat(script.campaign.status(script.now()).storeAway()).isFalse();
    assertThat(script.campaign.status(script.now()).lastFailure()).isEmpty();
    assertThat(script.campaign.status(script.now()).sinceAnswer()).isZero();
  }

  @Test
  void aGrantAnsweredAfterItsHoldIsAbandonedAndNoTerm() {
    script.start().stall(Duration.ofSeconds(5)).grant(7);

    assertThat(script.all(CampaignAction.StartWork.class)).isEmpty();
    assertThat(script.latest(CampaignAction.SendAbandon.class).attempt()).isEqualTo("attempt-1");
    assertThat(script.told(ElectionEvent.Elected.class)).isEmpty();
  }

  @Test
  void aGrantAfterASuspensionLongerThanItsHoldIsAbandoned() {
    script.start().suspend(Duration.ofSeconds(5)).grant(7);

    assertThat(script.all(CampaignAction.StartWork.class)).isEmpty();
    assertThat(script.latest(CampaignAction.SendAbandon.class).attempt()).isEqualTo("attempt-1");
    script.passMillis(1_999);
    assertThat(script.acquires()).isEqualTo(1);
    script.passMillis(1);
    assertThat(script.acquires()).isEqualTo(2);
  }

  @Test
  void aLateGrantOfAnAttemptThatWasGivenUpIsGivenBackAgain() {
    script.start().pass(TTL.dividedBy(3));
    CampaignAction.SendAcquire first = script.all(CampaignAction.SendAcquire.class).get(0);
    assertThat(script.abandons()).isEqualTo(1);

    script.grant(first, 7);

    assertThat(script.abandons()).isEqualTo(2);
    assertThat(script.all(CampaignAction.StartWork.class)).isEmpty();
  }

  @Test
  void anAttemptThatLandsAfterItWasGivenBackIsFoundAndGivenBackAndTheNameTakenAtOnce() {
    script.start();
    script.unanswered(script.latest(CampaignAction.SendAcquire.class).call()).abandoned();
    script.pass(RETRY).held(script.view(7, "attempt-1", TTL, LeaseView.State.LIVE));
    assertThat(script.abandons()).isEqualTo(2);
    assertThat(script.acquires()).isEqualTo(2);

    script.abandoned();
    assertThat(script.acquires()).isEqualTo(3);
  }

  @Test
  void theAnswerToAnOrdinaryAbandonDoesNotBringTheNextAttemptForward() {
    script.start();
    script.unanswered(script.latest(CampaignAction.SendAcquire.class).call()).abandoned();

    assertThat(script.acquires()).isEqualTo(1);
  }

  @Test
  void anAbandonThatIsNotAnsweredIsGivenUpAfterFiveSeconds() {
    script.start();
    script.unanswered(script.latest(CampaignAction.SendAcquire.class).call());
    long abandon = script.latest(CampaignAction.SendAbandon.class).call();
    script.passMillis(2_000).held(5, TTL).passMillis(2_000).held(5, TTL).passMillis(999);
    assertThat(script.all(CampaignAction.Cancel.class)).isEmpty();
    script.passMillis(1);
    assertThat(script.latest(CampaignAction.Cancel.class).call()).isEqualTo(abandon);
  }

  @Test
  void aTokenLowerThanOneSeenIsToldOncePerEpisode() {
    script.start().held(9, TTL).pass(RETRY).held(4, TTL).pass(RETRY).held(5, TTL);

    assertThat(script.told(ElectionEvent.TokenRegressed.class))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.seen().value()).isEqualTo(9);
              assertThat(event.shown().value()).isEqualTo(4);
            });

    script.pass(RETRY).held(9, TTL).pass(RETRY).grant(8);
    assertThat(script.told(ElectionEvent.TokenRegressed.class)).hasSize(2);
  }

  @Test
  void aStopWhileWaitingEndsAtOnceWithoutAnEndOfATermThatNeverWas() {
    script.start().held(5, TTL).stop();

    assertThat(script.phase()).isEqualTo(CampaignStatus.Phase.CLOSED);
    assertThat(script.all(CampaignAction.Close.class)).hasSize(1);
    assertThat(script.told(ElectionEvent.Ended.class)).isEmpty();
    assertThat(script.all(CampaignAction.EndWork.class)).isEmpty();
    assertThat(script.last).noneMatch(CampaignAction.WakeAt.class::isInstance);
  }

  @Test
  void aStopDuringAnAttemptGivesItBackFirst() {
    script.start().stop();
    assertThat(script.latest(CampaignAction.Cancel.class).call())
        .isEqualTo(script.latest(CampaignAction.SendAcquire.class).call());
    assertThat(script.latest(CampaignAction.SendAbandon.class).attempt()).isEqualTo("attempt-1");
    assertThat(script.all(CampaignAction.Close.class)).isEmpty();

    script.abandoned();
    assertThat(script.all(CampaignAction.Close.class)).hasSize(1);
    assertThat(script.phase()).isEqualTo(CampaignStatus.Phase.CLOSED);
  }

  @Test
  void aStopThatCannotGiveBackEndsAfterFiveSeconds() {
    script.start().stop().passMillis(4_999);
    assertThat(script.all(CampaignAction.Close.class)).isEmpty();
    script.passMillis(1);
    assertThat(script.all(CampaignAction.Close.class)).hasSize(1);
  }

  @Test
  void aStopWhoseGiveBackFailsEndsAtOnce() {
    script.start().stop();
    script.unanswered(script.latest(CampaignAction.SendAbandon.class).call());

    assertThat(script.all(CampaignAction.Close.class)).hasSize(1);
  }

  @Test
  void aGrantThatArrivesAfterTheEndIsGivenBack() {
    script.start().stop().abandoned().grant(7);

    assertThat(script.abandons()).isEqualTo(2);
    assertThat(script.all(CampaignAction.StartWork.class)).isEmpty();
  }

  @Test
  void nothingIsTriedAfterTheEnd() {
    script.start().held(5, TTL).stop().signal().stop().yieldTerm().workReturned();
    script.on(new CampaignEvent.TimePassed());

    assertThat(script.acquires()).isEqualTo(1);
    assertThat(script.all(CampaignAction.Close.class)).hasSize(1);
  }

  @Test
  void everyMoveNamesItsReason() {
    script.elected(1).stop().workReturned().released();

    assertThat(script.told(ElectionEvent.Moved.class))
        .extracting(move -> move.from() + ">" + move.to())
        .containsExactly(
            "Waiting>Attempting",
            "Attempting>Serving",
            "Serving>Draining",
            "Draining>Releasing",
            "Releasing>Closing",
            "Closing>Closed");
    assertThat(script.told(ElectionEvent.Moved.class)).noneMatch(move -> move.why().isBlank());
  }
}
