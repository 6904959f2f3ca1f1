package io.leasehold.cli.verify;

import io.leasehold.cli.verify.StoreConformance.Settings;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs the conformance suite over a store and tells the verdict on each rule. One at a time. */
public final class Verification {

  /** What became of a rule. */
  public enum Verdict {
    /** The store keeps it. */
    HOLDS,
    /** The store breaks it. */
    BROKEN,
    /** It was not tried; the reason says why. */
    NOT_SHOWN
  }

  /**
   * The verdict on one rule.
   *
   * @param rule its id and sentence
   * @param verdict the verdict
   * @param reason why, if it does not hold; else empty
   */
  public record Ruling(String rule, Verdict verdict, String reason) {}

  private Verification() {}

  /**
   * Runs the suite.
   *
   * @param url the store
   * @param ttl for how long leases are taken whose expiry is awaited
   * @param each is handed each ruling as it comes
   */
  public static void run(String url, Duration ttl, Consumer<Ruling> each) {
    byte[] random = new byte[5];
    new SecureRandom().nextBytes(random);
    String prefix = "verify-" + HexFormat.of().formatHex(random) + "/";
    StoreConformance.use(new Settings(url, prefix, ttl));
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClass(StoreConformance.class))
            .build();
    LauncherFactory.create().execute(request, new Rulings(each));
  }

  /** Makes rulings of what JUnit tells. */
  private record Rulings(Consumer<Ruling> each) implements TestExecutionListener {

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
      each.accept(new Ruling(test.getDisplayName(), Verdict.NOT_SHOWN, reason));
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      boolean fine = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
      if (!test.isTest() && fine) {
        return; // a group of rules
      }
      String reason =
          result.getThrowable().map(thrown -> String.valueOf(thrown.getMessage())).orElse("");
      Verdict verdict =
          switch (result.getStatus()) {
            case SUCCESSFUL -> Verdict.HOLDS;
            case FAILED -> Verdict.BROKEN;
            case ABORTED -> Verdict.NOT_SHOWN;
          };
      each.accept(new Ruling(test.getDisplayName(), verdict, reason));
    }
  }
}
