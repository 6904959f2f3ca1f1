package io.leasehold.cli;

/** What an exit code of leasehold's own means. {@code run} else passes the command's code on. */
final class ExitCodes {

  static final int OK = 0;

  /** The answer is no: nobody holds the name, or a rule of the suite does not hold. */
  static final int NO = 1;

  /** The command line cannot be meant so. */
  static final int USAGE = 2;

  /** The store did not answer ({@code EX_UNAVAILABLE}). */
  static final int UNAVAILABLE = 69;

  /** Something failed here ({@code EX_SOFTWARE}). */
  static final int FAILED = 70;

  /** The name is taken; try again later ({@code EX_TEMPFAIL}). */
  static final int TAKEN = 75;

  /** The lease was lost while the command ran. */
  static final int LOST = 76;

  /** The command cannot be run, as in a shell. */
  static final int NOT_EXECUTABLE = 126;

  /** There is no such command, as in a shell. */
  static final int NOT_FOUND = 127;

  /** Added to the number of the signal that ended something, as in a shell. */
  static final int SIGNAL = 128;

  private ExitCodes() {}
}
