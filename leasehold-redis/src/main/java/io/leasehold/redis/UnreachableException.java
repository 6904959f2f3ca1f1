package io.leasehold.redis;

import org.jspecify.annotations.Nullable;

/** A server could not be reached, so nothing was sent to it. */
final class UnreachableException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnreachableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
