package io.leasehold.election;

import io.leasehold.FencingToken;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.Ticker;
import io.leasehold.campaign.Hold;
import io.leasehold.campaign.Moment;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The term that a piece of work serves. */
final class ServedTerm implements Term {

  private final Lease lease;
  private final long graceNanos;
  private final Ticker ticker;
  private final InstantSource clock;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile Hold hold;

  ServedTerm(Lease lease, Hold hold, Duration grace, Ticker ticker, InstantSource clock) {
    this.lease = lease;
    this.hold = hold;
    this.graceNanos = grace.toNanos();
    this.ticker = ticker;
    this.clock = clock;
  }

  /** A renewal was proved. */
  void extend(Hold longer) {
    hold = longer;
  }

  void end() {
    ended.countDown();
  }

  boolean hasEnded() {
    return ended.getCount() == 0;
  }

  @Override
  public LeaseName name() {
    return lease.name();
  }

  @Override
  public String owner() {
    return lease.owner();
  }

  @Override
  public FencingToken token() {
    return lease.token();
  }

  @Override
  public boolean isHeld() {
    if (hasEnded()) {
      return false;
    }
    if (leftNanos() <= 0) {
      end(); // seen here before the driver came to it; it must not seem to come back
      return false;
    }
    return true;
  }

  @Override
  public Duration remaining() {
    return isHeld() ? Duration.ofNanos(Math.max(0, leftNanos())) : Duration.ZERO;
  }

  @Override
  public boolean awaitEnd(Duration timeout) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    long until = ticker.nanos() + saturatedNanos(timeout);
    while (isHeld()) {
      long wait = until - ticker.nanos();
      if (wait <= 0) {
        return false;
      }
      // No longer than the hold: the term ends then, whether or not anybody is awake to say so.
      boolean told = ended.await(Math.min(wait, Math.max(1, leftNanos())), TimeUnit.NANOSECONDS);
      if (told) {
        return true;
      }
    }
    return true;
  }

  private long leftNanos() {
    return hold.leftNanos(Moment.read(ticker, clock)) - graceNanos;
  }

  private static long saturatedNanos(Duration timeout) {
    long max = Long.MAX_VALUE / 4;
    return timeout.compareTo(Duration.ofNanos(max)) > 0 ? max : timeout.toNanos();
  }

  @Override
  public String toString() {
    return "term of " + name() + " with token " + token();
  }
}
