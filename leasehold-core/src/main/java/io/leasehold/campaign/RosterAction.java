package io.leasehold.campaign;

import io.leasehold.EndReason;
import io.leasehold.Lease;
import java.util.List;

/** What a roster wants done, in the order in which it wants it. */
public sealed interface RosterAction {

  /**
   * Renew these.
   *
   * @param call identifies the answer
   * @param leases the leases
   */
  record SendRenewAll(long call, List<Lease> leases) implements RosterAction {}

  /**
   * Interrupt a call that was waited for long enough.
   *
   * @param call which call
   */
  record Cancel(long call) implements RosterAction {}

  /**
   * A lease ended, though nobody gave it back. Its tenancy says so already.
   *
   * @param tenancy what ended
   * @param reason why
   */
  record Lost(Tenancy tenancy, EndReason reason) implements RosterAction {}

  /**
   * The store gave no answer, for the first time in this episode.
   *
   * @param cause why
   */
  record StoreAway(Throwable cause) implements RosterAction {}

  /** The store answers again. */
  record StoreBack() implements RosterAction {}
}
