package io.leasehold;

import java.time.Duration;
import java.time.Instant;

/**
 * A grant, as its holder knows it: the right to a name until an instant on the store's clock.
 *
 * <p>The store recognises a grant by its attempt and token; the owner is for people, and the expiry
 * is what the holder was told last. A holder never compares {@code expiresAt} with a clock of its
 * own: it counts {@code remaining} from the moment it <em>sent</em> the call.
 *
 * <p>Immutable and thread-safe.
 *
 * @param name what is leased
 * @param owner who holds it
 * @param attempt the attempt that took this grant
 * @param token the fencing token to send with every write
 * @param grantedAt when the grant was made, by the store's clock, to the millisecond
 * @param expiresAt when the lease expires, by the store's clock, to the millisecond
 * @param remaining how long it had left when the store answered; never negative
 */
public record Lease(
    LeaseName name,
    String owner,
    String attempt,
    FencingToken token,
    Instant grantedAt,
    Instant expiresAt,
    Duration remaining) {

  /**
   * Checks that the remaining time is not negative.
   *
   * @throws IllegalArgumentException if it is
   */
  public Lease {
    LeaseArguments.owner(owner);
    LeaseArguments.attempt(attempt);
    if (remaining.isNegative()) {
      throw new IllegalArgumentException("remaining " + remaining + " is negative");
    }
  }
}
