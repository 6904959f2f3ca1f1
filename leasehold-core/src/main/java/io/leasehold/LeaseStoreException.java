package io.leasehold;

/**
 * A store gave no answer. It never means "refused": a refusal is an answer.
 *
 * <p>Messages name the store and the call; they carry no password and no connection string.
 */
public class LeaseStoreException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** What is known of the call that was not answered. */
  public enum Outcome {
    /** It certainly did not happen: the store was never reached, or said that it did nothing. */
    NOT_APPLIED,
    /** It may have happened, now or later: the answer was lost. */
    UNKNOWN
  }

  /** What is known of the call. */
  private final Outcome outcome;

  /**
   * A call without an answer.
   *
   * @param outcome what is known of the call
   * @param message which store and call, and what went wrong
   */
  public LeaseStoreException(Outcome outcome, String message) {
    super(message);
    this.outcome = outcome;
  }

  /**
   * A call without an answer.
   *
   * @param outcome what is known of the call
   * @param message which store and call, and what went wrong
   * @param cause what the driver threw
   */
  public LeaseStoreException(Outcome outcome, String message, Throwable cause) {
    super(message, cause);
    this.outcome = outcome;
  }

  /**
   * What is known of the call.
   *
   * @return whether it certainly did not happen, or may have
   */
  public final Outcome outcome() {
    return outcome;
  }
}
