package io.leasehold.sweep;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until it is moved. */
final class VirtualClock implements InstantSource {

  static final Instant START = Instant.parse("2026-09-30T12:00:00Z");

  private Instant now = START;

  void advance(Duration duration) {
    now = now.plus(duration);
  }

  @Override
  public Instant instant() {
    return now;
  }
}
