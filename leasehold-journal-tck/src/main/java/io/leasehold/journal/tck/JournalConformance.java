package io.leasehold.journal.tck;

import org.junit.jupiter.api.Nested;

/**
 * The conformance suite: a journal keeps the contract if a subclass of this passes.
 *
 * <pre>{@code
 * class MyJournalTest extends JournalConformance {
 *   MyJournalTest() {
 *     super(new MyFixture());
 *   }
 * }
 * }</pre>
 *
 * <p>A failure starts with the id of the rule; SPEC-JOURNAL.md says what it guarantees and why.
 */
public abstract class JournalConformance {

  private final JournalFixture fixture;

  /**
   * The suite for a journal.
   *
   * @param fixture opens it
   */
  protected JournalConformance(JournalFixture fixture) {
    this.fixture = fixture;
  }

  /** Starting and fencing. */
  @Nested
  class Fencing extends FencingRules {
    Fencing() {
      super(fixture);
    }
  }

  /** What is appended, under which key, in which order. */
  @Nested
  class Entries extends EntryRules {
    Entries() {
      super(fixture);
    }
  }

  /** All or nothing. */
  @Nested
  class Atomicity extends AtomicityRules {
    Atomicity() {
      super(fixture);
    }
  }

  /** What comes back. */
  @Nested
  class Contents extends ContentRules {
    Contents() {
      super(fixture);
    }
  }

  /** How an instance ends. */
  @Nested
  class Completions extends CompletionRules {
    Completions() {
      super(fixture);
    }
  }

  /** What nobody works on. */
  @Nested
  class Recovery extends RecoveryRules {
    Recovery() {
      super(fixture);
    }
  }

  /** Events and retention. */
  @Nested
  class OutboxAndRetention extends UpkeepRules {
    OutboxAndRetention() {
      super(fixture);
    }
  }
}
