package io.leasehold;

/** What a store answers to {@link LeaseStore#release}. */
public enum ReleaseAnswer {
  /** The lease was live and is now given back. */
  RELEASED,
  /** The lease had ended before and nobody has taken the name since; nothing changed. */
  ALREADY_ENDED,
  /** Another grant has the name; nothing changed. */
  LOST
}
