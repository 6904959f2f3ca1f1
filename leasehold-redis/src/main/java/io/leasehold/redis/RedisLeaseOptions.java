package io.leasehold.redis;

import java.time.Duration;

/**
 * How a {@link RedisLeaseStore} behaves. Start from {@link #defaults()} and change what you need.
 *
 * <pre>{@code
 * RedisLeaseOptions options = RedisLeaseOptions.defaults().prefix("orders").timeout(ofMillis(500));
 * }</pre>
 *
 * <p>Immutable and thread-safe.
 *
 * @param prefix sets these leases apart from everything else in the server, and from the leases of
 *     a store with another prefix; {@code leasehold} by default. 1 to 64 of the characters {@code
 *     A-Z a-z 0-9 _ . / -}
 * @param timeout how long a call waits, for connecting and for its answer together; 2 s by default,
 *     1 ms to 1 h
 * @param signals whether a release is published to those who wait for it; yes by default
 * @param waitForReplicas how many replicas must have a grant before it counts; 0 by default. It
 *     costs a second round trip per grant
 * @param replicaTimeout how long a grant waits for them; 1 s by default, 1 ms to 1 h
 */
public record RedisLeaseOptions(
    String prefix,
    Duration timeout,
    boolean signals,
    int waitForReplicas,
    Duration replicaTimeout) {

  private static final Duration LONGEST = Duration.ofHours(1);

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if one is out of range; the message names it
   */
  public RedisLeaseOptions {
    new LeaseKeys(prefix);
    inRange("timeout", timeout);
    inRange("replicaTimeout", replicaTimeout);
    if (waitForReplicas < 0) {
      throw new IllegalArgumentException("waitForReplicas " + waitForReplicas + " is negative");
    }
  }

  /**
   * The default options.
   *
   * @return the options
   */
  public static RedisLeaseOptions defaults() {
    return new RedisLeaseOptions(
        "leasehold", Duration.ofSeconds(2), true, 0, Duration.ofSeconds(1));
  }

  /**
   * These options with another prefix.
   *
   * @param value the prefix
   * @return the options
   */
  public RedisLeaseOptions prefix(String value) {
    return new RedisLeaseOptions(value, timeout, signals, waitForReplicas, replicaTimeout);
  }

  /**
   * These options with another time-out.
   *
   * @param value 1 ms to 1 h
   * @return the options
   */
  public RedisLeaseOptions timeout(Duration value) {
    return new RedisLeaseOptions(prefix, value, signals, waitForReplicas, replicaTimeout);
  }

  /**
   * These options with signals on or off.
   *
   * @param value whether a release is published
   * @return the options
   */
  public RedisLeaseOptions signals(boolean value) {
    return new RedisLeaseOptions(prefix, timeout, value, waitForReplicas, replicaTimeout);
  }

  /**
   * These options with grants that wait for replicas. When too few have it in time, the grant is
   * given back and the call fails.
   *
   * @param replicas how many replicas must have a grant before it counts
   * @param within how long to wait for them, 1 ms to 1 h
   * @return the options
   */
  public RedisLeaseOptions waitForReplicas(int replicas, Duration within) {
    return new RedisLeaseOptions(prefix, timeout, signals, replicas, within);
  }

  private static void inRange(String what, Duration value) {
    if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          what + " " + value + " is out of range: at least 1 ms and at most 1 h");
    }
  }
}
