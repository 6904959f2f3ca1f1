package io.leasehold.mergegate;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until it is moved; several threads may look at it. */
final class MovableClock implements InstantSource {

  private volatile Instant now = Instant.now();

  void advance(Duration duration) {
    now = now.plus(duration);
  }

  @Override
  public Instant instant() {
    return now;
  }
}
