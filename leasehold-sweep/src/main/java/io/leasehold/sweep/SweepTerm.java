package io.leasehold.sweep;

import io.leasehold.election.Term;
import io.leasehold.sweep.PassReport.Depth;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * A sweep during one term: which pass is due, where an unfinished traversal goes on, and which
 * items are about to leave. It begins empty, so that a term never relies on what an earlier one
 * covered: another replica may have served in between.
 *
 * <p>On each tick runs an ordinary pass, or, when a traversal is due, the first pass of a new one
 * (which covers the ordinary window too). An unfinished traversal goes on beside the ordinary pass
 * of each following tick, after it: what is new matters more than what is old.
 */
final class SweepTerm<T> {

  private final SweepPlan<T> plan;
  private final SweepSettings settings;
  private final InstantSource clock;
  private final Term term;
  private final LastChances<T> lastChances;

  private long tick;
  private Optional<Traversal> traversal = Optional.empty();
  private Duration lastTraversal = Duration.ZERO;

  SweepTerm(SweepPlan<T> plan, InstantSource clock, Term term) {
    this.plan = plan;
    this.settings = plan.settings();
    this.clock = clock;
    this.term = term;
    this.lastChances = new LastChances<>(plan.listener()::lastChance);
  }

  void tick() throws InterruptedException {
    boolean deepDue = tick++ % settings.deepEvery() == 0;
    if (traversal.isEmpty() && deepDue) {
      Instant now = clock.instant();
      goDeep(new Traversal(now, newest(now), 0));
      return;
    }
    pass(Depth.ORDINARY, settings.lookback(), newest(clock.instant()));
    Optional<Traversal> unfinished = traversal.filter(t -> deepDue || !t.parked());
    if (unfinished.isPresent()) {
      goDeep(unfinished.get());
    }
  }

  private void goDeep(Traversal running) throws InterruptedException {
    traversal = Optional.of(running);
    PassReport report = pass(Depth.DEEP, settings.horizon(), running.resume());
    switch (report.end()) {
      case COVERED -> finished(running);
      case OUT_OF_PAGES, PAGE_FAILED, TERM_ENDED -> {
        traversal = Optional.of(running.after(report));
        lastChances.widened(leavingBefore());
      }
      case STALLED -> {
        // Resuming where a page led nowhere would lead nowhere again.
        traversal = Optional.empty();
        lastChances.traversed();
      }
    }
  }

  private void finished(Traversal done) {
    traversal = Optional.empty();
    lastTraversal = Duration.between(done.started(), clock.instant());
    lastChances.widened(leavingBefore());
    lastChances.traversed();
    plan.listener().traversed(lastTraversal);
  }

  private PassReport pass(Depth depth, Duration lookback, Position from)
      throws InterruptedException {
    Instant since = clock.instant().minus(lookback);
    return new Pass<>(plan, clock, term, depth, since, from, this::offered).run();
  }

  private Position newest(Instant now) {
    return Position.before(now.minus(settings.grace()));
  }

  private void offered(T item, boolean settled) {
    Position position = plan.backlog().position(item);
    if (settled) {
      lastChances.settled(position);
    } else {
      lastChances.open(position, item, leavingBefore());
    }
  }

  private Instant leavingBefore() {
    Instant now = clock.instant();
    return now.minus(settings.horizon()).plus(band(now));
  }

  /**
   * How long before it leaves the horizon an item has to be reported, so that it cannot slip out
   * between two visits: the wait for the next traversal, one tick of delay, and as long as a
   * traversal really takes. At most half the horizon.
   */
  Duration band(Instant now) {
    Duration running = traversal.map(t -> Duration.between(t.started(), now)).orElse(Duration.ZERO);
    Duration longest = running.compareTo(lastTraversal) > 0 ? running : lastTraversal;
    Duration band = settings.deepPeriod().plus(settings.interval()).plus(longest);
    Duration most = settings.horizon().dividedBy(2);
    return band.compareTo(most) < 0 ? band : most;
  }
}
