package io.leasehold.journal;

import io.leasehold.LeaseStoreException;

/**
 * A journal gave no answer. It never means "refused": a refusal is an answer.
 *
 * <p>A writer whose append was not answered sends it again: if the first one did happen, the second
 * is a {@link Refusal.DuplicateKey}. Messages name the journal and the call; they carry no password
 * and no connection string.
 */
public class JournalException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** What is known of the call. */
  private final LeaseStoreException.Outcome outcome;

  /**
   * A call without an answer.
   *
   * @param outcome what is known of the call
   * @param message which journal and call, and what went wrong
   * @param cause what the driver threw
   */
  public JournalException(LeaseStoreException.Outcome outcome, String message, Throwable cause) {
    super(message, cause);
    this.outcome = outcome;
  }

  /**
   * What is known of the call.
   *
   * @return whether it certainly did not happen, or may have
   */
  public final LeaseStoreException.Outcome outcome() {
    return outcome;
  }
}
