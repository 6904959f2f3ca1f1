package io.leasehold.sweep;

import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps what a listener throws away from the sweep. */
final class SafeListener<T> implements SweepListener<T> {

  private static final Logger LOG = LoggerFactory.getLogger(SweepListener.class);

  private final SweepListener<T> listener;

  SafeListener(SweepListener<T> listener) {
    this.listener = listener;
  }

  @Override
  public void passed(PassReport report) {
    tell(l -> l.passed(report));
  }

  @Override
  public void pageFailed(Position before, Exception failure) {
    tell(l -> l.pageFailed(before, failure));
  }

  @Override
  public void stalled(Position before) {
    tell(l -> l.stalled(before));
  }

  @Override
  public void traversed(Duration took) {
    tell(l -> l.traversed(took));
  }

  @Override
  public void itemFailed(T item, Exception failure) {
    tell(l -> l.itemFailed(item, failure));
  }

  @Override
  public void lastChance(T item) {
    tell(l -> l.lastChance(item));
  }

  private void tell(Consumer<SweepListener<T>> news) {
    try {
      news.accept(listener);
    } catch (RuntimeException e) {
      LOG.warn("A sweep's listener failed", e);
    }
  }
}
