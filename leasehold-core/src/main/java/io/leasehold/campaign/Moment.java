package io.leasehold.campaign;

import io.leasehold.Ticker;
import java.time.InstantSource;

/**
 * One instant, read off a process's two clocks.
 *
 * @param nanos the monotonic clock, in nanoseconds; may stand still while the machine is suspended
 * @param wallMillis the wall clock, in milliseconds since the epoch; may be stepped either way
 */
public record Moment(long nanos, long wallMillis) {

  private static final long NANOS_PER_MILLI = 1_000_000;

  /**
   * Reads both clocks.
   *
   * @param ticker the monotonic clock
   * @param wall the wall clock
   * @return the moment
   */
  public static Moment read(Ticker ticker, InstantSource wall) {
    return new Moment(ticker.nanos(), wall.millis());
  }

  /**
   * How long ago another moment was by the clock that ran further. A wall clock that was stepped
   * back shortens nothing, since the monotonic clock went on; a monotonic clock that stood still
   * during a suspension hides nothing, since the wall clock went on.
   *
   * @param earlier the other moment
   * @return nanoseconds
   */
  public long nanosSince(Moment earlier) {
    return Math.max(ticksSince(earlier), wallNanosSince(earlier));
  }

  /**
   * How long ago another moment was by the monotonic clock alone.
   *
   * @param earlier the other moment
   * @return nanoseconds
   */
  public long ticksSince(Moment earlier) {
    return nanos - earlier.nanos;
  }

  private long wallNanosSince(Moment earlier) {
    long millis = wallMillis - earlier.wallMillis;
    return millis > Long.MAX_VALUE / NANOS_PER_MILLI ? Long.MAX_VALUE : millis * NANOS_PER_MILLI;
  }
}
