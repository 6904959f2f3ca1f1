package io.leasehold.keeper;

import io.leasehold.LeaseView;

/** What became of an attempt to take a lease. */
public sealed interface Claim {

  /**
   * The lease is held, and renewed until it is closed or lost.
   *
   * @param lease the lease
   */
  record Won(HeldLease lease) implements Claim {}

  /**
   * The name is taken.
   *
   * @param view who has it, and for how long it stays taken
   */
  record Refused(LeaseView view) implements Claim {}
}
