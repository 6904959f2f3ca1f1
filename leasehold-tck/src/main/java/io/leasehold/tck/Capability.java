package io.leasehold.tck;

/**
 * What not every store can do, or not every database allows the suite to do. A fixture declares
 * what is missing in {@link LeaseStoreFixture#lacks()}; the rules that need it are then aborted
 * with the reason, so that the report says what was not shown.
 */
public enum Capability {

  /** Several store objects, in any number of processes, work on one database. */
  SHARED,

  /** Expiry is decided by the database's clock; the clock of a caller changes nothing. */
  OWN_CLOCK,

  /** Subscribers are told of releases. */
  SIGNALS,

  /**
   * Ended records may be deleted: the database belongs to the suite alone. A fixture on a live
   * store lacks it, because reclaiming would delete the records of others.
   */
  RECLAIM
}
