package io.leasehold.sweep;

import io.leasehold.FencingToken;
import io.leasehold.LeaseName;
import io.leasehold.election.Term;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A term in virtual time: waiting moves the clock, and it ends when it is told to. */
final class FakeTerm implements Term {

  private final VirtualClock clock;
  private final List<Duration> waits = new ArrayList<>();
  private boolean held = true;
  private int endAfterWaits = Integer.MAX_VALUE;

  FakeTerm(VirtualClock clock) {
    this.clock = clock;
  }

  void end() {
    held = false;
  }

  /** The wait that comes after this many others finds the term ended. */
  FakeTerm endAfterWaits(int waits) {
    endAfterWaits = waits;
    return this;
  }

  List<Duration> waits() {
    return waits;
  }

  @Override
  public LeaseName name() {
    return LeaseName.of("net");
  }

  @Override
  public String owner() {
    return "me";
  }

  @Override
  public FencingToken token() {
    return new FencingToken(7);
  }

  @Override
  public boolean isHeld() {
    return held;
  }

  @Override
  public Duration remaining() {
    return held ? Duration.ofMinutes(2) : Duration.ZERO;
  }

  @Override
  public boolean awaitEnd(Duration timeout) {
    waits.add(timeout);
    if (!timeout.isNegative()) {
      clock.advance(timeout);
    }
    if (waits.size() > endAfterWaits) {
      held = false;
    }
    return !held;
  }
}
