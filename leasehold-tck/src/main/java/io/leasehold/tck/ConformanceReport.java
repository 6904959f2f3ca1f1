package io.leasehold.tck;

import java.util.List;

/**
 * What a run of the suite found, rule by rule, ordered by the rules' ids.
 *
 * @param rules one verdict for each rule
 */
public record ConformanceReport(List<RuleVerdict> rules) {

  /** Copies the list. */
  public ConformanceReport {
    rules = List.copyOf(rules);
  }

  /**
   * Whether no rule failed. A rule that was not claimed does not count against the store.
   *
   * @return whether the store conforms
   */
  public boolean conforms() {
    return with(RuleVerdict.Verdict.FAILED).isEmpty();
  }

  /**
   * The rules that a verdict was given for.
   *
   * @param verdict the verdict
   * @return the rules, in order
   */
  public List<RuleVerdict> with(RuleVerdict.Verdict verdict) {
    return rules.stream().filter(rule -> rule.verdict() == verdict).toList();
  }
}
