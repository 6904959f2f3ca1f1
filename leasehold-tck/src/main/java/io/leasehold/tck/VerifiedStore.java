package io.leasehold.tck;

import io.leasehold.LeaseStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** The suite on the fixture of a {@link StoreVerification}. */
@ExtendWith(VerifiedStore.FixtureOfRun.class)
final class VerifiedStore extends LeaseStoreConformance {

  private final LeaseStoreFixture fixture;

  VerifiedStore(LeaseStoreFixture fixture) {
    this.fixture = fixture;
  }

  @Override
  public LeaseStore openStore() throws Exception {
    return fixture.openStore();
  }

  @Override
  public Duration ttl() {
    return fixture.ttl();
  }

  @Override
  public Duration patience() {
    return fixture.patience();
  }

  @Override
  public Map<Capability, String> lacks() {
    return fixture.lacks();
  }

  @Override
  public String prefix() {
    return fixture.prefix();
  }

  @Override
  public Optional<LeaseStore> openStoreOnClock(InstantSource callersClock) throws Exception {
    return fixture.openStoreOnClock(callersClock);
  }

  @Override
  public Optional<LeaseStore> openUnreachableStore() throws Exception {
    return fixture.openUnreachableStore();
  }

  @Override
  public Optional<Consumer<Duration>> clock() {
    return fixture.clock();
  }

  /** Finds the fixture by the configuration parameter that the launcher was given. */
  static final class FixtureOfRun implements ParameterResolver {

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == LeaseStoreFixture.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return StoreVerification.fixtureOf(
          context.getConfigurationParameter(StoreVerification.RUN).orElse("?"));
    }
  }
}
