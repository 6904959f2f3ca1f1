package io.leasehold.sweep;

import java.time.Duration;
import java.time.Instant;

/**
 * What one pass did.
 *
 * @param depth how far back it looked
 * @param since the oldest instant of its window
 * @param from where it began
 * @param reached how far it got: everything between {@code from} and here was offered
 * @param pages the pages it read
 * @param items the items it offered
 * @param settled how many of them were settled
 * @param took how long it took
 * @param end why it ended
 */
public record PassReport(
    Depth depth,
    Instant since,
    Position from,
    Position reached,
    int pages,
    int items,
    int settled,
    Duration took,
    End end) {

  /** How far back a pass looks. */
  public enum Depth {
    /** As far as the lookback. */
    ORDINARY,
    /** As far as the horizon, in one pass or in several. */
    DEEP
  }

  /** Why a pass ended. */
  public enum End {
    /** The window is covered. */
    COVERED,
    /** It read as many pages as a pass may, and there are more. */
    OUT_OF_PAGES,
    /** A page could not be read. */
    PAGE_FAILED,
    /** A full page led nowhere: the backlog does not honour the position. */
    STALLED,
    /** The term ended. */
    TERM_ENDED
  }

  /** Whether it got anywhere. */
  boolean moved() {
    return !reached.equals(from);
  }
}
