package io.leasehold.campaign;

import io.leasehold.AcquireAnswer;
import io.leasehold.ElectionEvent;
import io.leasehold.EndReason;
import io.leasehold.Lease;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseView;
import io.leasehold.RenewAnswer;
import io.leasehold.campaign.CampaignState.Attempting;
import io.leasehold.campaign.CampaignState.Closed;
import io.leasehold.campaign.CampaignState.Closing;
import io.leasehold.campaign.CampaignState.Draining;
import io.leasehold.campaign.CampaignState.Releasing;
import io.leasehold.campaign.CampaignState.Renewal;
import io.leasehold.campaign.CampaignState.Serving;
import io.leasehold.campaign.CampaignState.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * A candidate's effort to be elected for a name, again and again, as a pure state machine: one
 * event and the time go in, actions come out.
 *
 * <pre>
 *   Waiting --due, signal--> Attempting --granted--> Serving --ended--> Draining --returned--> Releasing
 *      ^                         |                                                                 |
 *      +------held, unanswered---+-----------------------------------------------------------------+
 * </pre>
 *
 * A stop leads from every state, by way of the same steps, to Closing (the last attempts are given
 * back) and Closed.
 *
 * <p>What it guarantees, whatever the order of events:
 *
 * <ul>
 *   <li>Work starts only on an answered grant whose {@link Hold} is not over, and never while
 *       earlier work has not returned.
 *   <li>Work is told to end before its hold is over, and before anybody is told of it.
 *   <li>Nothing is renewed once the work was told to end.
 *   <li>Every attempt whose answer was not used is given back.
 *   <li>Every {@code Elected} has exactly one {@code Ended}.
 * </ul>
 *
 * Time rules are applied before the event, so an answer that comes with the deadline is too late.
 *
 * <p>Not thread-safe: one thread drives it.
 */
public final class Campaign {

  /** How long a release or an abandon may take. */
  public static final Duration GIVE_BACK_BOUND = Duration.ofSeconds(5);

  /** A holder looks at its wall clock at least this often, in case the machine was suspended. */
  private static final long GLANCE_NANOS = Duration.ofMillis(250).toNanos();

  private static final long MILLI = 1_000_000;
  private final CampaignPlan plan;
  private final Supplier<String> attempts;
  private final DoubleSupplier jitter;

  private CampaignState state;
  private boolean stopping;
  private long lastCall;
  private final GiveBacks givingBack = new GiveBacks();
  private final StoreSight sight;

  private List<CampaignAction> actions = new ArrayList<>();

  /**
   * A campaign whose first attempt is due at once.
   *
   * @param plan what it is for
   * @param attempts gives attempt ids, each a new one
   * @param jitter gives numbers in [-1, 1] that spread the retries by a tenth either way
   * @param start now
   */
  public Campaign(
      CampaignPlan plan, Supplier<String> attempts, DoubleSupplier jitter, Moment start) {
    this.plan = plan;
    this.attempts = attempts;
    this.jitter = jitter;
    this.sight = new StoreSight(start);
    this.state = new Waiting(start.nanos(), start.nanos());
  }

  /**
   * Takes one event.
   *
   * @param event what happened
   * @param now when
   * @return what to do, in order
   */
  public List<CampaignAction> on(CampaignEvent event, Moment now) {
    actions = new ArrayList<>();
    applyTime(now);
    if (event instanceof CampaignEvent.Signalled) {
      signalled(now);
    } else if (event instanceof CampaignEvent.AcquireAnswered acquired) {
      acquireAnswered(acquired.call(), acquired.answer(), now);
    } else if (event instanceof CampaignEvent.RenewAnswered renewed) {
      renewAnswered(renewed.call(), renewed.answer(), now);
    } else if (event instanceof CampaignEvent.ReleaseAnswered released) {
      sight.answered(now).ifPresent(this::tell);
      if (state instanceof Releasing releasing && releasing.call() == released.call()) {
        tell(new ElectionEvent.Released(releasing.lease(), released.answer()));
        rest("released", now);
      }
    } else if (event instanceof CampaignEvent.AbandonAnswered abandoned) {
      // Says nothing of the outage: attempts may go on failing while giving them back works.
      if (givingBack.answered(abandoned.call())) {
        signalled(now);
      }
    } else if (event instanceof CampaignEvent.NoAnswer lost) {
      notAnswered(lost.call(), lost.cause(), lost.mayHaveHappened(), now);
    } else if (event instanceof CampaignEvent.WorkReturned returned) {
      workReturned(returned.failure(), now);
    } else if (event instanceof CampaignEvent.YieldAsked) {
      if (state instanceof Serving serving) {
        endTerm(serving, EndReason.YIELDED, now);
      }
    } else if (event instanceof CampaignEvent.StopAsked) {
      stopAsked(now);
    }
    applyTime(now);
    if (!(state instanceof Closed)) {
      actions.add(new CampaignAction.WakeAt(nextWake(now)));
    }
    return actions;
  }

  /**
   * A snapshot.
   *
   * @param now now
   * @return where the campaign stands
   */
  public CampaignStatus status(Moment now) {
    CampaignStatus.Phase phase = CampaignStatus.Phase.CANDIDATE;
    Optional<Lease> lease = Optional.empty();
    Duration remaining = Duration.ZERO;
    if (state instanceof Serving serving) {
      phase = CampaignStatus.Phase.SERVING;
      lease = Optional.of(serving.lease());
      remaining = Duration.ofNanos(Math.max(0, serving.hold().leftNanos(now)));
    } else if (state instanceof Draining draining) {
      phase = CampaignStatus.Phase.STEPPING_DOWN;
      lease = Optional.of(draining.lease());
    } else if (state instanceof Releasing releasing) {
      phase = CampaignStatus.Phase.STEPPING_DOWN;
      lease = Optional.of(releasing.lease());
    } else if (state instanceof Closed) {
      phase = CampaignStatus.Phase.CLOSED;
    }
    Duration sinceAnswer = Duration.ofNanos(Math.max(0, now.ticksSince(sight.answeredAt())));
    return new CampaignStatus(
        phase, lease, remaining, sight.holder(), sight.isAway(), sinceAnswer, sight.lastFailure());
  }

  // ---- time

  private void applyTime(Moment now) {
    for (long call : givingBack.giveUp(now)) {
      actions.add(new CampaignAction.Cancel(call));
    }
    if (state instanceof Waiting waiting && isDue(waiting.attemptAt(), now)) {
      attempt(now, "an attempt is due");
    } else if (state instanceof Attempting attempting
        && now.ticksSince(attempting.sent()) >= plan.third().toNanos()) {
      actions.add(new CampaignAction.Cancel(attempting.call()));
      notAnswered(attempting.call(), tooLate("acquire", plan.third()), true, now);
    } else if (state instanceof Serving serving) {
      applyTimeToTerm(serving, now);
    } else if (state instanceof Draining draining && isDue(draining.giveUpAt(), now)) {
      giveUpOnWork(draining);
    } else if (state instanceof Releasing releasing && isDue(releasing.until(), now)) {
      actions.add(new CampaignAction.Cancel(releasing.call()));
      notAnswered(releasing.call(), tooLate("release", GIVE_BACK_BOUND), true, now);
    }
    if (state instanceof Closing && givingBack.isEmpty()) {
      become(new Closed(), "everything is given back");
      actions.add(new CampaignAction.Close());
    }
  }

  private void applyTimeToTerm(Serving serving, Moment now) {
    if (serving.hold().leftNanos(now) <= plan.grace().toNanos()) {
      endTerm(serving, serving.hold().reason(now), now);
    } else if (serving.renewal().isPresent()) {
      Renewal renewal = serving.renewal().get();
      if (now.ticksSince(renewal.sent()) >= plan.third().toNanos()) {
        actions.add(new CampaignAction.Cancel(renewal.call()));
        notAnswered(renewal.call(), tooLate("renew", plan.third()), true, now);
      }
    } else if (isDue(serving.renewAt(), now)) {
      long call = ++lastCall;
      state =
          new Serving(
              serving.lease(),
              serving.hold(),
              Optional.of(new Renewal(call, now)),
              serving.renewAt());
      actions.add(new CampaignAction.SendRenew(call, serving.lease()));
    }
  }

  private long nextWake(Moment now) {
    long wakeIn = givingBack.nextIn(now);
    long third = plan.third().toNanos();
    if (state instanceof Waiting waiting) {
      wakeIn = Math.min(wakeIn, waiting.attemptAt() - now.nanos());
    } else if (state instanceof Attempting attempting) {
      wakeIn = Math.min(wakeIn, third - now.ticksSince(attempting.sent()));
    } else if (state instanceof Serving serving) {
      long renewIn =
          serving
              .renewal()
              .map(renewal -> third - now.ticksSince(renewal.sent()))
              .orElse(serving.renewAt() - now.nanos());
      long endIn = serving.hold().leftNanos(now) - plan.grace().toNanos();
      wakeIn = Math.min(Math.min(wakeIn, GLANCE_NANOS), Math.min(renewIn, endIn));
    } else if (state instanceof Draining draining && !draining.reported()) {
      wakeIn = Math.min(wakeIn, draining.giveUpAt() - now.nanos());
    } else if (state instanceof Releasing releasing) {
      wakeIn = Math.min(wakeIn, releasing.until() - now.nanos());
    }
    return now.nanos() + Math.min(wakeIn, Hold.MAX_TTL.toNanos());
  }

  // ---- the candidate

  private void attempt(Moment now, String why) {
    long call = ++lastCall;
    String attempt = attempts.get();
    become(new Attempting(call, attempt, now, false), why);
    actions.add(new CampaignAction.SendAcquire(call, attempt));
  }

  private void signalled(Moment now) {
    if (state instanceof Waiting waiting && isDue(waiting.deafUntil(), now)) {
      attempt(now, "a release was signalled");
    } else if (state instanceof Attempting attempting) {
      state = new Attempting(attempting.call(), attempting.attempt(), attempting.sent(), true);
    }
  }

  private void acquireAnswered(long call, AcquireAnswer answer, Moment now) {
    sight.answered(now).ifPresent(this::tell);
    boolean awaited = state instanceof Attempting attempting && attempting.call() == call;
    if (answer instanceof AcquireAnswer.Granted granted) {
      sight.saw(granted.lease().token()).ifPresent(this::tell);
      if (awaited) {
        granted(((Attempting) state).sent(), granted.lease(), now);
      } else if (!isCurrent(granted.lease())) {
        // Too late to be used: whoever waited for it has moved on.
        abandon(granted.lease().attempt(), false, now);
      }
    } else if (answer instanceof AcquireAnswer.Held held && awaited) {
      sight.saw(held.view().token()).ifPresent(this::tell);
      held(held.view(), ((Attempting) state).signalled(), now);
    }
  }

  private void granted(Moment sent, Lease lease, Moment now) {
    Hold hold = Hold.proved(sent, plan.ttl(), lease);
    if (hold.leftNanos(now) <= plan.grace().toNanos()) {
      abandon(lease.attempt(), false, now);
      become(waitOneRetry(now, now.nanos()), "the grant was answered after its own hold");
      return;
    }
    sight.heldBy(Optional.empty());
    become(
        new Serving(lease, hold, Optional.empty(), sent.nanos() + plan.third().toNanos()),
        "granted token " + lease.token());
    actions.add(new CampaignAction.StartWork(lease, hold));
    tell(new ElectionEvent.Elected(lease));
  }

  private void held(LeaseView view, boolean signalled, Moment now) {
    sight.heldBy(Optional.of(view));
    if (signalled) {
      attempt(now, "a release was signalled during the attempt");
      return;
    }
    if (view.isLive() && givingBack.isOurs(view.attempt())) {
      // An attempt of ours that was given back was run by the store afterwards.
      abandon(view.attempt(), true, now);
    }
    Waiting byRetry = waitOneRetry(now, now.nanos());
    long expiresIn = view.remaining().toNanos() + MILLI;
    boolean expiresFirst =
        !view.remaining().isZero() && expiresIn < byRetry.attemptAt() - now.nanos();
    become(
        expiresFirst ? new Waiting(now.nanos() + expiresIn, now.nanos()) : byRetry,
        "held by " + view.owner() + " with token " + view.token());
  }

  private Waiting waitOneRetry(Moment now, long deafUntil) {
    double factor = 1 + jitter.getAsDouble() / 10;
    return new Waiting(now.nanos() + Math.round(plan.retry().toNanos() * factor), deafUntil);
  }

  // ---- the holder

  private void renewAnswered(long call, RenewAnswer answer, Moment now) {
    sight.answered(now).ifPresent(this::tell);
    if (!(state instanceof Serving serving) || !isRenewal(serving, call)) {
      return; // late: a renewal that was given up, or of a term that has ended
    }
    Moment sent = serving.renewal().orElseThrow().sent();
    if (answer instanceof RenewAnswer.Renewed renewed) {
      Duration margin = Duration.ofNanos(serving.hold().leftNanos(now));
      Hold hold = Hold.proved(sent, plan.ttl(), renewed.lease());
      state =
          new Serving(
              renewed.lease(), hold, Optional.empty(), sent.nanos() + plan.third().toNanos());
      actions.add(new CampaignAction.ExtendWork(renewed.lease(), hold));
      tell(new ElectionEvent.Renewed(renewed.lease(), margin));
    } else if (answer instanceof RenewAnswer.Lost lost) {
      sight.heldBy(lost.current());
      endTerm(serving, reasonOfLoss(serving.lease(), lost.current()), now);
      lost.current().flatMap(view -> sight.saw(view.token())).ifPresent(this::tell);
    }
  }

  /** Our own grant, given back though not by us, was released by an operator. */
  static EndReason reasonOfLoss(Lease lease, Optional<LeaseView> current) {
    if (current.isEmpty() || !current.get().isOf(lease)) {
      return EndReason.SUPERSEDED;
    }
    return current.get().state() == LeaseView.State.EXPIRED
        ? EndReason.UNREACHABLE
        : EndReason.FORCED;
  }

  /** The one way in which a term ends: first the work is told, then everybody else. */
  private void endTerm(Serving serving, EndReason reason, Moment now) {
    long giveUpAt = now.nanos() + Math.max(0, serving.hold().expiresInNanos(now));
    if (stopping) {
      giveUpAt = earlier(giveUpAt, now.nanos() + plan.patience().toNanos());
    }
    actions.add(new CampaignAction.EndWork(reason));
    become(
        new Draining(serving.lease(), serving.hold(), reason, giveUpAt, false),
        "the term ends: " + reason);
    serving.renewal().ifPresent(each -> actions.add(new CampaignAction.Cancel(each.call())));
    tell(new ElectionEvent.Ending(serving.lease(), reason));
  }

  private void workReturned(Optional<Throwable> failure, Moment now) {
    if (state instanceof Serving serving) {
      endTerm(serving, failure.isPresent() ? EndReason.WORK_FAILED : EndReason.WORK_ENDED, now);
    }
    if (!(state instanceof Draining draining)) {
      return;
    }
    if (!draining.reported()) {
      boolean clean = !draining.hold().mayHaveExpired(now);
      tell(new ElectionEvent.Ended(draining.lease(), draining.reason(), clean, failure));
    }
    switch (draining.reason()) {
      case SUPERSEDED, FORCED -> rest("there is nothing to release", now);
      case WORK_ENDED, WORK_FAILED -> release(draining.lease(), plan.linger(), now);
      case UNREACHABLE, SUSPENDED, YIELDED, STOPPED ->
          release(draining.lease(), Duration.ZERO, now);
    }
  }

  private void giveUpOnWork(Draining draining) {
    if (!draining.reported()) {
      tell(new ElectionEvent.Ended(draining.lease(), draining.reason(), false, Optional.empty()));
      state =
          new Draining(
              draining.lease(), draining.hold(), draining.reason(), draining.giveUpAt(), true);
    }
    if (stopping) {
      // Not released: the work may still write. The lease runs out by its TTL.
      become(new Closing(), "the work did not return");
    }
  }

  private void release(Lease lease, Duration linger, Moment now) {
    long call = ++lastCall;
    become(
        new Releasing(call, lease, now.nanos() + GIVE_BACK_BOUND.toNanos()), "the work returned");
    actions.add(new CampaignAction.SendRelease(call, lease, linger));
  }

  /** After a term: end if asked to, else stay out of the way for one retry, deaf to signals. */
  private void rest(String why, Moment now) {
    if (stopping) {
      become(new Closing(), why);
      return;
    }
    long until = now.nanos() + plan.retry().toNanos();
    long jittered = waitOneRetry(now, until).attemptAt();
    become(new Waiting(earlier(until, jittered) == until ? jittered : until, until), why);
  }

  // ---- giving back, stopping, and answers that do not come

  private void abandon(String attempt, boolean thenTry, Moment now) {
    long call = ++lastCall;
    givingBack.begin(call, attempt, now.nanos() + GIVE_BACK_BOUND.toNanos(), thenTry);
    actions.add(new CampaignAction.SendAbandon(call, attempt));
  }

  private void stopAsked(Moment now) {
    if (stopping || state instanceof Closed) {
      return;
    }
    stopping = true;
    if (state instanceof Waiting) {
      become(new Closing(), "asked to stop");
    } else if (state instanceof Attempting attempting) {
      actions.add(new CampaignAction.Cancel(attempting.call()));
      abandon(attempting.attempt(), false, now);
      become(new Closing(), "asked to stop during an attempt");
    } else if (state instanceof Serving serving) {
      endTerm(serving, EndReason.STOPPED, now);
    } else if (state instanceof Draining draining) {
      long patient = now.nanos() + plan.patience().toNanos();
      state =
          new Draining(
              draining.lease(),
              draining.hold(),
              draining.reason(),
              earlier(draining.giveUpAt(), patient),
              draining.reported());
    }
  }

  private void notAnswered(long call, Throwable cause, boolean mayHaveHappened, Moment now) {
    if (state instanceof Attempting attempting && attempting.call() == call) {
      sight.unanswered(cause).ifPresent(this::tell);
      if (mayHaveHappened) {
        abandon(attempting.attempt(), false, now);
      }
      become(waitOneRetry(now, now.nanos()), "the attempt was not answered");
    } else if (state instanceof Serving serving && isRenewal(serving, call)) {
      sight.unanswered(cause).ifPresent(this::tell);
      boolean waited =
          now.ticksSince(serving.renewal().orElseThrow().sent()) >= plan.third().toNanos();
      long pause = waited ? 0 : Math.max(plan.ttl().dividedBy(12).toNanos(), MILLI);
      state = new Serving(serving.lease(), serving.hold(), Optional.empty(), now.nanos() + pause);
      Duration left = Duration.ofNanos(serving.hold().leftNanos(now));
      tell(new ElectionEvent.RenewalUnanswered(serving.lease(), cause, left));
    } else if (state instanceof Releasing releasing && releasing.call() == call) {
      sight.unanswered(cause).ifPresent(this::tell);
      tell(new ElectionEvent.NotReleased(releasing.lease(), cause));
      rest("the release was not answered", now);
    } else {
      givingBack.unanswered(call);
    }
  }

  // ---- small things

  private void become(CampaignState next, String why) {
    String from = state.getClass().getSimpleName();
    state = next;
    tell(new ElectionEvent.Moved(from, next.getClass().getSimpleName(), why));
  }

  private void tell(ElectionEvent report) {
    actions.add(new CampaignAction.Tell(report));
  }

  private boolean isCurrent(Lease lease) {
    return (state instanceof Serving serving && serving.lease().attempt().equals(lease.attempt()))
        || (state instanceof Draining draining
            && draining.lease().attempt().equals(lease.attempt()));
  }

  private static boolean isRenewal(Serving serving, long call) {
    return serving.renewal().map(renewal -> renewal.call() == call).orElse(false);
  }

  private static boolean isDue(long at, Moment now) {
    return now.nanos() - at >= 0;
  }

  private static long earlier(long one, long other) {
    return one - other <= 0 ? one : other;
  }

  private static LeaseStoreException tooLate(String call, Duration bound) {
    return new LeaseStoreException(
        LeaseStoreException.Outcome.UNKNOWN,
        call + " was not answered within " + bound.toMillis() + " ms");
  }
}
