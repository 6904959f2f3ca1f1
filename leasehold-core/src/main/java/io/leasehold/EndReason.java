package io.leasehold;

/** Why a term, or the holding of a lease, ended. */
public enum EndReason {
  /** The store refused a renewal: another grant has the name, or the record is gone. */
  SUPERSEDED,
  /** No renewal could be proved within the hold: the store was away or too slow. */
  UNREACHABLE,
  /** The wall clock ran past the hold while the monotonic clock did not: the machine slept. */
  SUSPENDED,
  /** The work returned by itself. */
  WORK_ENDED,
  /** The work threw. */
  WORK_FAILED,
  /** The holder handed over on purpose. */
  YIELDED,
  /** The holder was closed. */
  STOPPED,
  /** Somebody else released the lease: an operator's forced release. */
  FORCED
}
