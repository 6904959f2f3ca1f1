package io.leasehold.http;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What was sent in one hour.
 *
 * @param meter the name of the meter
 * @param hour when the hour began
 * @param countedFrom since when requests were counted, if that was after the hour began
 * @param countedUntil until when, if the meter was closed before the hour ended
 * @param entries the counts, largest first
 */
public record HourReport(
    String meter,
    Instant hour,
    Optional<Instant> countedFrom,
    Optional<Instant> countedUntil,
    List<Entry> entries) {

  private static final DateTimeFormatter TO_THE_MINUTE =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm'Z'").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter TIME_OF_DAY =
      DateTimeFormatter.ofPattern("HH:mm:ss'Z'").withZone(ZoneOffset.UTC);

  private static final Comparator<Entry> LARGEST_FIRST =
      Comparator.comparingLong(Entry::count)
          .reversed()
          .thenComparing(Entry::host)
          .thenComparing(Entry::api)
          .thenComparing(Entry::lane);

  /** Puts the entries in order. */
  public HourReport {
    entries = entries.stream().sorted(LARGEST_FIRST).toList();
  }

  /**
   * One host, API and lane.
   *
   * @param host the host, with its port unless that is 80 or 443
   * @param api the API
   * @param lane the lane
   * @param count the requests sent
   */
  public record Entry(String host, String api, String lane, long count) {}

  /**
   * All requests of the hour.
   *
   * @return their number
   */
  public long total() {
    return entries.stream().mapToLong(Entry::count).sum();
  }

  /**
   * The line for the log, such as {@code forge HTTP: 1234 requests in the hour ending
   * 2026-09-30T15:00Z — api.github.com rest merge-gate-sweeper 980, …}. A partial hour says so.
   *
   * @return the line
   */
  public String line() {
    long total = total();
    return "%s HTTP: %d %s in the hour ending %s%s — %s"
        .formatted(
            meter,
            total,
            total == 1 ? "request" : "requests",
            TO_THE_MINUTE.format(hour.plus(Duration.ofHours(1))),
            partial(),
            entries.stream()
                .map(e -> e.host() + " " + e.api() + " " + e.lane() + " " + e.count())
                .collect(Collectors.joining(", ")));
  }

  private String partial() {
    String from = countedFrom.map(i -> "counted from " + TIME_OF_DAY.format(i)).orElse("");
    String until =
        countedUntil.map(i -> "until " + TIME_OF_DAY.format(i) + ", stopping").orElse("");
    if (from.isEmpty() && until.isEmpty()) {
      return "";
    }
    return " (" + from + (from.isEmpty() || until.isEmpty() ? "" : ", ") + until + ")";
  }
}
