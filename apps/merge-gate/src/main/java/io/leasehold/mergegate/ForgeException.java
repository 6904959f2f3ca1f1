package io.leasehold.mergegate;

import java.time.Instant;

/** The forge did not do what it was asked. */
class ForgeException extends Exception {

  private static final long serialVersionUID = 1L;

  ForgeException(String message, Throwable cause) {
    super(message, cause);
  }

  ForgeException(String message) {
    super(message);
  }

  /** The forge asked to be left alone for a while, or the budget is nearly gone. */
  static final class Busy extends ForgeException {

    private static final long serialVersionUID = 1L;
    private final transient Instant until;

    Busy(String why, Instant until) {
      super(why + "; nothing is sent until " + until);
      this.until = until;
    }

    Instant until() {
      return until;
    }
  }

  /** The forge answered, and will not do it: asking again will not help soon. */
  static final class Refused extends ForgeException {

    private static final long serialVersionUID = 1L;
    private final int status;

    Refused(String what, int status, String message) {
      super("%s: the forge answered %d (%s)".formatted(what, status, message));
      this.status = status;
    }

    int status() {
      return status;
    }
  }
}
