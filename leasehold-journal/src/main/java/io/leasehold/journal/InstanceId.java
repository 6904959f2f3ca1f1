package io.leasehold.journal;

import io.leasehold.LeaseName;

/**
 * The id of an instance, such as {@code order/42}: what a journal is kept of, and the name of the
 * lease on it. Ids are compared byte for byte, and what is legal for a {@link LeaseName} is legal
 * here.
 *
 * <p>Immutable and thread-safe.
 *
 * @param value 1 to 255 bytes of UTF-8, not blank, no white space at either end, no control
 *     character
 */
public record InstanceId(String value) {

  /**
   * Checks the id.
   *
   * @throws IllegalArgumentException if it is not legal
   */
  public InstanceId {
    Texts.label("instance id", value);
  }

  /**
   * The id in this text.
   *
   * @param value the text
   * @return the id
   * @throws IllegalArgumentException if it is not legal
   */
  public static InstanceId of(String value) {
    return new InstanceId(value);
  }

  /**
   * The name of the lease on this instance.
   *
   * @return the same text
   */
  public LeaseName leaseName() {
    return LeaseName.of(value);
  }

  /** The text. */
  @Override
  public String toString() {
    return value;
  }
}
