package io.leasehold.redis;

import java.util.Optional;

/**
 * One thing a store found out about the server it was pointed at, in words for an operator.
 *
 * <p>Immutable and thread-safe.
 *
 * @param server which server of the store, as {@code host:port}; the store itself for what concerns
 *     all of them
 * @param subject what was looked at, such as {@code eviction}
 * @param level how good or bad it is
 * @param text what was found and what follows from it
 * @param remedy what to do about it, if there is anything to do
 */
public record RedisFinding(
    String server, String subject, Level level, String text, Optional<String> remedy) {

  /** How good or bad a finding is. */
  public enum Level {
    /** As it should be. */
    OK,
    /** Leases work, but promise less than they could. */
    WARN,
    /** Leases do not work, or promise nothing. */
    FAIL,
    /** The server does not tell. */
    UNKNOWN
  }

  /** The finding in one line. */
  @Override
  public String toString() {
    return server + " " + subject + ": " + text + remedy.map(what -> "; " + what).orElse("");
  }
}
