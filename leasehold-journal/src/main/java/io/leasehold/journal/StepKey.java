package io.leasehold.journal;

/**
 * The key of an entry. Two entries with one key would be one step done twice, so the second is
 * refused.
 *
 * <p>Immutable and thread-safe.
 *
 * @param instance whose step
 * @param scope where it ran
 * @param step which step of the scope, from 0
 * @param attempt which try at the step, from 1
 */
public record StepKey(InstanceId instance, Scope scope, int step, int attempt) {

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if the step is negative or the attempt below 1
   */
  public StepKey {
    if (step < 0) {
      throw new IllegalArgumentException("step " + step + " is negative; steps count from 0");
    }
    if (attempt < 1) {
      throw new IllegalArgumentException(
          "attempt " + attempt + " is out of range; attempts count from 1");
    }
  }

  /**
   * The first attempt at a step of the root scope.
   *
   * @param instance whose step
   * @param step which step, from 0
   * @return the key
   */
  public static StepKey of(InstanceId instance, int step) {
    return new StepKey(instance, Scope.ROOT, step, 1);
  }

  /** Such as {@code order/42 -/3 step 7 attempt 1}. */
  @Override
  public String toString() {
    return instance + " " + scope + " step " + step + " attempt " + attempt;
  }
}
