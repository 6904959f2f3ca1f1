package io.leasehold.campaign;

import io.leasehold.EndReason;
import io.leasehold.Lease;
import java.time.Duration;

/**
 * The rule that makes a term safe. A holder serves until its <em>hold</em> is over: TTL minus
 * TTL/6, counted from the moment it <em>sent</em> the last call that the store is proved to have
 * granted.
 *
 * <p>Why it is safe: the store stamps the expiry when it runs the call, which is no earlier than
 * when the call was sent. So the lease lives at least until {@code sent + TTL} on any clock that
 * runs at the store's rate, however long the answer took, and the hold is over a sixth of the TTL
 * before that. The sixth pays for clocks that run at different rates, for the store's rounding to
 * milliseconds and for the time it takes to stop. Counting from the <em>answer</em> instead would
 * let a slow answer carry the holder past its expiry.
 *
 * <p>Two clocks guard it ({@link Moment#nanosSince}): whichever ran further ends it.
 *
 * @param sent when the last proven call was sent
 * @param lengthNanos how long the hold is from then
 */
public record Hold(Moment sent, long lengthNanos) {

  /** The shortest TTL whose sixth still covers the store's rounding to a millisecond. */
  public static final Duration MIN_TTL = Duration.ofMillis(10);

  /** The longest TTL of a holder. */
  public static final Duration MAX_TTL = Duration.ofDays(366);

  /**
   * The hold that a granted or renewed lease gives.
   *
   * @param sent when the call was sent
   * @param ttl the TTL that was asked for
   * @param lease the lease in the answer; where less remains than was asked for, that counts
   * @return the hold
   */
  public static Hold proved(Moment sent, Duration ttl, Lease lease) {
    Duration granted = lease.remaining().compareTo(ttl) < 0 ? lease.remaining() : ttl;
    return new Hold(sent, length(granted).toNanos());
  }

  /**
   * The length of a hold: TTL minus TTL/6.
   *
   * @param ttl the TTL
   * @return the length
   */
  public static Duration length(Duration ttl) {
    return ttl.minus(ttl.dividedBy(6));
  }

  /**
   * Checks the TTL of a holder.
   *
   * @param ttl 10 ms to 366 days
   * @return the TTL
   * @throws IllegalArgumentException if it is out of range
   */
  public static Duration checkTtl(Duration ttl) {
    if (ttl.compareTo(MIN_TTL) < 0 || ttl.compareTo(MAX_TTL) > 0) {
      throw new IllegalArgumentException(
          "ttl " + ttl + " is out of range for a holder: at least 10 ms and at most 366 days");
    }
    return ttl;
  }

  /**
   * How long the hold goes on.
   *
   * @param now now
   * @return nanoseconds; zero or less when it is over
   */
  public long leftNanos(Moment now) {
    return lengthNanos - now.nanosSince(sent);
  }

  /**
   * Whether the hold is over.
   *
   * @param now now
   * @return whether nothing is left
   */
  public boolean isOver(Moment now) {
    return leftNanos(now) <= 0;
  }

  /**
   * How long the lease itself is sure to live.
   *
   * @param now now
   * @return nanoseconds; zero or less when the lease may have expired
   */
  public long expiresInNanos(Moment now) {
    return lengthNanos + lengthNanos / 5 - now.nanosSince(sent);
  }

  /**
   * Whether the lease may have expired, so that a successor may have begun.
   *
   * @param now now
   * @return whether it is not sure to live
   */
  public boolean mayHaveExpired(Moment now) {
    return expiresInNanos(now) <= 0;
  }

  /**
   * Why a hold that is over, or about to be, was not renewed in time. Two clocks never agree to the
   * last nanosecond, so the machine is said to have slept only if the wall clock ran ahead by more
   * than a twentieth of the hold.
   *
   * @param now now
   * @return {@code SUSPENDED} if only the wall clock says so, else {@code UNREACHABLE}
   */
  public EndReason reason(Moment now) {
    long ahead = now.nanosSince(sent) - now.ticksSince(sent);
    return ahead > lengthNanos / 20 ? EndReason.SUSPENDED : EndReason.UNREACHABLE;
  }
}
