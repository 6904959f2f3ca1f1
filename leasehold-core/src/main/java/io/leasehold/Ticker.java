package io.leasehold;

/**
 * A monotonic clock: it never goes back and has no zone. Local deadlines are counted on it; expiry
 * is never decided by it.
 *
 * <p>Implementations are thread-safe.
 */
@FunctionalInterface
public interface Ticker {

  /**
   * Nanoseconds since some fixed instant. Only differences mean something, and they may wrap.
   *
   * @return the reading
   */
  long nanos();

  /**
   * The machine's monotonic clock.
   *
   * @return the ticker
   */
  static Ticker system() {
    return System::nanoTime;
  }
}
