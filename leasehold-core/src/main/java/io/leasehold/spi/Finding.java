package io.leasehold.spi;

import java.util.Optional;

/**
 * One thing that was found when a store was looked at.
 *
 * <p>Immutable and thread-safe.
 *
 * @param level how it is
 * @param subject what was looked at, in a word or two: {@code server}, {@code clock}
 * @param text what was found, one line; shows no password
 * @param remedy what to do about it; absent when there is nothing to do
 */
public record Finding(Level level, String subject, String text, Optional<String> remedy) {

  /** How a thing was found. */
  public enum Level {
    /** As it should be. */
    OK,
    /** Leases work, with less than could be had, or with a risk that the text names. */
    WARN,
    /** Leases do not work, or not safely. */
    FAIL
  }

  /**
   * A thing that is as it should be.
   *
   * @param subject what was looked at
   * @param text what was found
   * @return the finding
   */
  public static Finding ok(String subject, String text) {
    return new Finding(Level.OK, subject, text, Optional.empty());
  }

  /**
   * A thing that works with a risk or a lack.
   *
   * @param subject what was looked at
   * @param text what was found
   * @param remedy what to do about it
   * @return the finding
   */
  public static Finding warn(String subject, String text, String remedy) {
    return new Finding(Level.WARN, subject, text, Optional.of(remedy));
  }

  /**
   * A thing that does not work.
   *
   * @param subject what was looked at
   * @param text what was found
   * @param remedy what to do about it
   * @return the finding
   */
  public static Finding fail(String subject, String text, String remedy) {
    return new Finding(Level.FAIL, subject, text, Optional.of(remedy));
  }
}
