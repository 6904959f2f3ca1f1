package io.leasehold.journal;

import io.leasehold.LeaseName;

/** The check that the journal's labels share with lease names. */
final class Texts {

  private Texts() {}

  /** A label, if it is as legal as a lease name is. */
  static String label(String what, String value) {
    try {
      return LeaseName.of(value).value();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          String.valueOf(e.getMessage()).replaceFirst("^lease name", what), e);
    }
  }
}
