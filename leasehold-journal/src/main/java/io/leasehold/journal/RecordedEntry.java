package io.leasehold.journal;

import io.leasehold.FencingToken;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * An entry as the journal has it.
 *
 * <p>Immutable and thread-safe.
 *
 * @param key which step, and which try at it
 * @param sequence its place in the instance's history: 1, 2, 3, without gaps
 * @param token the token it was written with
 * @param action what was done
 * @param outcome how it ended
 * @param result what it gave
 * @param captured what it took from a clock, from chance or from outside
 * @param duration how long it took
 * @param committedAt when, by the journal's clock, to the millisecond
 */
public record RecordedEntry(
    StepKey key,
    long sequence,
    FencingToken token,
    String action,
    StepOutcome outcome,
    Optional<Payload> result,
    Optional<Payload> captured,
    Duration duration,
    Instant committedAt) {}
