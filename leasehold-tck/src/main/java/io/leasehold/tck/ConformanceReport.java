package io.leasehold.tck;

import io.leasehold.tck.RuleResult.Verdict;
import java.util.Comparator;
import java.util.List;

/**
 * What the conformance suite found about a store.
 *
 * @param results one result per rule, by id
 */
public record ConformanceReport(List<RuleResult> results) {

  /** Sorts by id. */
  public ConformanceReport {
    results = results.stream().sorted(Comparator.comparing(RuleResult::rule)).toList();
  }

  /**
   * The results with one verdict.
   *
   * @param verdict which
   * @return the results, by id
   */
  public List<RuleResult> with(Verdict verdict) {
    return results.stream().filter(result -> result.verdict() == verdict).toList();
  }

  /**
   * Whether the store keeps every rule that could be shown.
   *
   * @return whether no rule is broken or failed, and at least one holds
   */
  public boolean conforms() {
    return with(Verdict.BROKEN).isEmpty()
        && with(Verdict.FAILED).isEmpty()
        && !with(Verdict.HOLDS).isEmpty();
  }
}
