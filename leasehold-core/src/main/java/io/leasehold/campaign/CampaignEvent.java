package io.leasehold.campaign;

import io.leasehold.AcquireAnswer;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import java.util.Optional;

/** What happens to a campaign. */
public sealed interface CampaignEvent {

  /** Time passed: the wake-up that was asked for, or any other look at the clock. */
  record TimePassed() implements CampaignEvent {}

  /** The store signalled that the name was released. */
  record Signalled() implements CampaignEvent {}

  /**
   * An acquire was answered.
   *
   * @param call which call
   * @param answer the answer
   */
  record AcquireAnswered(long call, AcquireAnswer answer) implements CampaignEvent {}

  /**
   * A renewal was answered.
   *
   * @param call which call
   * @param answer the answer
   */
  record RenewAnswered(long call, RenewAnswer answer) implements CampaignEvent {}

  /**
   * A release was answered.
   *
   * @param call which call
   * @param answer the answer
   */
  record ReleaseAnswered(long call, ReleaseAnswer answer) implements CampaignEvent {}

  /**
   * An abandon was answered.
   *
   * @param call which call
   */
  record AbandonAnswered(long call) implements CampaignEvent {}

  /**
   * A call will not be answered.
   *
   * @param call which call
   * @param cause why
   * @param mayHaveHappened false only if it certainly did not happen
   */
  record NoAnswer(long call, Throwable cause, boolean mayHaveHappened) implements CampaignEvent {}

  /**
   * The work returned or threw.
   *
   * @param failure what it threw
   */
  record WorkReturned(Optional<Throwable> failure) implements CampaignEvent {}

  /** The holder is asked to hand over. */
  record YieldAsked() implements CampaignEvent {}

  /** The campaign is asked to end. */
  record StopAsked() implements CampaignEvent {}
}
