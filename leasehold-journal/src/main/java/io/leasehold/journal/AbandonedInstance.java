package io.leasehold.journal;

import io.leasehold.FencingToken;
import java.time.Instant;

/**
 * An unfinished instance that nobody has touched for some time.
 *
 * @param id its id
 * @param flow what kind of work it is
 * @param state its state
 * @param fence the highest token that was admitted
 * @param touchedAt when it was last touched, by the journal's clock
 */
public record AbandonedInstance(
    InstanceId id, String flow, InstanceState state, FencingToken fence, Instant touchedAt) {}
