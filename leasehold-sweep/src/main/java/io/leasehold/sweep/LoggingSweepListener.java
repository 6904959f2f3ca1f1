package io.leasehold.sweep;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the edges to the log: the first failure of an episode and its end, not every repeat. */
final class LoggingSweepListener<T> implements SweepListener<T> {

  private static final Logger LOG = LoggerFactory.getLogger(SweepListener.class);

  private final String name;
  private boolean failing;
  private boolean stalling;

  LoggingSweepListener(String name) {
    this.name = name;
  }

  @Override
  public void passed(PassReport report) {
    if (failing && report.pages() > 0 && report.end() != PassReport.End.PAGE_FAILED) {
      failing = false;
      LOG.info("{}: the backlog can be read again", name);
    }
    if (report.end() != PassReport.End.STALLED && report.pages() > 1) {
      stalling = false;
    }
    LOG.debug("{}: {}", name, report);
  }

  @Override
  public void pageFailed(Position before, Exception failure) {
    if (!failing) {
      failing = true;
      LOG.warn("{}: a page before {} could not be read", name, before.instant(), failure);
    }
  }

  @Override
  public void stalled(Position before) {
    if (!stalling) {
      stalling = true;
      LOG.warn(
          "{}: a full page before {} ({}) did not lead to older items; the rest of the window is not"
              + " covered",
          name,
          before.instant(),
          before.id());
    }
  }

  @Override
  public void traversed(Duration took) {
    LOG.debug("{}: looked back to the horizon in {}", name, took);
  }

  @Override
  public void itemFailed(T item, Exception failure) {
    LOG.warn("{}: {} could not be looked at", name, item, failure);
  }

  @Override
  public void lastChance(T item) {
    LOG.warn("{}: {} is still open and about to leave the horizon", name, item);
  }
}
