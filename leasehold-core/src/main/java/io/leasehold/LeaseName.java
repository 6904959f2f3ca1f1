package io.leasehold;

/**
 * The name of a lease, such as {@code merge-gate-sweeper} or {@code order/42}. Names are compared
 * byte for byte on every store: {@code Job} is not {@code job}.
 *
 * <p>Legal is every text of 1 to 255 bytes of UTF-8 that has no control character, no white space
 * at either end, and is not blank. {@code :}, <code>{}</code>, {@code *}, {@code %}, quotes and
 * emoji are legal on every store.
 *
 * <pre>{@code
 * LeaseName name = LeaseName.of("order/42");
 * }</pre>
 *
 * <p>Immutable and thread-safe.
 *
 * @param value the name, exactly as every store keeps it
 */
public record LeaseName(String value) implements Comparable<LeaseName> {

  /** The most bytes of UTF-8 a name may have. */
  public static final int MAX_BYTES = 255;

  /**
   * Checks the name.
   *
   * @throws IllegalArgumentException if the text is not legal; the message names the rule
   */
  public LeaseName {
    LeaseArguments.text("lease name", value, MAX_BYTES);
  }

  /**
   * The name with this text.
   *
   * @param value the text
   * @return the name
   * @throws IllegalArgumentException if the text is not legal; the message names the rule
   */
  public static LeaseName of(String value) {
    return new LeaseName(value);
  }

  @Override
  public int compareTo(LeaseName other) {
    return value.compareTo(other.value);
  }

  /** The name itself. */
  @Override
  public String toString() {
    return value;
  }
}
