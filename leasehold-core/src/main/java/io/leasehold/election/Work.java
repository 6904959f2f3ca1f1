package io.leasehold.election;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * What an elected replica does. It runs on a thread of its own, which is interrupted when the term
 * ends; then it should return soon. While it has not returned, its lease is not released, and this
 * candidate is not elected again.
 *
 * <pre>{@code
 * Work work = term -> {
 *   while (!term.awaitEnd(Duration.ofSeconds(10))) {
 *     sweep(term.token());
 *   }
 * };
 * }</pre>
 */
@FunctionalInterface
public interface Work {

  /**
   * Serves one term. Returning ends the term, and the candidate campaigns again after a retry.
   *
   * @param term the term
   * @throws Exception whatever went wrong: it is reported, and the candidate campaigns again after
   *     a retry
   */
  void run(Term term) throws Exception;

  /**
   * Work that runs one pass after another while the term lasts: the first at once, each next one an
   * interval after the one before has returned. The state is made anew for every term, so that
   * nothing is carried over from a term that was lost.
   *
   * @param interval from the end of a pass to the start of the next; more than zero
   * @param newState makes the state of a term
   * @param pass one pass
   * @param <S> the state
   * @return the work
   * @throws IllegalArgumentException if the interval is zero or negative
   */
  static <S> Work everyPass(Duration interval, Supplier<S> newState, Pass<S> pass) {
    if (interval.isZero() || interval.isNegative()) {
      throw new IllegalArgumentException(
          "interval " + interval + " must be more than zero; a net needs room between passes");
    }
    return term -> {
      S state = newState.get();
      do {
        pass.run(term, state);
      } while (!term.awaitEnd(interval));
    };
  }

  /**
   * One pass of a net.
   *
   * @param <S> the state that lasts for one term
   */
  @FunctionalInterface
  interface Pass<S> {

    /**
     * Runs one pass. It should stop early when the term ends.
     *
     * @param term the term
     * @param state the term's state
     * @throws Exception whatever went wrong; it ends the term
     */
    void run(Term term, S state) throws Exception;
  }
}
