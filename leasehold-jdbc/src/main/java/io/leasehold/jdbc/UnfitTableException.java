package io.leasehold.jdbc;

/**
 * The lease table is missing, or cannot keep leases; the message is one sentence with the remedy.
 */
final class UnfitTableException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  UnfitTableException(String message) {
    super(message);
  }
}
