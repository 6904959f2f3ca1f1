package io.leasehold.journal.tck;

import io.leasehold.journal.Journal;
import java.time.Duration;

/** What the conformance suite needs to know of a journal: how to open it, and how to empty it. */
public interface JournalFixture {

  /**
   * Makes the database empty. Called before each test; a journal with tables gets new ones.
   *
   * @throws Exception if that cannot be done; the test fails
   */
  void clear() throws Exception;

  /**
   * Opens a journal object over the database under test. Called more than once by rules such as
   * "two journal objects see one truth"; every call must reach the same database until the next
   * {@link #clear()}. The suite closes what it opened.
   *
   * @return an open journal
   * @throws Exception if it cannot be opened; the test fails
   */
  Journal open() throws Exception;

  /**
   * How long the suite waits for what must come before the rule is broken.
   *
   * @return 10 s unless overridden
   */
  default Duration patience() {
    return Duration.ofSeconds(10);
  }
}
