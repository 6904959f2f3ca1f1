package io.leasehold.tck;

import java.util.Optional;

/**
 * What became of one rule.
 *
 * @param id the rule's id, such as {@code L07}
 * @param title what the rule demands, in one line
 * @param verdict whether the store keeps it
 * @param message why not, or why it was not tried; empty when the rule is kept
 * @param failure what the rule threw when it failed: an {@link AssertionError} when the store
 *     answered wrongly, anything else when it gave no answer
 */
public record RuleVerdict(
    String id, String title, Verdict verdict, String message, Optional<Throwable> failure) {

  /** Whether a store keeps a rule. */
  public enum Verdict {
    /** The store keeps the rule. */
    PASSED,
    /** The store breaks the rule. */
    FAILED,
    /** The rule was not shown: the store does not claim it, or there is no way to try it here. */
    NOT_CLAIMED
  }
}
