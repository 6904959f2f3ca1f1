package io.leasehold;

import java.time.Duration;

/**
 * One acquisition attempt.
 *
 * <p>Immutable and thread-safe. Constructing one checks every argument of {@link
 * LeaseStore#acquire}, so a store that starts with {@code new AcquireRequest(…)} refuses what the
 * contract refuses.
 *
 * @param name what to lease
 * @param owner who asks, shown to operators; 1 to 255 bytes of UTF-8
 * @param attempt the id of this attempt, never used for another; 1 to 64 bytes of UTF-8
 * @param ttl for how long, 1 ms to 366 days, cut to whole milliseconds
 */
public record AcquireRequest(LeaseName name, String owner, String attempt, Duration ttl) {

  /**
   * Checks the arguments.
   *
   * @throws IllegalArgumentException if one is unusable; the message names it
   */
  public AcquireRequest {
    LeaseArguments.owner(owner);
    LeaseArguments.attempt(attempt);
    ttl = LeaseArguments.ttl(ttl);
  }
}
