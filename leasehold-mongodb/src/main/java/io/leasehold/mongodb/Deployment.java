package io.leasehold.mongodb;

import org.bson.Document;

/**
 * What kind of server answers.
 *
 * @param kind a standalone server, a replica set, or routers before shards
 * @param says whether it knows the command {@code hello}
 */
record Deployment(Kind kind, boolean says) {

  enum Kind {
    STANDALONE,
    REPLICA_SET,
    SHARDED
  }

  static Deployment of(Document hello) {
    if (hello.get("setName") instanceof String) {
      return new Deployment(Kind.REPLICA_SET, true);
    }
    return new Deployment(
        "isdbgrid".equals(hello.get("msg")) ? Kind.SHARDED : Kind.STANDALONE, true);
  }

  static Deployment silent() {
    return new Deployment(Kind.STANDALONE, false);
  }

  boolean replicated() {
    return kind != Kind.STANDALONE;
  }
}
