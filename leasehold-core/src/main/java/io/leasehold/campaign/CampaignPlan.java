package io.leasehold.campaign;

import io.leasehold.LeaseArguments;
import io.leasehold.LeaseName;
import java.time.Duration;

/**
 * What a campaign is for, and its times.
 *
 * @param name what to be elected for
 * @param owner who campaigns, shown to operators
 * @param ttl the lease's TTL, 10 ms to 366 days
 * @param retry how often a candidate tries, 1 ms to 366 days
 * @param grace how long before the hold's end the work is told, 0 to TTL/3
 * @param linger how long after the grant the name stays taken when the work ended by itself, 0 to
 *     366 days
 * @param patience how long a stop waits for the work to return, 0 to 366 days
 */
public record CampaignPlan(
    LeaseName name,
    String owner,
    Duration ttl,
    Duration retry,
    Duration grace,
    Duration linger,
    Duration patience) {

  /**
   * Checks the times against each other.
   *
   * @throws IllegalArgumentException if one is out of range; the message names it and its limit
   */
  public CampaignPlan {
    LeaseArguments.owner(owner);
    Hold.checkTtl(ttl);
    LeaseArguments.linger(linger);
    if (retry.compareTo(Duration.ofMillis(1)) < 0 || retry.compareTo(Hold.MAX_TTL) > 0) {
      throw new IllegalArgumentException(
          "retry " + retry + " is out of range: at least 1 ms and at most 366 days");
    }
    if (grace.isNegative() || grace.compareTo(ttl.dividedBy(3)) > 0) {
      throw new IllegalArgumentException(
          "grace "
              + grace
              + " is out of range: at most a third of the ttl, which is "
              + ttl.dividedBy(3)
              + "; raise the ttl to at least "
              + (grace.isNegative() ? ttl : grace.multipliedBy(3)));
    }
    if (patience.isNegative() || patience.compareTo(Hold.MAX_TTL) > 0) {
      throw new IllegalArgumentException(
          "patience " + patience + " is out of range: at least zero and at most 366 days");
    }
  }

  /** A third of the TTL: how often a holder renews, and how long one call may take. */
  Duration third() {
    return ttl.dividedBy(3);
  }
}
