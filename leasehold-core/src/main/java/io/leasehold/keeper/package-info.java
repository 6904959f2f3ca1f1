/**
 * Holding many leases in one process, renewed in batches.
 *
 * <pre>{@code
 * try (LeaseKeeper keeper = LeaseKeeper.builder(store).build()) {
 *   if (keeper.claim(LeaseName.of("order/42")) instanceof Claim.Won won) {
 *     try (HeldLease lease = won.lease()) {
 *       write(order, lease.token());
 *     }
 *   }
 * }
 * }</pre>
 */
@NullMarked
package io.leasehold.keeper;

import org.jspecify.annotations.NullMarked;
