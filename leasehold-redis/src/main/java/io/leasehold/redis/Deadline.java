package io.leasehold.redis;

import io.leasehold.Ticker;
import java.time.Duration;

/** When a call gives up, by a monotonic clock in nanoseconds. */
record Deadline(Ticker ticker, long end) {

  static Deadline in(Duration time, Ticker ticker) {
    return new Deadline(ticker, ticker.nanos() + time.toNanos());
  }

  long remainingNanos() {
    return Math.max(0, end - ticker.nanos());
  }
}
