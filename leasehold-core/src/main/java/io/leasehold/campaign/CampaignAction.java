package io.leasehold.campaign;

import io.leasehold.ElectionEvent;
import io.leasehold.EndReason;
import io.leasehold.Lease;
import java.time.Duration;

/** What a campaign wants done, in the order in which it wants it. */
public sealed interface CampaignAction {

  /**
   * Send an acquire.
   *
   * @param call identifies the answer
   * @param attempt the attempt id
   */
  record SendAcquire(long call, String attempt) implements CampaignAction {}

  /**
   * Send a renewal.
   *
   * @param call identifies the answer
   * @param lease what to renew
   */
  record SendRenew(long call, Lease lease) implements CampaignAction {}

  /**
   * Send a release.
   *
   * @param call identifies the answer
   * @param lease what to release
   * @param linger how long after the grant the name stays taken
   */
  record SendRelease(long call, Lease lease, Duration linger) implements CampaignAction {}

  /**
   * Give back what an attempt may have taken.
   *
   * @param call identifies the answer
   * @param attempt the attempt
   */
  record SendAbandon(long call, String attempt) implements CampaignAction {}

  /**
   * Interrupt a call whose answer has been waited for long enough.
   *
   * @param call which call
   */
  record Cancel(long call) implements CampaignAction {}

  /**
   * Start the work of a term.
   *
   * @param lease the grant
   * @param hold how long it may serve as things stand
   */
  record StartWork(Lease lease, Hold hold) implements CampaignAction {}

  /**
   * The term goes on: a renewal was proved.
   *
   * @param lease the lease with its new expiry
   * @param hold how long it may serve now
   */
  record ExtendWork(Lease lease, Hold hold) implements CampaignAction {}

  /**
   * Tell the work that its term is over.
   *
   * @param reason why
   */
  record EndWork(EndReason reason) implements CampaignAction {}

  /**
   * Tell whoever listens.
   *
   * @param event what happened
   */
  record Tell(ElectionEvent event) implements CampaignAction {}

  /**
   * Report {@link CampaignEvent.TimePassed} no later than at this reading of the monotonic clock.
   *
   * @param nanos the reading
   */
  record WakeAt(long nanos) implements CampaignAction {}

  /** The campaign is over. It takes no more events but late grants, which it abandons. */
  record Close() implements CampaignAction {}
}
