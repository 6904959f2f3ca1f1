package io.leasehold.redis;

import io.lettuce.core.RedisURI;

/** Where a server listens. */
record RedisAddress(String host, int port) {

  static RedisAddress of(RedisURI uri) {
    return new RedisAddress(uri.getHost(), uri.getPort());
  }
}
