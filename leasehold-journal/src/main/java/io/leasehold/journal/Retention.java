package io.leasehold.journal;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How long ended instances and published events are kept. Instances that have not ended, suspended
 * ones among them, are never deleted, and neither is one that still owes an event.
 *
 * <p>Immutable and thread-safe.
 *
 * @param fallback for flows that have no windows of their own
 * @param flows windows by flow
 * @param publishedEvents how long a published event is kept, if its instance is
 */
public record Retention(Windows fallback, Map<String, Windows> flows, Duration publishedEvents) {

  /**
   * How long ended instances of a flow are kept.
   *
   * @param completed those that ended well; empty keeps them for ever
   * @param failed those that ended in any other way; empty keeps them for ever
   */
  public record Windows(Optional<Duration> completed, Optional<Duration> failed) {

    /**
     * Checks the durations.
     *
     * @throws IllegalArgumentException if one is negative
     */
    public Windows {
      completed.ifPresent(window -> notNegative("completed", window));
      failed.ifPresent(window -> notNegative("failed", window));
    }

    /**
     * Both windows.
     *
     * @param completed for instances that ended well
     * @param failed for the others
     * @return the windows
     */
    public static Windows of(Duration completed, Duration failed) {
      return new Windows(Optional.of(completed), Optional.of(failed));
    }

    /**
     * Nothing is deleted.
     *
     * @return the windows
     */
    public static Windows forEver() {
      return new Windows(Optional.empty(), Optional.empty());
    }
  }

  /**
   * Checks the duration and copies the map.
   *
   * @throws IllegalArgumentException if the duration is negative
   */
  public Retention {
    flows = Map.copyOf(flows);
    notNegative("publishedEvents", publishedEvents);
  }

  /**
   * 30 days for what completed, 180 days for what failed, 7 days for published events.
   *
   * @return the default
   */
  public static Retention standard() {
    return new Retention(
        Windows.of(Duration.ofDays(30), Duration.ofDays(180)), Map.of(), Duration.ofDays(7));
  }

  /**
   * The same with windows for one flow.
   *
   * @param flow the flow
   * @param windows its windows
   * @return the retention
   */
  public Retention with(String flow, Windows windows) {
    Map<String, Windows> all = new HashMap<>(flows);
    all.put(flow, windows);
    return new Retention(fallback, all, publishedEvents);
  }

  /**
   * The windows of a flow.
   *
   * @param flow the flow
   * @return its own, or the fallback
   */
  public Windows windows(String flow) {
    return flows.getOrDefault(flow, fallback);
  }

  private static void notNegative(String what, Duration window) {
    if (window.isNegative()) {
      throw new IllegalArgumentException("the window " + what + " of " + window + " is negative");
    }
  }
}
