package io.leasehold.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.ElectionEvent;
import io.leasehold.EndReason;
import io.leasehold.FencingToken;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Plays a campaign on a virtual clock, one event at a time, and keeps what it wants done. */
final class CampaignScript {

  static final LeaseName NAME = LeaseName.of("net");
  static final Duration TTL = Duration.ofSeconds(6);
  static final Duration RETRY = Duration.ofSeconds(2);

  final Campaign campaign;
  final List<CampaignAction> done = new ArrayList<>();

  /** The actions of the last event alone. */
  List<CampaignAction> last = List.of();

  double jitter;
  private long nanos = 1_000;
  private long wallMillis = 1_700_000_000_000L;
  private int attempts;
  private long wakeAt;

  CampaignScript() {
    this(plan());
  }

  CampaignScript(CampaignPlan plan) {
    campaign = new Campaign(plan, () -> "attempt-" + ++attempts, () -> jitter, now());
  }

  static CampaignPlan plan() {
    return plan(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(30));
  }

  static CampaignPlan plan(Duration grace, Duration linger, Duration patience) {
    return new CampaignPlan(NAME, "me", TTL, RETRY, grace, linger, patience);
  }

  Moment now() {
    return new Moment(nanos, wallMillis);
  }

  CampaignScript on(CampaignEvent event) {
    last = campaign.on(event, now());
    done.addAll(last);
    for (CampaignAction action : last) {
      if (action instanceof CampaignAction.WakeAt wake) {
        wakeAt = wake.nanos();
      }
    }
    return this;
  }

  CampaignScript start() {
    return on(new CampaignEvent.TimePassed());
  }

  /** Lets time pass, waking the campaign exactly when it asks to be. */
  CampaignScript pass(Duration time) {
    long until = nanos + time.toNanos();
    while (wakeAt - until <= 0) {
      move(Math.max(0, wakeAt - nanos));
      long asked = wakeAt;
      on(new CampaignEvent.TimePassed());
      assertThat(wakeAt).as("a wake-up is asked for in the future").isGreaterThan(asked - 1);
      if (wakeAt == asked) {
        break;
      }
    }
    move(until - nanos);
    return this;
  }

  CampaignScript passMillis(long millis) {
    return pass(Duration.ofMillis(millis));
  }

  /** Both clocks go on, and nobody is woken: the process is stopped. */
  CampaignScript stall(Duration time) {
    move(time.toNanos());
    return this;
  }

  /** Only the wall clock goes on: the machine sleeps. */
  CampaignScript suspend(Duration time) {
    wallMillis += time.toMillis();
    return this;
  }

  private void move(long by) {
    long wallNanos = nanos + by;
    wallMillis += wallNanos / 1_000_000 - nanos / 1_000_000;
    nanos = wallNanos;
  }

  // ---- what was sent

  <A extends CampaignAction> List<A> all(Class<A> type) {
    return done.stream().filter(type::isInstance).map(type::cast).toList();
  }

  <A extends CampaignAction> A latest(Class<A> type) {
    List<A> all = all(type);
    assertThat(all).as("sent " + type.getSimpleName()).isNotEmpty();
    return all.get(all.size() - 1);
  }

  <E extends ElectionEvent> List<E> told(Class<E> type) {
    return all(CampaignAction.Tell.class).stream()
        .map(CampaignAction.Tell::event)
        .filter(type::isInstance)
        .map(type::cast)
        .toList();
  }

  int acquires() {
    return all(CampaignAction.SendAcquire.class).size();
  }

  int renewals() {
    return all(CampaignAction.SendRenew.class).size();
  }

  int releases() {
    return all(CampaignAction.SendRelease.class).size();
  }

  int abandons() {
    return all(CampaignAction.SendAbandon.class).size();
  }

  CampaignStatus.Phase phase() {
    return campaign.status(now()).phase();
  }

  Optional<EndReason> endReason() {
    List<CampaignAction.EndWork> ends = all(CampaignAction.EndWork.class);
    return ends.isEmpty() ? Optional.empty() : Optional.of(ends.get(ends.size() - 1).reason());
  }

  // ---- what the store answers

  Lease lease(long token, String attempt) {
    Instant at = Instant.ofEpochMilli(wallMillis);
    return new Lease(NAME, "me", attempt, new FencingToken(token), at, at.plus(TTL), TTL);
  }

  LeaseView view(long token, String attempt, Duration remaining, LeaseView.State state) {
    Instant at = Instant.ofEpochMilli(wallMillis);
    return new LeaseView(
        NAME,
        "other",
        attempt,
        new FencingToken(token),
        at,
        at,
        at.plus(remaining),
        remaining,
        state);
  }

  CampaignScript grant(long token) {
    CampaignAction.SendAcquire sent = latest(CampaignAction.SendAcquire.class);
    return grant(sent, token);
  }

  CampaignScript grant(CampaignAction.SendAcquire sent, long token) {
    return on(
        new CampaignEvent.AcquireAnswered(
            sent.call(), new AcquireAnswer.Granted(lease(token, sent.attempt()))));
  }

  CampaignScript held(long token, Duration remaining) {
    return held(view(token, "theirs", remaining, LeaseView.State.LIVE));
  }

  CampaignScript held(LeaseView view) {
    return on(
        new CampaignEvent.AcquireAnswered(
            latest(CampaignAction.SendAcquire.class).call(), new AcquireAnswer.Held(view)));
  }

  CampaignScript renewed() {
    CampaignAction.SendRenew sent = latest(CampaignAction.SendRenew.class);
    return on(
        new CampaignEvent.RenewAnswered(
            sent.call(),
            new RenewAnswer.Renewed(lease(sent.lease().token().value(), sent.lease().attempt()))));
  }

  CampaignScript lost(Optional<LeaseView> current) {
    return on(
        new CampaignEvent.RenewAnswered(
            latest(CampaignAction.SendRenew.class).call(), new RenewAnswer.Lost(current)));
  }

  CampaignScript released() {
    return on(
        new CampaignEvent.ReleaseAnswered(
            latest(CampaignAction.SendRelease.class).call(), ReleaseAnswer.RELEASED));
  }

  CampaignScript abandoned() {
    return on(new CampaignEvent.AbandonAnswered(latest(CampaignAction.SendAbandon.class).call()));
  }

  CampaignScript unanswered(long call) {
    return unanswered(call, true);
  }

  CampaignScript unanswered(long call, boolean mayHaveHappened) {
    return on(new CampaignEvent.NoAnswer(call, new IllegalStateException("down"), mayHaveHappened));
  }

  CampaignScript workReturned() {
    return on(new CampaignEvent.WorkReturned(Optional.empty()));
  }

  CampaignScript workFailed() {
    return on(new CampaignEvent.WorkReturned(Optional.of(new IllegalStateException("work"))));
  }

  CampaignScript yieldTerm() {
    return on(new CampaignEvent.YieldAsked());
  }

  CampaignScript stop() {
    return on(new CampaignEvent.StopAsked());
  }

  CampaignScript signal() {
    return on(new CampaignEvent.Signalled());
  }

  /** Elected with this token, the grant answered at once. */
  CampaignScript elected(long token) {
    return start().grant(token);
  }
}
