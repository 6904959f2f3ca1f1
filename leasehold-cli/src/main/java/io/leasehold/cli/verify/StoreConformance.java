package io.leasehold.cli.verify;

import io.leasehold.LeaseStore;
import io.leasehold.stores.LeaseStores;
import io.leasehold.tck.Capability;
import io.leasehold.tck.LeaseStoreConformance;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;

/** The suite over the store of this call's URL; made by JUnit, so its settings are static. */
@DisplayName("the store")
final class StoreConformance extends LeaseStoreConformance {

  /**
   * What to verify.
   *
   * @param url the store
   * @param prefix what the names start with
   * @param ttl for how long a lease is taken whose expiry is awaited
   */
  record Settings(String url, String prefix, Duration ttl) {}

  private static volatile Settings settings =
      new Settings("memory:", "verify-", Duration.ofMillis(200));

  /** One suite at a time; JUnit makes the instances after this call. */
  static void use(Settings given) {
    settings = given;
  }

  @Override
  public LeaseStore openStore() {
    return LeaseStores.open(settings.url());
  }

  @Override
  public String prefix() {
    return settings.prefix();
  }

  @Override
  public Duration ttl() {
    return settings.ttl();
  }

  @Override
  public Map<Capability, String> lacks() {
    Map<Capability, String> lacks = new EnumMap<>(Capability.class);
    lacks.put(Capability.RECLAIM, "it would delete the records of others who use this store");
    if (settings.url().startsWith("memory:")) {
      lacks.put(Capability.SHARED, "each memory store is a database of its own");
      lacks.put(Capability.OWN_CLOCK, "a memory store is always on its caller's clock");
    }
    return lacks;
  }
}
