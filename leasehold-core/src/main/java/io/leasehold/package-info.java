/**
 * The lease contract: named leases with fencing tokens.
 *
 * <p>A {@link io.leasehold.LeaseStore} grants the right to one {@link io.leasehold.LeaseName} until
 * an instant on the store's own clock. Every grant carries a {@link io.leasehold.FencingToken} that
 * is strictly greater than every token granted for that name before, so that a resource can refuse
 * a writer that has been superseded.
 *
 * <p>A lease alone is not mutual exclusion: a process that is paused past its lease overlaps its
 * successor for as long as it does not look. What makes it harmless is the token, checked by
 * whatever is written to.
 *
 * <p>Users elect a replica with {@code io.leasehold.election}, hold many leases with {@code
 * io.leasehold.keeper}; store authors implement {@link io.leasehold.LeaseStore} and prove it with
 * the conformance suite in {@code leasehold-tck}.
 */
@NullMarked
package io.leasehold;

import org.jspecify.annotations.NullMarked;
