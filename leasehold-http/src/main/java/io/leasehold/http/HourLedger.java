package io.leasehold.http;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Cuts the running totals into hours. The request that finds a new hour begun cuts the one before;
 * every other request pays one volatile read. The lock below is taken once an hour.
 *
 * <p>Which of two neighbouring hours a request at the very boundary is booked to is not promised;
 * that it is booked to exactly one is. A wall clock stepped back does not reopen an hour: what is
 * sent then counts for the hour that was reached.
 */
final class HourLedger {

  private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();

  private final String meter;
  private final Map<RequestSeries, Tally> tallies;
  private final AtomicLong hour;

  /** Since when the running hour is counted, if not from its start. Guarded by this. */
  private Instant countedFrom;

  HourLedger(String meter, Map<RequestSeries, Tally> tallies, Instant now) {
    this.meter = meter;
    this.tallies = tallies;
    this.hour = new AtomicLong(Math.floorDiv(now.toEpochMilli(), HOUR_MILLIS));
    this.countedFrom = now;
  }

  /** The report that is due at this time: that of the hour last counted in, once it is over. */
  Optional<HourReport> turn(long nowMillis) {
    long counted = hour.get();
    if (nowMillis < (counted + 1) * HOUR_MILLIS) {
      return Optional.empty();
    }
    return hour.compareAndSet(counted, Math.floorDiv(nowMillis, HOUR_MILLIS))
        ? cut(counted, Optional.empty())
        : Optional.empty();
  }

  /** The report of the running hour, as far as it got. */
  Optional<HourReport> stop(Instant now) {
    return cut(hour.get(), Optional.of(now));
  }

  private synchronized Optional<HourReport> cut(long cutHour, Optional<Instant> until) {
    Instant start = Instant.ofEpochMilli(cutHour * HOUR_MILLIS);
    Optional<Instant> from =
        countedFrom.isAfter(start) ? Optional.of(countedFrom) : Optional.empty();
    countedFrom = until.orElse(start);
    List<HourReport.Entry> entries = entries();
    return entries.isEmpty()
        ? Optional.empty()
        : Optional.of(new HourReport(meter, start, from, until, entries));
  }

  private List<HourReport.Entry> entries() {
    Map<HourReport.Entry, Long> counts = new HashMap<>();
    tallies.forEach(
        (series, tally) -> {
          long fresh = tally.unreported();
          if (fresh > 0) {
            counts.merge(
                new HourReport.Entry(series.address(), series.api(), series.lane(), 0),
                fresh,
                Long::sum);
          }
        });
    List<HourReport.Entry> entries = new ArrayList<>();
    counts.forEach((e, n) -> entries.add(new HourReport.Entry(e.host(), e.api(), e.lane(), n)));
    return entries;
  }
}
