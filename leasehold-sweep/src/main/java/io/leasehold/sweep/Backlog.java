package io.leasehold.sweep;

import java.time.Instant;
import java.util.List;

/**
 * What a sweep goes through: a table, or anything else that can be read by time, newest first.
 *
 * <pre>{@code
 * select * from run
 * where state = 'dead' and updated_at >= :since
 *   and (updated_at, id) < (:before_instant, :before_id)
 * order by updated_at desc, id desc
 * limit :limit
 * }</pre>
 *
 * <p>Called by one thread at a time.
 *
 * @param <T> an item
 */
public interface Backlog<T> {

  /**
   * The next page: the newest items before a position, newest first, among items of one instant the
   * greatest id first. Items older than {@code since} may be among them if they should be looked at
   * for as long as they exist.
   *
   * @param since the oldest instant the sweep looks back to
   * @param before only items strictly before this position; an empty id means strictly older than
   *     its instant
   * @param limit the most items
   * @return the items; fewer than {@code limit} means that there are no more
   * @throws Exception if the page cannot be read; what was covered so far stays covered
   */
  List<T> page(Instant since, Position before, int limit) throws Exception;

  /**
   * Where an item stands: when it last changed, and its id.
   *
   * @param item the item
   * @return its position, with an id that no other item has
   */
  Position position(T item);
}
