package io.leasehold.tck;

import io.leasehold.LeaseStore;
import io.leasehold.memory.MemoryLeaseStore;
import java.time.InstantSource;
import java.util.Map;

/** The memory store on the system's clock: expiry in real time. */
final class MemoryLeaseStoreConformanceTest extends LeaseStoreConformance {

  @Override
  public LeaseStore openStore() {
    return new MemoryLeaseStore(InstantSource.system());
  }

  @Override
  public Map<Capability, String> lacks() {
    return Map.of(
        Capability.SHARED, "each memory store is a database of its own",
        Capability.OWN_CLOCK, "a memory store is always on its caller's clock");
  }
}
