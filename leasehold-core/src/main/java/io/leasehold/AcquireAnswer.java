package io.leasehold;

/** What a store answers to {@link LeaseStore#acquire}. */
public sealed interface AcquireAnswer {

  /**
   * The name is the caller's.
   *
   * @param lease the grant
   */
  record Granted(Lease lease) implements AcquireAnswer {}

  /**
   * The name is taken, by another grant or by one that lingers; or this very attempt has already
   * had its grant and the grant has ended, in which case nothing remains and a new attempt may be
   * made.
   *
   * @param view who has it and for how long it stays taken
   */
  record Held(LeaseView view) implements AcquireAnswer {}
}
