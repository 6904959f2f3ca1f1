package io.leasehold.mergegate;

import io.leasehold.FencingToken;
import io.leasehold.LeaseName;
import io.leasehold.election.Term;
import java.time.Duration;

/** A term that is held until it is ended. */
final class HeldTerm implements Term {

  private final long token;
  private volatile boolean held = true;

  HeldTerm(long token) {
    this.token = token;
  }

  void end() {
    held = false;
  }

  @Override
  public LeaseName name() {
    return MergeGate.LEASE;
  }

  @Override
  public String owner() {
    return "test";
  }

  @Override
  public FencingToken token() {
    return new FencingToken(token);
  }

  @Override
  public boolean isHeld() {
    return held;
  }

  @Override
  public Duration remaining() {
    return held ? Duration.ofMinutes(1) : Duration.ZERO;
  }

  @Override
  public boolean awaitEnd(Duration timeout) {
    return !held;
  }
}
