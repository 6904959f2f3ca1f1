/**
 * Opens a store by its URL: {@link io.leasehold.stores.LeaseStores}. The modules of the stores
 * themselves are added by whoever needs them.
 */
@NullMarked
package io.leasehold.stores;

import org.jspecify.annotations.NullMarked;
