package io.leasehold.election;

import io.leasehold.ElectionEvent;
import io.leasehold.LeaseName;

/**
 * Is told of an election's edges.
 *
 * <p>Calls come one at a time, in order, on a thread of the election's own; one that blocks delays
 * later calls and nothing else, one that throws is logged. A listener may close the election or
 * yield its term.
 */
@FunctionalInterface
public interface ElectionListener {

  /**
   * Something happened.
   *
   * @param name what the election is for
   * @param event what happened
   */
  void on(LeaseName name, ElectionEvent event);
}
