package io.leasehold.cli;

/** Ends a call with one line on standard error and an exit code. */
final class Refusal extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** The exit code. */
  private final int code;

  Refusal(int code, String line) {
    super(line);
    this.code = code;
  }

  int code() {
    return code;
  }
}
