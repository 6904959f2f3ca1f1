package io.leasehold.http;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Everything a meter has counted so far.
 *
 * @param since when it began to count
 * @param taken when the snapshot was taken
 * @param counts the counts, one per series, largest first
 * @param budgets the rate limits last seen, of every host and credential
 */
public record MeterSnapshot(
    Instant since, Instant taken, List<Count> counts, List<RateBudget> budgets) {

  /** Copies the lists. */
  public MeterSnapshot {
    counts = List.copyOf(counts);
    budgets = List.copyOf(budgets);
  }

  /**
   * What was counted of one series.
   *
   * @param series the series
   * @param requests the requests sent, those that found no connection included
   * @param unconnected how many of them found no connection, and so reached no server
   * @param answers the answers by status; requests without an answer are in none
   */
  public record Count(
      RequestSeries series, long requests, long unconnected, Map<Integer, Long> answers) {

    /** Copies the map. */
    public Count {
      answers = Map.copyOf(answers);
    }
  }

  /**
   * All requests sent.
   *
   * @return their number
   */
  public long requests() {
    return counts.stream().mapToLong(Count::requests).sum();
  }

  /**
   * The requests that found no connection.
   *
   * @return their number
   */
  public long unconnected() {
    return counts.stream().mapToLong(Count::unconnected).sum();
  }

  /**
   * The answers with a status.
   *
   * @param status the status, such as 304
   * @return their number
   */
  public long answers(int status) {
    return counts.stream().mapToLong(c -> c.answers().getOrDefault(status, 0L)).sum();
  }
}
