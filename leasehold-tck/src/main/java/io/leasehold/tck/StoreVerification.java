package io.leasehold.tck;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.leasehold.LeaseStore;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the conformance suite without a build tool: against a store that is configured somewhere, as
 * {@code leasehold verify} does, or against a store that is known to be wrong.
 *
 * <pre>{@code
 * ConformanceReport report =
 *     StoreVerification.run(() -> MyStore.open(url), Duration.ofMillis(200), "verify-1f3a-");
 * }</pre>
 *
 * <p>Runs may overlap: each has its own fixture.
 */
public final class StoreVerification {

  /** The launcher's configuration parameter that names the run whose fixture a test is given. */
  static final String RUN = "io.leasehold.tck.run";

  private static final Map<String, LeaseStoreFixture> FIXTURES = new ConcurrentHashMap<>();

  private StoreVerification() {}

  /**
   * Runs the suite on a store that others may be using. Every name starts with the prefix; what is
   * held under it is given back, and ended records of it stay until they are reclaimed. Nothing is
   * reclaimed, because that would delete the records of others: those rules are not claimed.
   *
   * @param stores opens a new store object over the same database at each call; the suite closes it
   * @param ttl the lease whose expiry is awaited, 200 ms for a store that is near
   * @param prefix what every name starts with, at most 32 bytes
   * @return what was found
   */
  public static ConformanceReport run(Supplier<LeaseStore> stores, Duration ttl, String prefix) {
    return run(liveStore(stores, ttl, prefix), verdict -> {});
  }

  /**
   * The fixture that {@link #run(Supplier, Duration, String)} uses.
   *
   * @param stores opens a new store object over the same database at each call; the suite closes it
   * @param ttl the lease whose expiry is awaited, 200 ms for a store that is near
   * @param prefix what every name starts with, at most 32 bytes
   * @return the fixture
   */
  public static LeaseStoreFixture liveStore(
      Supplier<LeaseStore> stores, Duration ttl, String prefix) {
    return new LeaseStoreFixture() {
      @Override
      public LeaseStore openStore() {
        return stores.get();
      }

      @Override
      public Duration ttl() {
        return ttl;
      }

      @Override
      public String prefix() {
        return prefix;
      }

      @Override
      public Map<Capability, String> lacks() {
        return Map.of(
            Capability.RECLAIM, "the store may hold records of others, which must not be deleted");
      }
    };
  }

  /**
   * Runs the suite in this thread.
   *
   * @param fixture the store under test, and what it lacks
   * @param onVerdict told of each rule as soon as it is decided
   * @return what was found
   * @throws IllegalStateException if the suite itself could not run
   */
  public static ConformanceReport run(LeaseStoreFixture fixture, Consumer<RuleVerdict> onVerdict) {
    String run = UUID.randomUUID().toString();
    FIXTURES.put(run, fixture);
    try {
      VerdictListener listener = new VerdictListener(onVerdict);
      launcher().execute(request(run), listener);
      return listener.report();
    } finally {
      FIXTURES.remove(run);
    }
  }

  static LeaseStoreFixture fixtureOf(String run) {
    LeaseStoreFixture fixture = FIXTURES.get(run);
    if (fixture == null) {
      throw new IllegalStateException(
          "there is no run " + run + "; start one by StoreVerification");
    }
    return fixture;
  }

  static LauncherDiscoveryRequest request(String run) {
    return LauncherDiscoveryRequestBuilder.request()
        .selectors(selectClass(VerifiedStore.class))
        .enableImplicitConfigurationParameters(false)
        .configurationParameter(RUN, run)
        .build();
  }

  /** Only this suite, and nothing that happens to lie on the class path. */
  static Launcher launcher() {
    return LauncherFactory.create(
        LauncherConfig.builder()
            .enableLauncherDiscoveryListenerAutoRegistration(false)
            .enableLauncherSessionListenerAutoRegistration(false)
            .enablePostDiscoveryFilterAutoRegistration(false)
            .enableTestExecutionListenerAutoRegistration(false)
            .build());
  }
}
