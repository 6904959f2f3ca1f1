package io.leasehold.sweep;

import io.leasehold.election.Term;

/**
 * What is done with each item. The same item is offered again by later passes and by later terms,
 * and may be offered by two replicas at once for as long as a stalled one has not noticed the end
 * of its term: so it has to be idempotent, or to send {@code term.token()} to what refuses a
 * superseded one.
 *
 * <pre>{@code
 * SweepHandler<Run> handler =
 *     (run, term) -> reconciler.repair(run) ? Outcome.SETTLED : Outcome.OPEN;
 * }</pre>
 *
 * @param <T> an item
 */
@FunctionalInterface
public interface SweepHandler<T> {

  /** What became of an item. */
  enum Outcome {
    /** Nothing is left to do about it. */
    SETTLED,
    /** Something is, and cannot be done now. */
    OPEN
  }

  /**
   * Looks at one item.
   *
   * @param item the item
   * @param term the term it is done in
   * @return what became of it
   * @throws Exception whatever went wrong: it is reported, the item stays open, and the pass goes
   *     on with the next one
   */
  Outcome handle(T item, Term term) throws Exception;
}
