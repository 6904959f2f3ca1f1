package io.leasehold.memory;

import io.leasehold.LeaseStore;
import io.leasehold.spi.Finding;
import io.leasehold.spi.LeaseStoreProvider;
import io.leasehold.spi.StoreUrl;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/**
 * Opens {@code memory:}, a new and empty store at every opening, on the system's clock. For trying
 * out and for tests.
 *
 * <p>Stateless and thread-safe.
 */
public final class MemoryStoreProvider implements LeaseStoreProvider {

  /** For the service loader. */
  public MemoryStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("memory");
  }

  @Override
  public LeaseStore open(StoreUrl url) {
    check(url);
    return new MemoryLeaseStore(InstantSource.system());
  }

  @Override
  public List<Finding> examine(StoreUrl url) {
    check(url);
    return List.of(
        Finding.ok("server", "none: the store is in the memory of this process"),
        Finding.warn(
            "scope",
            "elects among the threads of one process; replicas would each elect themselves",
            "use a store that the replicas share, such as postgresql://, redis:// or sqlite:"),
        Finding.warn("persistence", "none: records end with the process", "use another store"),
        Finding.ok("clock", "the clock of this process decides"),
        Finding.ok("names", "byte for byte, 1 to 255 bytes of UTF-8"),
        Finding.ok("signals", "on: candidates are told of a release at once"));
  }

  private static void check(StoreUrl url) {
    if (!url.hosts().isEmpty() || !url.path().isEmpty() || !url.options().isEmpty()) {
      throw new IllegalArgumentException("the memory store's URL is memory: and nothing more");
    }
  }
}
