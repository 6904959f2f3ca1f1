package io.leasehold.journal;

/** How an instance ended. */
public enum Outcome {
  /** Well. */
  COMPLETED(InstanceState.COMPLETED),
  /** Badly. */
  FAILED(InstanceState.FAILED),
  /** Its time was up. */
  TIMED_OUT(InstanceState.TIMED_OUT),
  /** Badly, and undoing it failed too. */
  COMPENSATION_FAILED(InstanceState.COMPENSATION_FAILED);

  private final InstanceState state;

  Outcome(InstanceState state) {
    this.state = state;
  }

  /**
   * The state of an instance that ended so.
   *
   * @return a terminal state
   */
  public InstanceState state() {
    return state;
  }
}
