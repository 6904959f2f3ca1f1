package io.leasehold.tck;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.opentest4j.TestAbortedException;

/** Turns what the platform reports into verdicts. */
final class VerdictListener implements TestExecutionListener {

  private final List<RuleVerdict> verdicts = new ArrayList<>();
  private final Consumer<RuleVerdict> onVerdict;
  private Optional<Throwable> broken = Optional.empty();

  VerdictListener(Consumer<RuleVerdict> onVerdict) {
    this.onVerdict = onVerdict;
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (test.isTest()) {
      RuleVerdict verdict = verdict(test.getDisplayName(), result);
      verdicts.add(verdict);
      onVerdict.accept(verdict);
    } else if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
      broken = Optional.of(result.getThrowable().orElseGet(() -> new Error(test.toString())));
    }
  }

  private static RuleVerdict verdict(String displayName, TestExecutionResult result) {
    String id = displayName.substring(0, displayName.indexOf(' '));
    String title = displayName.substring(id.length() + 1);
    Optional<Throwable> thrown = result.getThrowable();
    String message = thrown.map(VerdictListener::message).orElse("");
    return switch (result.getStatus()) {
      case SUCCESSFUL ->
          new RuleVerdict(id, title, RuleVerdict.Verdict.PASSED, "", Optional.empty());
      case ABORTED ->
          new RuleVerdict(
              id,
              title,
              RuleVerdict.Verdict.NOT_CLAIMED,
              message.replaceFirst("^Assumption failed: ", ""),
              Optional.empty());
      case FAILED -> new RuleVerdict(id, title, RuleVerdict.Verdict.FAILED, message, thrown);
    };
  }

  private static String message(Throwable thrown) {
    String message = thrown.getMessage();
    boolean inWords = thrown instanceof AssertionError || thrown instanceof TestAbortedException;
    return message == null || !inWords ? thrown.toString() : message;
  }

  ConformanceReport report() {
    if (broken.isPresent()) {
      throw new IllegalStateException("the suite could not run", broken.get());
    }
    if (verdicts.isEmpty()) {
      throw new IllegalStateException(
          "no rule was run: is junit-jupiter-engine on the class path?");
    }
    return new ConformanceReport(
        verdicts.stream().sorted(Comparator.comparing(RuleVerdict::id)).toList());
  }
}
