package io.leasehold.tck;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.leasehold.tck.RuleResult.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the conformance suite from a program instead of a test, such as {@code leasehold verify}.
 *
 * <pre>{@code
 * ConformanceReport report = Conformance.check(() -> MyStore.open(url));
 * }</pre>
 *
 * <p>Thread-safe: each run has a JUnit session of its own, so runs may go on side by side.
 */
public final class Conformance {

  private static final Pattern RULE = Pattern.compile("([A-Z]\\d+) (.*)", Pattern.DOTALL);

  private Conformance() {}

  /**
   * Checks a store against every rule. Takes some seconds, more on a slow store.
   *
   * @param fixture opens the store and says what it lacks
   * @return what was found
   */
  public static ConformanceReport check(LeaseStoreFixture fixture) {
    return check(fixture, result -> {});
  }

  /**
   * Checks a store against every rule, telling of each result as it comes.
   *
   * @param fixture opens the store and says what it lacks
   * @param onResult called once per rule, in no particular order
   * @return what was found
   */
  public static ConformanceReport check(LeaseStoreFixture fixture, Consumer<RuleResult> onResult) {
    // Nothing of the surrounding program's JUnit set-up is to take part: no listener, no filter,
    // no properties file, no other engine.
    LauncherConfig config =
        LauncherConfig.builder()
            .enableTestExecutionListenerAutoRegistration(false)
            .enableLauncherSessionListenerAutoRegistration(false)
            .enableLauncherDiscoveryListenerAutoRegistration(false)
            .enablePostDiscoveryFilterAutoRegistration(false)
            .build();
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(GivenStoreConformance.class))
            .filters(EngineFilter.includeEngines("junit-jupiter"))
            .enableImplicitConfigurationParameters(false)
            .build();
    Collector collector = new Collector(onResult);
    try (LauncherSession session = LauncherFactory.openSession(config)) {
      GivenStoreConformance.give(session, fixture);
      session.getLauncher().execute(request, collector);
    }
    return new ConformanceReport(collector.results);
  }

  /** Turns what JUnit tells into results. */
  private static final class Collector implements TestExecutionListener {
    private final List<RuleResult> results = Collections.synchronizedList(new ArrayList<>());
    private final Consumer<RuleResult> onResult;

    Collector(Consumer<RuleResult> onResult) {
      this.onResult = onResult;
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult outcome) {
      Matcher rule = RULE.matcher(test.getDisplayName());
      boolean successful = outcome.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
      if (test.isTest() && rule.matches()) {
        add(new RuleResult(rule.group(1), rule.group(2), verdict(outcome), detail(outcome)));
      } else if (!successful) {
        // Not a rule but what surrounds them, such as a fixture that cannot be made.
        add(new RuleResult("-", test.getDisplayName(), Verdict.FAILED, detail(outcome)));
      }
    }

    private void add(RuleResult result) {
      results.add(result);
      onResult.accept(result);
    }

    private static Verdict verdict(TestExecutionResult outcome) {
      return switch (outcome.getStatus()) {
        case SUCCESSFUL -> Verdict.HOLDS;
        case ABORTED -> Verdict.NOT_SHOWN;
        case FAILED ->
            outcome.getThrowable().filter(AssertionError.class::isInstance).isPresent()
                ? Verdict.BROKEN
                : Verdict.FAILED;
      };
    }

    private static String detail(TestExecutionResult outcome) {
      return outcome
          .getThrowable()
          .map(
              thrown ->
                  thrown instanceof AssertionError || thrown.getMessage() == null
                      ? String.valueOf(thrown.getMessage())
                      : thrown.getClass().getSimpleName() + ": " + thrown.getMessage())
          .orElse("");
    }
  }
}
