package io.leasehold.mergegate;

import io.leasehold.http.RateBudget;
import io.leasehold.http.RequestMeter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How fast requests may follow one another. With plenty of budget left there is no brake; below a
 * quarter requests are spread over what is left of the window; below a twentieth nothing is sent
 * until it ends, so that whatever else shares the credential still gets through. A forge that asks
 * to be left alone is left alone.
 */
final class Pace {

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  private final RequestMeter meter;
  private final InstantSource clock;
  private final String host;
  private final boolean on;
  private final ConcurrentMap<String, Instant> pausedUntil = new ConcurrentHashMap<>();

  Pace(RequestMeter meter, InstantSource clock, String host, boolean on) {
    this.meter = meter;
    this.clock = clock;
    this.host = host;
    this.on = on;
  }

  /** Waits as long as the budget asks for, or says that it is not worth waiting. */
  void await(String authorization) throws ForgeException.Busy, InterruptedException {
    Instant now = clock.instant();
    Instant paused = pausedUntil.get(authorization);
    if (paused != null) {
      if (now.isBefore(paused)) {
        throw new ForgeException.Busy("the forge asked for a pause", paused);
      }
      pausedUntil.remove(authorization, paused);
    }
    Optional<RateBudget> budget = meter.budget(host, Optional.of(authorization), "core");
    if (!on || budget.isEmpty() || !now.isBefore(budget.get().reset())) {
      return;
    }
    RateBudget left = budget.get();
    if (left.remaining() * 20 <= left.limit()) {
      throw new ForgeException.Busy(
          "only %d of %d requests are left".formatted(left.remaining(), left.limit()),
          left.reset());
    }
    if (left.remaining() * 4 <= left.limit()) {
      Duration gap = Duration.between(now, left.reset()).dividedBy(left.remaining());
      Thread.sleep(gap.compareTo(LONGEST_WAIT) < 0 ? gap.toMillis() : LONGEST_WAIT.toMillis());
    }
  }

  /** The forge asked for a pause. */
  ForgeException.Busy pause(String authorization, Instant until) {
    pausedUntil.merge(authorization, until, (a, b) -> a.isAfter(b) ? a : b);
    return new ForgeException.Busy("the forge asked for a pause", until);
  }
}
