package io.leasehold;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * The argument checks that every store shares. A store calls these before it sends anything, so
 * that an unusable argument is refused in the same words everywhere and nothing is lost.
 *
 * <p>Each method returns its argument, in the form in which stores keep it.
 */
public final class LeaseArguments {

  /** The shortest TTL a store accepts: 1 ms. */
  public static final Duration MIN_TTL = Duration.ofMillis(1);

  /** The longest TTL a store accepts: 366 days. */
  public static final Duration MAX_TTL = Duration.ofDays(366);

  /** The most bytes of UTF-8 an owner may have. */
  public static final int MAX_OWNER_BYTES = 255;

  /** The most bytes of UTF-8 an attempt id may have. */
  public static final int MAX_ATTEMPT_BYTES = 64;

  private LeaseArguments() {}

  /**
   * A TTL, cut to whole milliseconds.
   *
   * @param ttl 1 ms to 366 days
   * @return the TTL in whole milliseconds
   * @throws IllegalArgumentException if the TTL is out of range
   */
  public static Duration ttl(Duration ttl) {
    if (ttl.compareTo(MIN_TTL) < 0 || ttl.compareTo(MAX_TTL) > 0) {
      throw new IllegalArgumentException(
          "ttl " + ttl + " is out of range: at least 1 ms and at most 366 days");
    }
    return Duration.ofMillis(ttl.toMillis());
  }

  /**
   * A linger, cut to whole milliseconds.
   *
   * @param linger 0 to 366 days
   * @return the linger in whole milliseconds
   * @throws IllegalArgumentException if the linger is out of range
   */
  public static Duration linger(Duration linger) {
    return upTo366Days("linger", linger);
  }

  /**
   * How long a record must have ended before it may be reclaimed, cut to whole milliseconds.
   *
   * @param endedFor 0 to 366 days
   * @return the duration in whole milliseconds
   * @throws IllegalArgumentException if the duration is out of range
   */
  public static Duration endedFor(Duration endedFor) {
    return upTo366Days("endedFor", endedFor);
  }

  /**
   * An owner: who holds a lease, shown to operators.
   *
   * @param owner 1 to 255 bytes of UTF-8, not blank, no white space at either end, no control
   *     character
   * @return the owner
   * @throws IllegalArgumentException if the owner is not legal
   */
  public static String owner(String owner) {
    return text("owner", owner, MAX_OWNER_BYTES);
  }

  /**
   * An attempt id: it names one acquisition attempt, for ever.
   *
   * @param attempt 1 to 64 bytes of UTF-8, not blank, no white space at either end, no control
   *     character
   * @return the attempt id
   * @throws IllegalArgumentException if the attempt id is not legal
   */
  public static String attempt(String attempt) {
    return text("attempt", attempt, MAX_ATTEMPT_BYTES);
  }

  /**
   * A prefix of names. The empty prefix matches every name.
   *
   * @param prefix 0 to 255 bytes of UTF-8, no control character
   * @return the prefix
   * @throws IllegalArgumentException if the prefix is not legal
   */
  public static String prefix(String prefix) {
    encodable("prefix", prefix, LeaseName.MAX_BYTES);
    return prefix;
  }

  static String text(String what, String value, int maxBytes) {
    if (value.isEmpty()) {
      throw new IllegalArgumentException(what + " is empty; give it at least one character");
    }
    encodable(what, value, maxBytes);
    if (isSpace(value.codePointAt(0)) || isSpace(value.codePointBefore(value.length()))) {
      throw new IllegalArgumentException(
          what + " '" + value + "' is blank or has white space at an end; trim it");
    }
    return value;
  }

  private static void encodable(String what, String value, int maxBytes) {
    for (int i = 0; i < value.length(); i += Character.charCount(value.codePointAt(i))) {
      int codePoint = value.codePointAt(i);
      if (Character.isISOControl(codePoint)) {
        throw new IllegalArgumentException(
            String.format("%s has the control character U+%04X at %d", what, codePoint, i));
      }
      if (Character.MIN_SURROGATE <= codePoint && codePoint <= Character.MAX_SURROGATE) {
        throw new IllegalArgumentException(
            what + " has half of a surrogate pair at " + i + "; UTF-8 cannot hold it");
      }
    }
    int bytes = value.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > maxBytes) {
      throw new IllegalArgumentException(
          what + " has " + bytes + " bytes of UTF-8; at most " + maxBytes + " are allowed");
    }
  }

  private static boolean isSpace(int codePoint) {
    return Character.isWhitespace(codePoint) || Character.isSpaceChar(codePoint);
  }

  private static Duration upTo366Days(String what, Duration value) {
    if (value.isNegative() || value.compareTo(MAX_TTL) > 0) {
      throw new IllegalArgumentException(
          what + " " + value + " is out of range: at least zero and at most 366 days");
    }
    return Duration.ofMillis(value.toMillis());
  }
}
