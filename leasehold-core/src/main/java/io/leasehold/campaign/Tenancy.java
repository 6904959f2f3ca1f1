package io.leasehold.campaign;

import io.leasehold.EndReason;
import io.leasehold.Lease;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One lease among the many of a keeper: what is known of it, until it ends.
 *
 * <p>Written by the keeper's {@link Roster} only; may be read by any thread.
 */
public final class Tenancy {

  private final Lease lease;
  private volatile Hold hold;
  private volatile @Nullable EndReason end;

  /** Whether a renewal is under way. Of the roster's. */
  boolean renewing;

  Tenancy(Lease lease, Hold hold) {
    this.lease = lease;
    this.hold = hold;
  }

  void extend(Hold longer) {
    hold = longer;
  }

  void end(EndReason reason) {
    end = reason;
  }

  /**
   * The grant. Its expiry and remaining time are those of the grant; {@link #hold} says how long it
   * is proved now.
   *
   * @return the lease
   */
  public Lease lease() {
    return lease;
  }

  /**
   * How long the lease is proved.
   *
   * @return the hold
   */
  public Hold hold() {
    return hold;
  }

  /**
   * Why it ended.
   *
   * @return the reason, once it has ended
   */
  public Optional<EndReason> end() {
    return Optional.ofNullable(end);
  }

  /**
   * Whether it may still be relied on.
   *
   * @param now now
   * @return whether it has not ended and its hold is not over
   */
  public boolean isHeld(Moment now) {
    return end == null && !hold.isOver(now);
  }
}
