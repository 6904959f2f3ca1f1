package io.leasehold;

import java.time.Duration;
import java.util.Optional;

/**
 * What an election tells its listeners. {@code Elected} and {@code Ended} come in pairs: one start,
 * one end, never an end without a start.
 */
public sealed interface ElectionEvent {

  /**
   * A term began.
   *
   * @param lease the grant
   */
  record Elected(Lease lease) implements ElectionEvent {}

  /**
   * A renewal was proved.
   *
   * @param lease the lease with its new expiry
   * @param margin how much of the old hold was left
   */
  record Renewed(Lease lease, Duration margin) implements ElectionEvent {}

  /**
   * A renewal was not answered; the term goes on.
   *
   * @param lease the lease
   * @param cause why
   * @param left how much of the hold is left
   */
  record RenewalUnanswered(Lease lease, Throwable cause, Duration left) implements ElectionEvent {}

  /**
   * The work was told that its term is over.
   *
   * @param lease the lease
   * @param reason why
   */
  record Ending(Lease lease, EndReason reason) implements ElectionEvent {}

  /**
   * The term is over: the work has returned, or has not and its hold is over.
   *
   * @param lease the lease
   * @param reason why it ended
   * @param clean whether the work returned before the hold was over
   * @param failure what the work threw
   */
  record Ended(Lease lease, EndReason reason, boolean clean, Optional<Throwable> failure)
      implements ElectionEvent {}

  /**
   * The release after a term was answered.
   *
   * @param lease the lease
   * @param answer the answer
   */
  record Released(Lease lease, ReleaseAnswer answer) implements ElectionEvent {}

  /**
   * The lease could not be given back and runs out by its TTL.
   *
   * @param lease the lease
   * @param cause why
   */
  record NotReleased(Lease lease, Throwable cause) implements ElectionEvent {}

  /**
   * The store gave no answer, for the first time in this episode.
   *
   * @param cause why
   */
  record StoreAway(Throwable cause) implements ElectionEvent {}

  /** The store answers again. */
  record StoreBack() implements ElectionEvent {}

  /**
   * The store showed a token lower than one seen before: it was restored from a backup, or lost
   * writes.
   *
   * @param seen the highest token seen before
   * @param shown the lower token
   */
  record TokenRegressed(FencingToken seen, FencingToken shown) implements ElectionEvent {}

  /**
   * The campaign's state changed.
   *
   * @param from the old state
   * @param to the new state
   * @param why the reason, never empty
   */
  record Moved(String from, String to, String why) implements ElectionEvent {}
}
