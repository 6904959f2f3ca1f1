package io.leasehold.tck;

/**
 * What became of one rule.
 *
 * @param rule the rule's id, such as {@code L07}; SPEC.md has a section of that name
 * @param title what the rule guarantees
 * @param verdict whether the store keeps it
 * @param detail why not, in one or more lines; empty where the rule holds
 */
public record RuleResult(String rule, String title, Verdict verdict, String detail) {

  /** Whether a store keeps a rule. */
  public enum Verdict {
    /** The store keeps the rule. */
    HOLDS,
    /** An answer of the store broke the rule. */
    BROKEN,
    /** The rule could not be judged: a call threw, or did not return. */
    FAILED,
    /** The store lacks what the rule is about, or the fixture has no way to show it. */
    NOT_SHOWN
  }
}
