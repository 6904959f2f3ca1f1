/**
 * Leases in Redis and Valkey: standalone, Sentinel and Cluster.
 *
 * <p>{@link io.leasehold.redis.RedisLeaseStore} is the store; {@link
 * io.leasehold.redis.RedisFinding} is what it found out about the server it was pointed at. A lease
 * is one hash, an operation is one Lua script, and the server's own clock decides.
 */
@NullMarked
package io.leasehold.redis;

import org.jspecify.annotations.NullMarked;
