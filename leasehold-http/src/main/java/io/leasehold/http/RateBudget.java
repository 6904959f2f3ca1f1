package io.leasehold.http;

import java.time.Instant;

/**
 * What a host last said is left of a caller's rate limit.
 *
 * @param host the host, in lower case
 * @param credential a fingerprint of the credential the limit belongs to, never the credential
 *     itself; {@code anonymous} for a request without one
 * @param resource what is limited, such as {@code core} or {@code graphql}; {@code default} where
 *     the host does not say
 * @param limit the requests allowed in a window
 * @param remaining how many of them are left
 * @param reset when the window ends and the limit is whole again
 * @param seen when this was said, by the meter's clock
 */
public record RateBudget(
    String host,
    String credential,
    String resource,
    long limit,
    long remaining,
    Instant reset,
    Instant seen) {

  /**
   * What is left at an instant: all of it once the window is over.
   *
   * @param now the instant
   * @return the requests left
   */
  public long remainingAt(Instant now) {
    return now.isBefore(reset) ? remaining : limit;
  }
}
