/** Fenced writes to Redis and Valkey, over Lettuce, which the user brings. */
@NullMarked
package io.leasehold.journal.redis;

import org.jspecify.annotations.NullMarked;
