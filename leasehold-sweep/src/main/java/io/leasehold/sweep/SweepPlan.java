package io.leasehold.sweep;

/** What a sweep was built from; the same for all its terms. */
record SweepPlan<T>(
    SweepSettings settings,
    Backlog<T> backlog,
    SweepHandler<T> handler,
    SweepListener<T> listener) {}
