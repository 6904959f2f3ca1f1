package io.leasehold.tck;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Set;
import java.util.TreeSet;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The rules as JUnit finds them, without running one. */
final class RuleIds {

  private RuleIds() {}

  static Set<String> ofTheSuite() {
    Set<String> ids = new TreeSet<>();
    titles().forEach(title -> ids.add(title.substring(0, title.indexOf(' '))));
    return ids;
  }

  static Set<String> titles() {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(GivenStoreConformance.class))
            .filters(EngineFilter.includeEngines("junit-jupiter"))
            .build();
    Set<String> titles = new TreeSet<>();
    try (LauncherSession session = LauncherFactory.openSession()) {
      TestPlan plan = session.getLauncher().discover(request);
      for (TestIdentifier root : plan.getRoots()) {
        plan.getDescendants(root).stream()
            .filter(TestIdentifier::isTest)
            .forEach(test -> titles.add(test.getDisplayName()));
      }
    }
    return titles;
  }
}
