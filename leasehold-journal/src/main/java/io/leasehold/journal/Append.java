package io.leasehold.journal;

import io.leasehold.FencingToken;

/**
 * One of many appends that are committed together.
 *
 * @param entry what to append
 * @param token the token of the lease on the entry's instance
 */
public record Append(Entry entry, FencingToken token) {}
