package io.leasehold.keeper;

import io.leasehold.EndReason;
import io.leasehold.FencingToken;
import io.leasehold.LeaseName;
import io.leasehold.campaign.Tenancy;
import java.time.Duration;
import java.util.Optional;

/**
 * A lease that a keeper renews until it is closed or lost: for a short critical section, or for as
 * long as a runtime owns an item.
 *
 * <p>{@link #isHeld} and {@link #remaining} look at the clocks themselves. They cannot stop a
 * process that is paused right after it looked; send {@link #token} with every write, to something
 * that refuses lower ones.
 *
 * <p>Thread-safe.
 */
public final class HeldLease implements AutoCloseable {

  private final LeaseKeeper keeper;
  private final Tenancy tenancy;

  HeldLease(LeaseKeeper keeper, Tenancy tenancy) {
    this.keeper = keeper;
    this.tenancy = tenancy;
  }

  Tenancy tenancy() {
    return tenancy;
  }

  /**
   * What is held.
   *
   * @return the name
   */
  public LeaseName name() {
    return tenancy.lease().name();
  }

  /**
   * The fencing token to send with every write.
   *
   * @return the token
   */
  public FencingToken token() {
    return tenancy.lease().token();
  }

  /**
   * Whether the lease may be relied on. Once false, it stays false.
   *
   * @return whether it is held
   */
  public boolean isHeld() {
    return keeper.isHeld(tenancy);
  }

  /**
   * How long the lease may be relied on if no further renewal succeeds.
   *
   * @return the time left; zero once it is over
   */
  public Duration remaining() {
    return keeper.remaining(tenancy);
  }

  /**
   * Why the lease ended: {@code STOPPED} when it was given back.
   *
   * @return the reason, once it has ended
   */
  public Optional<EndReason> end() {
    return tenancy.end();
  }

  /**
   * Gives the lease back, and waits for the answer, at most 5 s. A store that does not answer is
   * logged, not thrown: the lease then expires by its TTL. Idempotent.
   */
  @Override
  public void close() {
    keeper.release(tenancy);
  }

  @Override
  public String toString() {
    return "lease of " + name() + " with token " + token();
  }
}
