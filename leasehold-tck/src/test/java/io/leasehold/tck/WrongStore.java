package io.leasehold.tck;

import io.leasehold.LeaseStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A store with one fault, and the rules that must reject it.
 *
 * @param fault what is wrong with it, in words
 * @param named the rule that is about this very fault
 * @param broken every rule it breaks, the named one included; all others must pass
 * @param factory makes a store object
 */
record WrongStore(String fault, String named, Set<String> broken, Factory factory) {

  /** Makes a store object over a database. */
  interface Factory {
    OpenStore open(OpenDatabase db, InstantSource callersClock);
  }

  /** A wrong store that breaks the named rule and, because of the same fault, some others. */
  static WrongStore wrong(String fault, Factory factory, String named, String... others) {
    Set<String> broken = new TreeSet<>(Set.of(others));
    broken.add(named);
    return new WrongStore(fault, named, broken, factory);
  }

  ConformanceReport report() {
    return Conformance.check(new Fixture(factory, false));
  }

  ConformanceReport reportInRealTime() {
    return Conformance.check(new Fixture(factory, true));
  }

  /** The suite on one database, whose clock runs, or stands still until the suite moves it. */
  static final class Fixture implements LeaseStoreFixture {
    private final OpenDatabase db;
    private final Factory factory;

    Fixture(Factory factory, boolean running) {
      this.db = new OpenDatabase(true, running);
      this.factory = factory;
    }

    @Override
    public LeaseStore openStore() {
      return factory.open(db, InstantSource.system());
    }

    @Override
    public Optional<LeaseStore> openStoreOnClock(InstantSource callersClock) {
      return Optional.of(factory.open(db, callersClock));
    }

    @Override
    public Optional<LeaseStore> openUnreachableStore() {
      return Optional.of(factory.open(new OpenDatabase(false, false), InstantSource.system()));
    }

    @Override
    public Optional<Consumer<Duration>> clock() {
      return db.running ? Optional.empty() : Optional.of(db::move);
    }

    /** For a clock that runs: short, since nothing needs to be done within it. */
    @Override
    public Duration ttl() {
      return Duration.ofMillis(60);
    }

    /** For signals that never come; those that do come are called at once. */
    @Override
    public Duration patience() {
      return Duration.ofMillis(500);
    }

    @Override
    public int batch() {
      return 60;
    }
  }
}
