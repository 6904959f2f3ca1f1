package io.leasehold.campaign;

import io.leasehold.Lease;
import io.leasehold.LeaseView;
import java.time.Duration;
import java.util.Optional;

/**
 * A snapshot of a campaign.
 *
 * @param phase where it stands
 * @param lease the lease, while there is one
 * @param remaining how much of the hold is left while serving, else zero
 * @param holder who held the name when the store said so last
 * @param storeAway whether the last call was not answered
 * @param sinceAnswer how long ago the store answered last, or the campaign began
 * @param lastFailure what the last unanswered call said
 */
public record CampaignStatus(
    Phase phase,
    Optional<Lease> lease,
    Duration remaining,
    Optional<LeaseView> holder,
    boolean storeAway,
    Duration sinceAnswer,
    Optional<Throwable> lastFailure) {

  /** Where a campaign stands. */
  public enum Phase {
    /** It tries to be elected. */
    CANDIDATE,
    /** It is elected and its work runs. */
    SERVING,
    /** Its term is over; the work has not returned, or the lease is being given back. */
    STEPPING_DOWN,
    /** It is over. */
    CLOSED
  }
}
