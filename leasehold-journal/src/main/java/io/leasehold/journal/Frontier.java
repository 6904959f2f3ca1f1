package io.leasehold.journal;

import java.util.List;
import java.util.Optional;

/**
 * An instance with its whole history. Where to go on is derived from the entries, never remembered:
 * a remembered position and the entries could differ, and then a step would run twice or not at
 * all.
 *
 * <p>Immutable and thread-safe. The questions look at every entry; an owner with many to ask makes
 * an index of its own.
 *
 * @param instance the instance
 * @param entries its entries in the order of their sequence
 */
public record Frontier(Instance instance, List<RecordedEntry> entries) {

  /** Copies the list. */
  public Frontier {
    entries = List.copyOf(entries);
  }

  /**
   * Whether a step need not be done again.
   *
   * @param scope where
   * @param step which step
   * @return whether an attempt at it succeeded
   */
  public boolean isCommitted(Scope scope, int step) {
    return entries.stream()
        .anyMatch(
            entry ->
                entry.outcome() == StepOutcome.SUCCESS
                    && entry.key().step() == step
                    && entry.key().scope().equals(scope));
  }

  /**
   * The entry with a key.
   *
   * @param key the key
   * @return the entry, if there is one
   */
  public Optional<RecordedEntry> find(StepKey key) {
    return entries.stream().filter(entry -> entry.key().equals(key)).findFirst();
  }

  /**
   * The number of the next attempt at a step.
   *
   * @param scope where
   * @param step which step
   * @return one more than the last attempt that was recorded; 1 if there was none
   */
  public int nextAttempt(Scope scope, int step) {
    return 1
        + entries.stream()
            .map(RecordedEntry::key)
            .filter(key -> key.step() == step && key.scope().equals(scope))
            .mapToInt(StepKey::attempt)
            .max()
            .orElse(0);
  }
}
