package io.leasehold.journal.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.journal.CompleteAnswer;
import io.leasehold.journal.Completion;
import io.leasehold.journal.Entry;
import io.leasehold.journal.Instance;
import io.leasehold.journal.InstanceId;
import io.leasehold.journal.InstanceState;
import io.leasehold.journal.Outcome;
import io.leasehold.journal.Payload;
import io.leasehold.journal.Refusal;
import io.leasehold.journal.StepKey;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How an instance ends. */
abstract class CompletionRules extends JournalRules {

  CompletionRules(JournalFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("J60: completing stores how the instance ended and its last snapshot")
  void completingStoresTheEndAndTheLastSnapshot() {
    for (Outcome outcome : Outcome.values()) {
      InstanceId id = InstanceId.of("end/" + outcome);
      started(id, 1);
      Completion completion = new Completion(outcome, Optional.of(Payload.of("last")));
      assertThat(journal().complete(id, completion, token(1)))
          .isEqualTo(new CompleteAnswer.Completed(outcome));
      assertThat(read(id).state()).isEqualTo(outcome.state());
      assertThat(read(id).snapshot()).contains(Payload.of("last"));
    }
  }

  @Test
  @DisplayName("J61: completing again with the same outcome is a repeat and changes nothing")
  void completingAgainWithTheSameOutcomeIsARepeat() {
    started(ORDER, 5);
    journal()
        .complete(ORDER, new Completion(Outcome.FAILED, Optional.of(Payload.of("1"))), token(5));
    Instance before = read(ORDER);
    letTheClockMove();
    assertThat(
            journal()
                .complete(
                    ORDER, new Completion(Outcome.FAILED, Optional.of(Payload.of("2"))), token(5)))
        .isEqualTo(new CompleteAnswer.Repeated(Outcome.FAILED));
    assertThat(read(ORDER)).isEqualTo(before);
  }

  @Test
  @DisplayName("J62: completing again with another outcome is refused")
  void completingAgainWithAnotherOutcomeIsRefused() {
    started(ORDER, 5);
    journal().complete(ORDER, Completion.of(Outcome.COMPLETED), token(5));
    Instance before = read(ORDER);
    assertThat(journal().complete(ORDER, Completion.of(Outcome.FAILED), token(6)))
        .isEqualTo(new Refusal.AlreadyTerminal(ORDER, InstanceState.COMPLETED));
    assertThat(read(ORDER)).isEqualTo(before);
  }

  @Test
  @DisplayName("J63: nothing is appended to an instance that has ended")
  void nothingIsAppendedToAnInstanceThatHasEnded() {
    started(ORDER, 5);
    journal().complete(ORDER, Completion.of(Outcome.FAILED), token(5));
    assertThat(journal().append(entry(ORDER, 0), token(5)))
        .isEqualTo(new Refusal.AlreadyTerminal(ORDER, InstanceState.FAILED));
  }

  @Test
  @DisplayName("J64: a superseded owner cannot complete")
  void aSupersededOwnerCannotComplete() {
    started(ORDER, 2);
    fenced(ORDER, 3);
    assertThat(journal().complete(ORDER, Completion.of(Outcome.COMPLETED), token(2)))
        .isEqualTo(new Refusal.FencedOut(ORDER, token(2), token(3)));
    assertThat(read(ORDER).state()).isEqualTo(InstanceState.PENDING);
  }

  @Test
  @DisplayName("J65: completing without a snapshot leaves the last one")
  void completingWithoutASnapshotLeavesTheLastOne() {
    started(ORDER, 1);
    appended(Entry.of(StepKey.of(ORDER, 0), "a").snapshot(Payload.of("s")).build(), 1);
    journal().complete(ORDER, Completion.of(Outcome.COMPLETED), token(1));
    assertThat(read(ORDER).snapshot()).contains(Payload.of("s"));
  }
}
