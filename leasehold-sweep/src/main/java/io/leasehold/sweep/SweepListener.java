package io.leasehold.sweep;

import java.time.Duration;

/**
 * Told what a sweep does. Called on the thread that sweeps, one call at a time; what it throws is
 * reported to the log and changes nothing.
 *
 * <pre>{@code
 * SweepListener<Run> listener = new SweepListener<>() {
 *   public void lastChance(Run run) { alarm("giving up on " + run.id()); }
 * };
 * }</pre>
 *
 * @param <T> an item
 */
public interface SweepListener<T> {

  /**
   * A pass ended.
   *
   * @param report what it did
   */
  default void passed(PassReport report) {}

  /**
   * A page could not be read. The pass ends here; what it covered stays covered.
   *
   * @param before where the page should have begun
   * @param failure what went wrong
   */
  default void pageFailed(Position before, Exception failure) {}

  /**
   * A full page ended where it began, or where an earlier page of the pass did. Going on would
   * loop; the pass ends here.
   *
   * @param before where it began
   */
  default void stalled(Position before) {}

  /**
   * A whole look back to the horizon is done.
   *
   * @param took how long it took, from its first pass to its last
   */
  default void traversed(Duration took) {}

  /**
   * An item could not be looked at. It stays open.
   *
   * @param item the item
   * @param failure what went wrong
   */
  default void itemFailed(T item, Exception failure) {}

  /**
   * An open item is about to leave the horizon, and may not be seen again. Told once per item and
   * term.
   *
   * @param item the item
   */
  default void lastChance(T item) {}

  /**
   * A listener that writes to the log: a warning when pages begin to fail, and one line when they
   * can be read again; a warning for a stalled page, a failed item and a last chance; passes at
   * debug.
   *
   * @param name the name of the sweep, for the log
   * @param <T> an item
   * @return the listener
   */
  static <T> SweepListener<T> logging(String name) {
    return new LoggingSweepListener<>(name);
  }
}
