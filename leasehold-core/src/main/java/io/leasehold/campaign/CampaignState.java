package io.leasehold.campaign;

import io.leasehold.EndReason;
import io.leasehold.Lease;
import java.util.Optional;

/** Where a campaign stands. Each state carries only what means something in it. */
sealed interface CampaignState {

  /**
   * A candidate between two attempts.
   *
   * @param attemptAt when to try next
   * @param deafUntil before this, signals do not bring the next attempt forward
   */
  record Waiting(long attemptAt, long deafUntil) implements CampaignState {}

  /**
   * A candidate whose attempt is under way.
   *
   * @param call the call
   * @param attempt the attempt id
   * @param sent when it was sent
   * @param signalled whether a release was signalled since
   */
  record Attempting(long call, String attempt, Moment sent, boolean signalled)
      implements CampaignState {}

  /**
   * A holder at work.
   *
   * @param lease the lease as last proved
   * @param hold how long it may serve
   * @param renewal the renewal under way
   * @param renewAt when to send the next renewal, if none is under way
   */
  record Serving(Lease lease, Hold hold, Optional<Renewal> renewal, long renewAt)
      implements CampaignState {}

  /**
   * A holder whose work was told to end and has not returned. It renews no more.
   *
   * @param lease the lease
   * @param hold how long the lease is proved
   * @param reason why the term ends
   * @param giveUpAt when to report the term as unclean
   * @param reported whether that has been done
   */
  record Draining(Lease lease, Hold hold, EndReason reason, long giveUpAt, boolean reported)
      implements CampaignState {}

  /**
   * A former holder that gives its lease back.
   *
   * @param call the release
   * @param lease the lease
   * @param until how long to wait for the answer
   */
  record Releasing(long call, Lease lease, long until) implements CampaignState {}

  /** Asked to end; waits for the last attempts to be given back. */
  record Closing() implements CampaignState {}

  /** Over. */
  record Closed() implements CampaignState {}

  /**
   * A renewal under way.
   *
   * @param call the call
   * @param sent when it was sent
   */
  record Renewal(long call, Moment sent) {}
}
