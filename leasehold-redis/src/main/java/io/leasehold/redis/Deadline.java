package io.leasehold.redis;

import java.time.Duration;
import java.util.function.LongSupplier;

/** When a call gives up, by a monotonic clock in nanoseconds. */
record Deadline(LongSupplier clock, long end) {

  static Deadline in(Duration time, LongSupplier clock) {
    return new Deadline(clock, clock.getAsLong() + time.toNanos());
  }

  long remainingNanos() {
    return Math.max(0, end - clock.getAsLong());
  }
}
