package io.leasehold.tck;

import io.leasehold.LeaseStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A store with one flaw.
 *
 * @param flaw what is wrong with it
 * @param rule the rule whose title says why it is wrong
 * @param others the other rules it cannot keep with this flaw, separated by blanks; a question mark
 *     before one that fails only when the threads happen to meet
 * @param opening opens a store object over the database
 */
record WrongStore(
    String flaw, String rule, String others, Function<PlainDatabase, LeaseStore> opening) {

  static List<WrongStore> all() {
    List<WrongStore> all = new ArrayList<>(WrongGrants.all());
    all.addAll(WrongHolders.all());
    all.addAll(WrongCompanies.all());
    all.addAll(WrongMeetings.all());
    return all;
  }

  /** The rules that must fail. */
  TreeSet<String> broken() {
    TreeSet<String> broken = new TreeSet<>(Set.of(others.split(" ")));
    broken.removeIf(other -> !other.startsWith("L"));
    broken.add(rule);
    return broken;
  }

  /** The rules that may fail or not. */
  boolean mayBreak(String id) {
    return others.contains("?" + id);
  }

  /** With a clock that is moved by hand, so that the suite waits for nothing. */
  LeaseStoreFixture fixture() {
    return new PlainFixture(opening);
  }

  LeaseStoreFixture fixtureInRealTime() {
    return new PlainFixture(opening, true);
  }

  /** A database on a clock that is moved by hand, or on one that runs. */
  static class PlainFixture implements LeaseStoreFixture {

    private final PlainDatabase database;
    private final boolean running;
    private final Function<PlainDatabase, LeaseStore> opening;

    PlainFixture(Function<PlainDatabase, LeaseStore> opening) {
      this(opening, false);
    }

    PlainFixture(Function<PlainDatabase, LeaseStore> opening, boolean running) {
      this.opening = opening;
      this.running = running;
      this.database = new PlainDatabase(running);
    }

    @Override
    public LeaseStore openStore() {
      return opening.apply(database);
    }

    @Override
    public Duration patience() {
      return Duration.ofMillis(500);
    }

    @Override
    public Optional<LeaseStore> openStoreOnClock(InstantSource callersClock) {
      return Optional.of(openStore());
    }

    @Override
    public Optional<LeaseStore> openUnreachableStore() {
      PlainDatabase away = new PlainDatabase(false);
      away.away = true;
      return Optional.of(opening.apply(away));
    }

    @Override
    public Optional<Consumer<Duration>> clock() {
      return running ? Optional.empty() : Optional.of(database::advance);
    }

    /** For a clock that runs: short, since no rule needs anything done within it. */
    @Override
    public Duration ttl() {
      return running ? Duration.ofMillis(80) : DEFAULT_TTL;
    }
  }

  @Override
  public String toString() {
    return flaw + ": " + rule;
  }
}
