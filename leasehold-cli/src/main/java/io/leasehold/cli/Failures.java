package io.leasehold.cli;

import io.leasehold.LeaseStoreException;

/** What a store that does not answer is told as: one line, with the reason under it. */
final class Failures {

  private Failures() {}

  static Refusal unavailable(LeaseStoreException failure) {
    return new Refusal(ExitCodes.UNAVAILABLE, line(failure));
  }

  /** One line. A cause that says more than the message is added. */
  static String line(Throwable failure) {
    String text = String.valueOf(failure.getMessage());
    Throwable cause = failure.getCause();
    String reason = cause == null ? "" : String.valueOf(cause.getMessage());
    if (cause != null && !text.contains(reason)) {
      text = text + ": " + reason;
    }
    return text.replaceAll("\\s*\\R\\s*", " ").strip();
  }
}
