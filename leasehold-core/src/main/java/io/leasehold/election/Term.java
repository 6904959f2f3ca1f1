package io.leasehold.election;

import io.leasehold.FencingToken;
import io.leasehold.LeaseName;
import java.time.Duration;

/**
 * The time a candidate serves, as its work sees it.
 *
 * <p>{@link #isHeld} and {@link #remaining} look at the clocks themselves: they are right even when
 * every other thread of the election is starved. They cannot stop a process that is paused right
 * after it looked; for that, send {@link #token} with every write, to something that refuses lower
 * ones.
 *
 * <p>Thread-safe.
 */
public interface Term {

  /**
   * What is held.
   *
   * @return the name
   */
  LeaseName name();

  /**
   * Who holds it.
   *
   * @return the owner
   */
  String owner();

  /**
   * The fencing token to send with every write of this term.
   *
   * @return the token
   */
  FencingToken token();

  /**
   * Whether the term goes on. Once false, it stays false.
   *
   * @return whether the work may go on
   */
  boolean isHeld();

  /**
   * How long the term lasts if no further renewal succeeds: until the work is told to end, which is
   * {@code grace} before the hold is over. Renewals move it.
   *
   * @return the time left; zero once the term has ended
   */
  Duration remaining();

  /**
   * Waits for the end of the term.
   *
   * @param timeout at most how long; zero or less looks without waiting
   * @return whether the term has ended
   * @throws InterruptedException if the thread was interrupted, as the work's own thread is at the
   *     end of its term
   */
  boolean awaitEnd(Duration timeout) throws InterruptedException;
}
