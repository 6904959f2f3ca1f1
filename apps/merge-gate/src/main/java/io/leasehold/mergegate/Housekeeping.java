package io.leasehold.mergegate;

import io.leasehold.sweep.PassReport;
import io.leasehold.sweep.Position;
import io.leasehold.sweep.SweepListener;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What follows from a sweep: the log, and forgetting settled runs once a traversal is done. */
final class Housekeeping implements SweepListener<GatingRun> {

  private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

  private final SweepListener<GatingRun> log = SweepListener.logging("merge gate");
  private final GatingRuns runs;
  private final InstantSource clock;
  private final Duration horizon;
  private final AtomicLong passes = new AtomicLong();

  Housekeeping(GatingRuns runs, InstantSource clock, Duration horizon) {
    this.runs = runs;
    this.clock = clock;
    this.horizon = horizon;
  }

  /** How many passes this replica has run. */
  long passes() {
    return passes.get();
  }

  @Override
  public void passed(PassReport report) {
    passes.incrementAndGet();
    log.passed(report);
  }

  @Override
  public void pageFailed(Position before, Exception failure) {
    log.pageFailed(before, failure);
  }

  @Override
  public void stalled(Position before) {
    log.stalled(before);
  }

  @Override
  public void itemFailed(GatingRun run, Exception failure) {
    if (failure instanceof ForgeException) {
      LOG.warn("{} stays open: {}", run.id(), failure.getMessage());
    } else {
      log.itemFailed(run, failure);
    }
  }

  @Override
  public void lastChance(GatingRun run) {
    LOG.warn(
        "Giving up soon on {}#{} {}: {} has been without a verdict for {}",
        run.repository(),
        run.pull(),
        run.context(),
        run.id(),
        horizon);
  }

  @Override
  public void traversed(Duration took) {
    try {
      int forgotten = runs.purge(clock.instant().minus(horizon));
      LOG.debug("Looked back {} in {}; {} settled runs forgotten", horizon, took, forgotten);
    } catch (SQLException e) {
      LOG.warn("Settled runs could not be forgotten; the next traversal tries again", e);
    }
  }
}
