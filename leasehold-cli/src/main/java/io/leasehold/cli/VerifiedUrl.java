package io.leasehold.cli;

import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.stores.LeaseStores;
import io.leasehold.tck.Capability;
import io.leasehold.tck.LeaseStoreFixture;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;

/** A configured store as the conformance suite sees it: in use, so under a throw-away prefix. */
final class VerifiedUrl implements LeaseStoreFixture {

  private final String url;
  private final Duration ttl;
  private final String prefix;
  private final Map<Capability, String> lacks = new EnumMap<>(Capability.class);

  VerifiedUrl(String url, Duration ttl) {
    this.url = url;
    this.ttl = ttl;
    byte[] random = new byte[5];
    new SecureRandom().nextBytes(random);
    prefix = "verify-" + HexFormat.of().formatHex(random) + "/";
    lacks.put(Capability.RECLAIM, "it would delete the records of others who use this store");
    if (url.startsWith("memory:")) {
      lacks.put(Capability.SHARED, "each memory store is a database of its own");
      lacks.put(Capability.OWN_CLOCK, "a memory store is always on its caller's clock");
    }
  }

  /** Looks at an open store for what only it can say. */
  VerifiedUrl knowing(LeaseStore store) {
    try (LeaseStore.Subscription subscription =
        store.subscribe(LeaseName.of(prefix + "signals"), () -> {})) {
      if (subscription == LeaseStore.Subscription.NONE) {
        lacks.put(Capability.SIGNALS, "this store has no signals; candidates poll");
      }
    }
    return this;
  }

  @Override
  public LeaseStore openStore() {
    return LeaseStores.open(url);
  }

  @Override
  public String prefix() {
    return prefix;
  }

  @Override
  public Duration ttl() {
    return ttl;
  }

  @Override
  public Map<Capability, String> lacks() {
    return lacks;
  }
}
