package io.leasehold.journal.tck;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.AssertionFailedError;

/** Puts the rule, its id and what it guarantees, in front of what an assertion says. */
final class GuaranteeInFailure implements TestExecutionExceptionHandler {

  @Override
  public void handleTestExecutionException(ExtensionContext context, Throwable failure)
      throws Throwable {
    if (failure instanceof AssertionError) {
      throw new AssertionFailedError(
          context.getDisplayName() + " -- " + failure.getMessage(), failure);
    }
    throw failure;
  }
}
