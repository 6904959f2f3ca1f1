package io.leasehold.journal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a step did, to be appended: together with the instance's new snapshot and with events to
 * publish. All of it is committed, or nothing.
 *
 * <pre>{@code
 * Entry entry = Entry.of(StepKey.of(order, 0), "charge-card")
 *     .result(Payload.of("{\"charged\":12}"))
 *     .event(new Event("order.paid", "order/42", Payload.of("{}")))
 *     .build();
 * }</pre>
 *
 * <p>Immutable and thread-safe.
 *
 * @param key which step, and which try at it
 * @param action what was done; 1 to 255 bytes of UTF-8
 * @param outcome how it ended
 * @param result what it gave
 * @param captured what it took from a clock, from chance or from outside, so that a replay can take
 *     the same
 * @param duration how long it took, 0 to 36,525 days, kept to the millisecond
 * @param state the state to put the instance in; not a terminal one. Without it a pending instance
 *     becomes running and any other stays as it is
 * @param snapshot the instance's state as its owner sees it; replaces the last one
 * @param hint where an operator would expect the instance to go on. Shown only; nothing resumes by
 *     it
 * @param events what to publish, in order
 */
public record Entry(
    StepKey key,
    String action,
    StepOutcome outcome,
    Optional<Payload> result,
    Optional<Payload> captured,
    Duration duration,
    Optional<InstanceState> state,
    Optional<Payload> snapshot,
    Optional<Integer> hint,
    List<Event> events) {

  /** The longest duration of a step: 36,525 days, a century. */
  public static final Duration MAX_DURATION = Duration.ofDays(36_525);

  /**
   * Checks the arguments.
   *
   * @throws IllegalArgumentException if the action is not legal, the duration out of range or the
   *     state terminal
   */
  public Entry {
    Texts.label("action", action);
    if (duration.isNegative() || duration.compareTo(MAX_DURATION) > 0) {
      throw new IllegalArgumentException(
          "duration " + duration + " is out of range: at least zero and at most 36525 days");
    }
    duration = Duration.ofMillis(duration.toMillis());
    if (state.isPresent() && state.get().isTerminal()) {
      throw new IllegalArgumentException(
          "an entry cannot put an instance in the state " + state.get() + "; complete it instead");
    }
    events = List.copyOf(events);
  }

  /**
   * Begins an entry of a step that succeeded.
   *
   * @param key which step, and which try at it
   * @param action what was done
   * @return what builds the entry
   */
  public static Builder of(StepKey key, String action) {
    return new Builder(key, action);
  }

  /** Builds an entry. Not thread-safe. */
  public static final class Builder {
    private final StepKey key;
    private final String action;
    private StepOutcome outcome = StepOutcome.SUCCESS;
    private @Nullable Payload result;
    private @Nullable Payload captured;
    private Duration duration = Duration.ZERO;
    private @Nullable InstanceState state;
    private @Nullable Payload snapshot;
    private @Nullable Integer hint;
    private final List<Event> events = new ArrayList<>();

    private Builder(StepKey key, String action) {
      this.key = key;
      this.action = action;
    }

    /**
     * How the step ended; {@code SUCCESS} unless said.
     *
     * @param outcome how it ended
     * @return this
     */
    public Builder outcome(StepOutcome outcome) {
      this.outcome = outcome;
      return this;
    }

    /**
     * What the step gave.
     *
     * @param result the bytes
     * @return this
     */
    public Builder result(Payload result) {
      this.result = result;
      return this;
    }

    /**
     * What the step took from a clock, from chance or from outside.
     *
     * @param captured the bytes
     * @return this
     */
    public Builder captured(Payload captured) {
      this.captured = captured;
      return this;
    }

    /**
     * How long the step took; zero unless said.
     *
     * @param duration 0 to 36,525 days
     * @return this
     */
    public Builder duration(Duration duration) {
      this.duration = duration;
      return this;
    }

    /**
     * The state to put the instance in.
     *
     * @param state not a terminal one
     * @return this
     */
    public Builder state(InstanceState state) {
      this.state = state;
      return this;
    }

    /**
     * The instance's state as its owner sees it.
     *
     * @param snapshot replaces the last one
     * @return this
     */
    public Builder snapshot(Payload snapshot) {
      this.snapshot = snapshot;
      return this;
    }

    /**
     * Where an operator would expect the instance to go on.
     *
     * @param step shown only
     * @return this
     */
    public Builder hint(int step) {
      this.hint = step;
      return this;
    }

    /**
     * One more event to publish.
     *
     * @param event the event
     * @return this
     */
    public Builder event(Event event) {
      events.add(event);
      return this;
    }

    /**
     * The entry.
     *
     * @return the entry
     * @throws IllegalArgumentException if an argument is unusable
     */
    public Entry build() {
      return new Entry(
          key,
          action,
          outcome,
          Optional.ofNullable(result),
          Optional.ofNullable(captured),
          duration,
          Optional.ofNullable(state),
          Optional.ofNullable(snapshot),
          Optional.ofNullable(hint),
          events);
    }
  }
}
