package io.leasehold.journal.tck;

import io.leasehold.journal.Journal;
import io.leasehold.journal.memory.MemoryJournal;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** The suite on the memory journal. */
class MemoryJournalTest extends JournalConformance {

  MemoryJournalTest() {
    super(
        new JournalFixture() {
          private @Nullable Journal journal;

          @Override
          public void clear() {
            journal = new MemoryJournal(InstantSource.system());
          }

          @Override
          public Journal open() {
            if (journal == null) {
              throw new IllegalStateException("clear() comes first");
            }
            return journal;
          }
        });
  }
}
