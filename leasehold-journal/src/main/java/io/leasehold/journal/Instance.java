package io.leasehold.journal;

import io.leasehold.FencingToken;
import java.time.Instant;
import java.util.Optional;

/**
 * An instance as the journal has it now. Instants are the journal's clock's, to the millisecond.
 *
 * <p>Immutable and thread-safe.
 *
 * @param id its id
 * @param flow what kind of work it is
 * @param state its state
 * @param fence the highest token that was admitted
 * @param lastSequence the sequence of its last entry; 0 before the first
 * @param input what it started from
 * @param snapshot what its owner saw last
 * @param hint where an operator would expect it to go on; nothing resumes by it
 * @param parent the step that started it
 * @param startedAt when it was started
 * @param touchedAt when somebody last started, fenced, appended to or completed it
 */
public record Instance(
    InstanceId id,
    String flow,
    InstanceState state,
    FencingToken fence,
    long lastSequence,
    Optional<Payload> input,
    Optional<Payload> snapshot,
    Optional<Integer> hint,
    Optional<StepKey> parent,
    Instant startedAt,
    Instant touchedAt) {}
