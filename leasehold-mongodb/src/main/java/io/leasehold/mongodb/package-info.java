/**
 * Leases in a MongoDB collection, one document per name. {@link
 * io.leasehold.mongodb.MongoLeaseStore} is the store.
 *
 * <p>Atomicity rests on one fact: an update of one document, filter and change together, is atomic.
 * Every decision is such an update, so no session, transaction or pipeline is needed.
 */
@NullMarked
package io.leasehold.mongodb;

import org.jspecify.annotations.NullMarked;
