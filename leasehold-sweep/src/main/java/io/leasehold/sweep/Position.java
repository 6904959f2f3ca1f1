package io.leasehold.sweep;

import java.time.Instant;

/**
 * A place in a backlog that is read from the newest item to the oldest, and among items of one
 * instant from the greatest id to the smallest. The id breaks ties: without it, items that share
 * their instant with the last one of a page would be skipped.
 *
 * @param instant the instant
 * @param id the id of an item, or empty for the place behind every item of that instant
 */
public record Position(Instant instant, String id) {

  /**
   * The place before which only older items are.
   *
   * @param instant the instant
   * @return the place
   */
  public static Position before(Instant instant) {
    return new Position(instant, "");
  }
}
