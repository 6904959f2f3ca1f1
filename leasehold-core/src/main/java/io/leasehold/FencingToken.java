package io.leasehold;

/**
 * The fencing token of a grant: strictly greater at every grant of a name, for ever. A resource
 * that remembers the highest token it has seen (its <em>fence</em>) can refuse a lower one.
 *
 * <p>Tokens stay below 2<sup>53</sup>, so that JSON and Lua numbers hold them exactly.
 *
 * <p>Immutable and thread-safe.
 *
 * @param value 1 to {@value #MAX_VALUE}
 */
public record FencingToken(long value) implements Comparable<FencingToken> {

  /** The greatest token, 2<sup>53</sup> - 1. */
  public static final long MAX_VALUE = (1L << 53) - 1;

  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException if the value is not between 1 and {@value #MAX_VALUE}
   */
  public FencingToken {
    if (value < 1 || value > MAX_VALUE) {
      throw new IllegalArgumentException(
          "fencing token " + value + " is out of range: 1 to " + MAX_VALUE);
    }
  }

  /**
   * Whether this token supersedes another: it was granted later.
   *
   * @param other the other token of the same name
   * @return whether this one is greater
   */
  public boolean supersedes(FencingToken other) {
    return value > other.value;
  }

  @Override
  public int compareTo(FencingToken other) {
    return Long.compare(value, other.value);
  }

  /** The number in decimal. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
