package io.leasehold.tck;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** How long a wrong store leaves a race open: so long that a race is never missed. */
final class Races {

  private Races() {}

  static void window() {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
  }
}
