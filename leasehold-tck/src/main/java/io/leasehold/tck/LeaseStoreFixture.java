package io.leasehold.tck;

import io.leasehold.LeaseStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What the conformance suite needs to know of a store: how to open it, and what it cannot do. Only
 * {@link #openStore()} must be given.
 *
 * <p>The suite keeps tests apart by names that start with {@link #prefix()} and a random part; it
 * never wipes a database, and ends after each test what is still live under the test's own names.
 * So it may run against a live store, if the fixture lacks {@link Capability#RECLAIM}.
 *
 * <p>Methods may be called from several threads when tests run in parallel.
 */
public interface LeaseStoreFixture {

  /** The shortest lease whose expiry is awaited, unless a fixture says otherwise: 200 ms. */
  Duration DEFAULT_TTL = Duration.ofMillis(200);

  /**
   * Opens a new store object over the database under test. Called at least once per test, and more
   * than once by rules such as "two store objects see one truth"; every call must reach the same
   * database during one test. The suite closes what it opened.
   *
   * @return an open store
   * @throws Exception if it cannot be opened; the test fails
   */
  LeaseStore openStore() throws Exception;

  /**
   * For how long a lease is taken whose expiry is awaited in real time. A store with a coarse clock
   * or a slow connection takes more; no rule depends on anything being done within it.
   *
   * @return 200 ms unless overridden
   */
  default Duration ttl() {
    return DEFAULT_TTL;
  }

  /**
   * How long the suite waits for what must come, a signal or an expiry that is due, before the rule
   * is broken.
   *
   * @return 10 s unless overridden
   */
  default Duration patience() {
    return Duration.ofSeconds(10);
  }

  /**
   * What the store cannot do, or the database does not allow, each with the reason in words.
   *
   * @return nothing unless overridden
   */
  default Map<Capability, String> lacks() {
    return Map.of();
  }

  /**
   * What every name the suite uses starts with.
   *
   * @return {@code tck-} unless overridden; a legal name of at most 32 bytes
   */
  default String prefix() {
    return "tck-";
  }

  /**
   * Opens a store object whose caller's clock is the given one, over the same database as {@link
   * #openStore()}. The suite sets that clock an hour wrong and expects that nothing changes.
   *
   * @param callersClock what the store would take for the local time
   * @return the store; empty if there is no way to give it a clock, which leaves the rule unshown
   * @throws Exception if it cannot be opened; the test fails
   */
  default Optional<LeaseStore> openStoreOnClock(InstantSource callersClock) throws Exception {
    return Optional.empty();
  }

  /**
   * Opens a store object whose database cannot be reached, such as one on a port where nobody
   * listens.
   *
   * @return the store; empty if there is no such thing, which leaves the rules unshown
   * @throws Exception if it cannot be opened; the test fails
   */
  default Optional<LeaseStore> openUnreachableStore() throws Exception {
    return Optional.empty();
  }

  /**
   * Moves the store's clock forward, for a store on a clock that stands still otherwise. With it
   * the suite waits for nothing and tests expiry to the millisecond.
   *
   * @return how to move the clock; empty for a clock that runs by itself
   */
  default Optional<Consumer<Duration>> clock() {
    return Optional.empty();
  }
}
