package io.leasehold.journal;

/** How a step ended. */
public enum StepOutcome {
  /** It did what it was for; it is not done again. */
  SUCCESS,
  /** It failed; a later attempt has a key of its own. */
  FAILURE,
  /** What it did was undone. */
  COMPENSATED
}
