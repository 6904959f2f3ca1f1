package io.leasehold.tck;

import io.leasehold.LeaseStore;
import io.leasehold.memory.MemoryLeaseStore;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The memory store on a clock moved by hand: expiry to the millisecond. */
final class MemoryLeaseStoreOnVirtualClockConformanceTest extends LeaseStoreConformance {

  private final PlainDatabase clock = new PlainDatabase(false);

  @Override
  public LeaseStore openStore() {
    return new MemoryLeaseStore(clock);
  }

  @Override
  public Optional<Consumer<Duration>> clock() {
    return Optional.of(clock::advance);
  }

  @Override
  public Map<Capability, String> lacks() {
    return Map.of(
        Capability.SHARED, "each memory store is a database of its own",
        Capability.OWN_CLOCK, "a memory store is always on its caller's clock");
  }
}
