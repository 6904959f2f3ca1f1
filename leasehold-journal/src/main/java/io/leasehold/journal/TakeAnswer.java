package io.leasehold.journal;

import io.leasehold.FencingToken;
import io.leasehold.LeaseView;

/** What became of an attempt to own an instance. */
public sealed interface TakeAnswer {

  /**
   * The instance is the caller's: its lease is held and renewed, its fence is raised, and its
   * history is final.
   *
   * @param ownership to be closed
   */
  record Owned(Ownership ownership) implements TakeAnswer {}

  /**
   * Somebody else's lease is on it.
   *
   * @param view who has it, and for how long
   */
  record Held(LeaseView view) implements TakeAnswer {}

  /**
   * The journal has admitted a higher token than the one just granted, so it is somebody else's. It
   * may also mean that the store of leases was restored from an old backup; then it repeats until
   * the tokens have caught up.
   *
   * @param presented the token just granted; its lease was given back
   * @param fence the higher one
   */
  record FencedOut(FencingToken presented, FencingToken fence) implements TakeAnswer {}

  /**
   * There is no such instance. The lease was given back.
   *
   * @param instance the id
   */
  record NotFound(InstanceId instance) implements TakeAnswer {}
}
