package io.leasehold.mergegate;

import io.leasehold.election.Term;
import io.leasehold.http.Lane;
import io.leasehold.sweep.SweepHandler;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what a dead run owes its pull request, and pays it: one failing status.
 *
 * <p>Everything is read again right before it is written, since the world moves on: never on a
 * closed or merged pull request, never on a head that moved, never over a verdict, never while
 * another run is at it. Writing twice for one death takes two things going wrong at once: the
 * content of what stands on the forge says whether it was done, and the row in the table says which
 * term was the last to try.
 */
final class Reconciler implements SweepHandler<GatingRun> {

  static final String LANE = "merge-gate-sweeper";

  private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);

  /** A closed pull request may be opened again, a head moved back. */
  private static final Duration LOOK_AGAIN = Duration.ofHours(6);

  /** A forge may show what was just written a little later. */
  private static final Duration AFTER_DOUBT = Duration.ofMinutes(2);

  private final GatingRuns runs;
  private final Forge forge;
  private final InstantSource clock;
  private final Duration afterDoubt;

  Reconciler(GatingRuns runs, Forge forge, InstantSource clock) {
    this(runs, forge, clock, AFTER_DOUBT);
  }

  Reconciler(GatingRuns runs, Forge forge, InstantSource clock, Duration afterDoubt) {
    this.runs = runs;
    this.forge = forge;
    this.clock = clock;
    this.afterDoubt = afterDoubt;
  }

  @Override
  public Outcome handle(GatingRun run, Term term) throws Exception {
    return Lane.<Outcome, Exception>call(LANE, () -> repair(run, term));
  }

  private Outcome repair(GatingRun run, Term term)
      throws SQLException, ForgeException, InterruptedException {
    try {
      if (runs.anotherIsRunning(run)) {
        return Outcome.OPEN;
      }
      Optional<Outcome> stoodDown = standDown(run);
      return stoodDown.isPresent() ? stoodDown.get() : owe(run, term);
    } catch (ForgeException.Busy e) {
      LOG.debug("{} waits: {}", run.id(), e.getMessage());
      return Outcome.OPEN;
    }
  }

  /** The reasons to write nothing, in the order of what they cost to find out. */
  private Optional<Outcome> standDown(GatingRun run)
      throws SQLException, ForgeException, InterruptedException {
    OptionalLong number =
        run.pull() > 0
            ? OptionalLong.of(run.pull())
            : forge.openPullOf(run.repository(), run.head());
    if (number.isEmpty()) {
      return Optional.of(lookAgain(run));
    }
    Optional<Forge.Pull> pull = forge.pull(run.repository(), number.getAsLong());
    if (pull.isEmpty()) {
      return Optional.of(settled(run, "gone"));
    }
    if (pull.get().merged()) {
      return Optional.of(settled(run, "merged"));
    }
    if (!pull.get().open() || !pull.get().head().equals(run.head())) {
      return Optional.of(lookAgain(run));
    }
    Forge.Standing standing = forge.standing(run);
    if (standing instanceof Forge.Standing.Verdict verdict) {
      return Optional.of(settled(run, verdict.state()));
    }
    return standing instanceof Forge.Standing.Claimed
        ? Optional.of(Outcome.OPEN)
        : Optional.empty();
  }

  private Outcome owe(GatingRun run, Term term)
      throws SQLException, ForgeException, InterruptedException {
    if (!term.isHeld() || !runs.claim(run.id(), term.token())) {
      return Outcome.OPEN;
    }
    try {
      forge.postFailure(run);
    } catch (ForgeException.Busy e) {
      throw e;
    } catch (ForgeException.Refused e) {
      // Not allowed, or a thousand statuses already: the next minute will not change that.
      runs.quiet(run.id(), clock.instant().plus(LOOK_AGAIN));
      throw e;
    } catch (ForgeException e) {
      // It may have arrived. What stands there will tell, once it has had time to show.
      runs.quiet(run.id(), clock.instant().plus(afterDoubt));
      throw e;
    }
    LOG.info(
        "{}#{} {}: told that {} died ({})",
        run.repository(),
        run.pull(),
        run.context(),
        run.id(),
        run.causeOfDeath());
    return settled(run, "posted");
  }

  private Outcome settled(GatingRun run, String as) throws SQLException {
    runs.settled(run.id(), as);
    return Outcome.SETTLED;
  }

  private Outcome lookAgain(GatingRun run) throws SQLException {
    runs.quiet(run.id(), clock.instant().plus(LOOK_AGAIN));
    return Outcome.SETTLED;
  }
}
