package io.leasehold.keeper;

import io.leasehold.EndReason;

/**
 * Is told when a lease ended that nobody gave back.
 *
 * <p>Calls come one at a time on a thread of the keeper's own, after {@link HeldLease#isHeld} has
 * become false. One that blocks delays later calls and nothing else.
 */
@FunctionalInterface
public interface LossListener {

  /**
   * A lease ended.
   *
   * @param lease the lease
   * @param reason why
   */
  void lost(HeldLease lease, EndReason reason);
}
