package io.leasehold.election;

import io.leasehold.FencingToken;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import java.time.Duration;
import java.util.Optional;

/**
 * A snapshot of an election, fit for a health check.
 *
 * <p>Immutable and thread-safe.
 *
 * @param name what the election is for
 * @param owner who campaigns here
 * @param phase where this candidate stands
 * @param token the token of the term, while there is one
 * @param remaining how long the term lasts if no further renewal succeeds; zero without one
 * @param holder who held the name when the store last refused this candidate
 * @param sinceAnswer how long ago the store answered last, or the election began
 * @param storeFailure what the store's last call failed with, until it answers again
 * @param healthy whether this candidate can do its part: it holds a proven term, or the store has
 *     answered it within a hold and a retry. A candidate that is not elected is healthy; one that
 *     was closed is not
 */
public record ElectionStatus(
    LeaseName name,
    String owner,
    Phase phase,
    Optional<FencingToken> token,
    Duration remaining,
    Optional<LeaseView> holder,
    Duration sinceAnswer,
    Optional<String> storeFailure,
    boolean healthy) {

  /** Where a candidate stands. */
  public enum Phase {
    /** It tries to be elected. */
    CANDIDATE,
    /** It is elected and its work runs. */
    SERVING,
    /** Its term is over; its work has not returned, or its lease is being given back. */
    STEPPING_DOWN,
    /** It was closed. */
    CLOSED
  }

  /**
   * Whether this candidate is elected.
   *
   * @return whether the phase is {@link Phase#SERVING}
   */
  public boolean isElected() {
    return phase == Phase.SERVING;
  }
}
