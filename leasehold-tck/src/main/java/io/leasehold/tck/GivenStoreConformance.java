package io.leasehold.tck;

import io.leasehold.LeaseStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.launcher.LauncherSession;

/** The suite on a fixture that a program gave to its JUnit session: see {@link Conformance}. */
@ExtendWith(GivenStoreConformance.FixtureOfTheSession.class)
final class GivenStoreConformance extends LeaseStoreConformance {

  private static final String SPACE = "io.leasehold.tck";
  private static final String KEY = "fixture";

  private final LeaseStoreFixture given;

  GivenStoreConformance(LeaseStoreFixture given) {
    this.given = given;
  }

  static void give(LauncherSession session, LeaseStoreFixture fixture) {
    session
        .getStore()
        .put(org.junit.platform.engine.support.store.Namespace.create(SPACE), KEY, fixture);
  }

  /** Hands the session's fixture to the constructor. */
  static final class FixtureOfTheSession implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == LeaseStoreFixture.class;
    }

    @Override
    public LeaseStoreFixture resolveParameter(
        ParameterContext parameter, ExtensionContext context) {
      LeaseStoreFixture fixture =
          context
              .getStore(StoreScope.LAUNCHER_SESSION, Namespace.create(SPACE))
              .get(KEY, LeaseStoreFixture.class);
      if (fixture == null) {
        throw new IllegalStateException("the session has no fixture; use Conformance.check");
      }
      return fixture;
    }
  }

  @Override
  public LeaseStore openStore() throws Exception {
    return given.openStore();
  }

  @Override
  public Duration ttl() {
    return given.ttl();
  }

  @Override
  public Duration patience() {
    return given.patience();
  }

  @Override
  public int batch() {
    return given.batch();
  }

  @Override
  public Map<Capability, String> lacks() {
    return given.lacks();
  }

  @Override
  public String prefix() {
    return given.prefix();
  }

  @Override
  public Optional<LeaseStore> openStoreOnClock(InstantSource callersClock) throws Exception {
    return given.openStoreOnClock(callersClock);
  }

  @Override
  public Optional<LeaseStore> openUnreachableStore() throws Exception {
    return given.openUnreachableStore();
  }

  @Override
  public Optional<Consumer<Duration>> clock() {
    return given.clock();
  }
}
