package io.leasehold.sweep;

import io.leasehold.election.Term;
import io.leasehold.election.Work;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * A net: work for an election that goes through a backlog pass by pass, so that what an event path
 * dropped is picked up.
 *
 * <pre>{@code
 * Sweep<Run> sweep = Sweep.of("merge-gate", runs, (run, term) -> reconciler.repair(run));
 * // then, as the work of an Election:
 * sweep.run(term);
 * }</pre>
 *
 * <p>The first pass runs as soon as the term begins and goes back to the horizon; then there is one
 * pass an interval, of which every 30th goes deep again. A pass that takes longer than the interval
 * is followed by the next at once; missed ones are not made up for. Everything the sweep remembers
 * belongs to one term. Thread-safe; each term runs on the election's thread.
 *
 * @param <T> an item of the backlog
 */
public final class Sweep<T> implements Work {

  private final SweepPlan<T> plan;
  private final InstantSource clock;

  private Sweep(SweepPlan<T> plan, InstantSource clock) {
    this.plan = plan;
    this.clock = clock;
  }

  /**
   * A sweep with the default settings, that writes to the log.
   *
   * @param name its name, for the log
   * @param backlog what it goes through
   * @param handler what it does with each item
   * @param <T> an item
   * @return the sweep
   */
  public static <T> Sweep<T> of(String name, Backlog<T> backlog, SweepHandler<T> handler) {
    return builder(name, backlog, handler).build();
  }

  /**
   * A sweep to be configured.
   *
   * @param name its name, for the log
   * @param backlog what it goes through
   * @param handler what it does with each item
   * @param <T> an item
   * @return the builder
   */
  public static <T> Builder<T> builder(String name, Backlog<T> backlog, SweepHandler<T> handler) {
    return new Builder<>(name, backlog, handler);
  }

  /** Sweeps until the term ends. */
  @Override
  public void run(Term term) throws InterruptedException {
    SweepTerm<T> sweeping = new SweepTerm<>(plan, clock, term);
    Duration wait = Duration.ZERO;
    while (!term.awaitEnd(wait)) {
      Instant started = clock.instant();
      sweeping.tick();
      wait = untilNext(started);
    }
  }

  /** At most the interval, should the clock have been stepped back meanwhile. */
  private Duration untilNext(Instant started) {
    Duration interval = plan.settings().interval();
    Duration left = interval.minus(Duration.between(started, clock.instant()));
    return left.compareTo(interval) > 0 ? interval : left;
  }

  /**
   * Options of a sweep. Not thread-safe.
   *
   * @param <T> an item
   */
  public static final class Builder<T> {

    private final Backlog<T> backlog;
    private final SweepHandler<T> handler;
    private SweepSettings settings = SweepSettings.ofDefaults();
    private SweepListener<T> listener;
    private InstantSource clock = InstantSource.system();

    private Builder(String name, Backlog<T> backlog, SweepHandler<T> handler) {
      this.backlog = backlog;
      this.handler = handler;
      this.listener = SweepListener.logging(name);
    }

    /**
     * How it goes about it.
     *
     * @param settings the settings; the defaults otherwise
     * @return this
     */
    public Builder<T> settings(SweepSettings settings) {
      this.settings = settings;
      return this;
    }

    /**
     * Who is told what it does, instead of the log.
     *
     * @param listener the listener
     * @return this
     */
    public Builder<T> listener(SweepListener<T> listener) {
      this.listener = listener;
      return this;
    }

    /**
     * The clock that items' instants are compared with: the one they were taken from.
     *
     * @param clock the clock; the system's by default
     * @return this
     */
    public Builder<T> clock(InstantSource clock) {
      this.clock = clock;
      return this;
    }

    /**
     * The sweep.
     *
     * @return the sweep
     */
    public Sweep<T> build() {
      return new Sweep<>(
          new SweepPlan<>(settings, backlog, handler, new SafeListener<>(listener)), clock);
    }
  }
}
