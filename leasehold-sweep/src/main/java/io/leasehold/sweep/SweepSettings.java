package io.leasehold.sweep;

import java.time.Duration;

/**
 * How a sweep goes about it. Everything is checked when the settings are built; one that makes no
 * sense is refused, by name, and never silently corrected.
 *
 * <pre>{@code
 * SweepSettings settings = SweepSettings.builder().interval(Duration.ofSeconds(30)).build();
 * }</pre>
 *
 * @param interval from the start of one pass to the start of the next; 60 s by default, at least 1
 *     s, and less than half the horizon
 * @param lookback how far back an ordinary pass looks; 60 min by default, more than interval plus
 *     grace, less than the horizon
 * @param horizon how far back a deep pass looks; 192 h by default, at most 3,660 days
 * @param grace how young an item may be for the sweep to leave it to the event path; 3 min by
 *     default, zero or more
 * @param deepEvery every how many passes one goes deep; 30 by default, at least 1; times the
 *     interval it is less than half the horizon
 * @param pageSize how many items are read at once; 200 by default, 1 to 10,000
 * @param maxPages how many pages a pass reads at most; 10 by default, 1 to 10,000
 */
public record SweepSettings(
    Duration interval,
    Duration lookback,
    Duration horizon,
    Duration grace,
    int deepEvery,
    int pageSize,
    int maxPages) {

  /** The shortest interval. */
  public static final Duration MIN_INTERVAL = Duration.ofSeconds(1);

  /** The longest horizon. */
  public static final Duration MAX_HORIZON = Duration.ofDays(3_660);

  private static final int MAX_COUNT = 10_000;

  /**
   * Checks the settings.
   *
   * @throws IllegalArgumentException if one makes no sense; the message names it
   */
  public SweepSettings {
    refuseIf(
        !isPositive(horizon) || horizon.compareTo(MAX_HORIZON) > 0,
        "horizon",
        horizon,
        "must be more than zero and at most " + MAX_HORIZON);
    refuseIf(interval.compareTo(MIN_INTERVAL) < 0, "interval", interval, "must be at least 1 s");
    refuseIf(
        interval.compareTo(horizon) >= 0 || interval.multipliedBy(2).compareTo(horizon) >= 0,
        "interval",
        interval,
        "must be less than half the horizon (" + horizon + ")");
    refuseIf(grace.isNegative(), "grace", grace, "must be zero or more");
    refuseIf(
        grace.compareTo(horizon) >= 0,
        "grace",
        grace,
        "must be less than the horizon (" + horizon + ")");
    refuseIf(
        lookback.compareTo(interval.plus(grace)) <= 0,
        "lookback",
        lookback,
        "must be more than interval (" + interval + ") plus grace (" + grace + ")");
    refuseIf(
        lookback.compareTo(horizon) >= 0,
        "lookback",
        lookback,
        "must be less than the horizon (" + horizon + ")");
    refuseIf(deepEvery < 1, "deepEvery", deepEvery, "must be at least 1");
    // The interval is below 1,830 days and deepEvery an int: the product cannot overflow.
    refuseIf(
        interval.multipliedBy(deepEvery).multipliedBy(2).compareTo(horizon) >= 0,
        "deepEvery",
        deepEvery,
        "times the interval ("
            + interval
            + ") must be less than half the horizon ("
            + horizon
            + ")");
    refuseIf(
        pageSize < 1 || pageSize > MAX_COUNT, "pageSize", pageSize, "must be 1 to " + MAX_COUNT);
    refuseIf(
        maxPages < 1 || maxPages > MAX_COUNT, "maxPages", maxPages, "must be 1 to " + MAX_COUNT);
  }

  /**
   * The default settings.
   *
   * @return the settings
   */
  public static SweepSettings ofDefaults() {
    return builder().build();
  }

  /**
   * Settings to be changed.
   *
   * @return a builder that holds the defaults
   */
  public static Builder builder() {
    return new Builder();
  }

  /** How long it is from one deep pass to the next. */
  Duration deepPeriod() {
    return interval.multipliedBy(deepEvery);
  }

  private static boolean isPositive(Duration duration) {
    return !duration.isZero() && !duration.isNegative();
  }

  private static void refuseIf(boolean bad, String name, Object value, String rule) {
    if (bad) {
      throw new IllegalArgumentException("sweep setting %s %s %s".formatted(name, value, rule));
    }
  }

  /** Collects settings; {@link #build} checks them together. Not thread-safe. */
  public static final class Builder {

    private Duration interval = Duration.ofMinutes(1);
    private Duration lookback = Duration.ofHours(1);
    private Duration horizon = Duration.ofDays(8);
    private Duration grace = Duration.ofMinutes(3);
    private int deepEvery = 30;
    private int pageSize = 200;
    private int maxPages = 10;

    private Builder() {}

    /**
     * Sets {@link SweepSettings#interval}.
     *
     * @param interval the interval
     * @return this
     */
    public Builder interval(Duration interval) {
      this.interval = interval;
      return this;
    }

    /**
     * Sets {@link SweepSettings#lookback}.
     *
     * @param lookback the lookback
     * @return this
     */
    public Builder lookback(Duration lookback) {
      this.lookback = lookback;
      return this;
    }

    /**
     * Sets {@link SweepSettings#horizon}.
     *
     * @param horizon the horizon
     * @return this
     */
    public Builder horizon(Duration horizon) {
      this.horizon = horizon;
      return this;
    }

    /**
     * Sets {@link SweepSettings#grace}.
     *
     * @param grace the grace
     * @return this
     */
    public Builder grace(Duration grace) {
      this.grace = grace;
      return this;
    }

    /**
     * Sets {@link SweepSettings#deepEvery}.
     *
     * @param deepEvery the number of passes
     * @return this
     */
    public Builder deepEvery(int deepEvery) {
      this.deepEvery = deepEvery;
      return this;
    }

    /**
     * Sets {@link SweepSettings#pageSize}.
     *
     * @param pageSize the number of items
     * @return this
     */
    public Builder pageSize(int pageSize) {
      this.pageSize = pageSize;
      return this;
    }

    /**
     * Sets {@link SweepSettings#maxPages}.
     *
     * @param maxPages the number of pages
     * @return this
     */
    public Builder maxPages(int maxPages) {
      this.maxPages = maxPages;
      return this;
    }

    /**
     * Checks the settings.
     *
     * @return the settings
     * @throws IllegalArgumentException if one makes no sense; the message names it
     */
    public SweepSettings build() {
      return new SweepSettings(interval, lookback, horizon, grace, deepEvery, pageSize, maxPages);
    }
  }
}
