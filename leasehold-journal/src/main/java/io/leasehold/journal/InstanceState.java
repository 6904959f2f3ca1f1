package io.leasehold.journal;

/** What state an instance is in. */
public enum InstanceState {
  /** Started, and nothing done yet. */
  PENDING(false, true),
  /** Something was done. */
  RUNNING(false, true),
  /** Waiting for something outside; recovery leaves it alone. */
  SUSPENDED(false, false),
  /** Undoing what was done. */
  COMPENSATING(false, true),
  /** Ended well. */
  COMPLETED(true, false),
  /** Ended badly. */
  FAILED(true, false),
  /** Ended because its time was up. */
  TIMED_OUT(true, false),
  /** Ended badly, and undoing it failed too. */
  COMPENSATION_FAILED(true, false);

  private final boolean terminal;
  private final boolean recoverable;

  InstanceState(boolean terminal, boolean recoverable) {
    this.terminal = terminal;
    this.recoverable = recoverable;
  }

  /**
   * Whether the instance has ended, so that nothing can be appended.
   *
   * @return whether it has ended
   */
  public boolean isTerminal() {
    return terminal;
  }

  /**
   * Whether somebody ought to be working on it.
   *
   * @return false for what has ended or is suspended
   */
  public boolean isRecoverable() {
    return recoverable;
  }
}
