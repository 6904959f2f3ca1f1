package io.leasehold;

import java.util.Optional;

/** What a store answers to {@link LeaseStore#renew}. */
public sealed interface RenewAnswer {

  /**
   * The lease goes on: same token, an expiry no earlier than before.
   *
   * @param lease the lease with its new expiry
   */
  record Renewed(Lease lease) implements RenewAnswer {}

  /**
   * The lease is over: superseded, released, expired, or its record is gone.
   *
   * @param current the record of the name as it is now, if there is one
   */
  record Lost(Optional<LeaseView> current) implements RenewAnswer {}
}
