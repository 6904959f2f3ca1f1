/**
 * Electing one replica, and running its work while it is elected.
 *
 * <pre>{@code
 * Election election =
 *     Election.builder(store, LeaseName.of("sweeper"))
 *         .start(Work.everyPass(Duration.ofMinutes(1), Cursor::new, (term, cursor) -> sweep(term, cursor)));
 * }</pre>
 */
@NullMarked
package io.leasehold.election;

import org.jspecify.annotations.NullMarked;
