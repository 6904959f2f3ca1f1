/**
 * How a store is found by its URL, and what it says of itself to operators. For store authors; an
 * application uses {@code LeaseStores.open(url)} of {@code leasehold-stores}.
 */
@NullMarked
package io.leasehold.spi;

import org.jspecify.annotations.NullMarked;
