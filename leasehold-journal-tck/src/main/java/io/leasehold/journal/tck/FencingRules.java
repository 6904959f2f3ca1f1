package io.leasehold.journal.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.FencingToken;
import io.leasehold.journal.AppendAnswer;
import io.leasehold.journal.Completion;
import io.leasehold.journal.Entry;
import io.leasehold.journal.FenceAnswer;
import io.leasehold.journal.Instance;
import io.leasehold.journal.InstanceId;
import io.leasehold.journal.InstanceState;
import io.leasehold.journal.Journal;
import io.leasehold.journal.NewInstance;
import io.leasehold.journal.Outcome;
import io.leasehold.journal.Payload;
import io.leasehold.journal.Refusal;
import io.leasehold.journal.StartAnswer;
import io.leasehold.journal.StepKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who may write. */
abstract class FencingRules extends JournalRules {

  FencingRules(JournalFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("J01: an instance starts once, pending, with the token as its opening fence")
  void anInstanceStartsOnceWithTheTokenAsItsOpeningFence() {
    assertThat(journal().start(NewInstance.of(ORDER, "order@3", Payload.of("{}")), token(7)))
        .isEqualTo(new StartAnswer.Started(ORDER));
    Instance instance = read(ORDER);
    assertThat(instance.id()).isEqualTo(ORDER);
    assertThat(instance.flow()).isEqualTo("order@3");
    assertThat(instance.state()).isEqualTo(InstanceState.PENDING);
    assertThat(instance.fence()).isEqualTo(token(7));
    assertThat(instance.lastSequence()).isZero();
    assertThat(instance.input()).contains(Payload.of("{}"));
    assertThat(instance.snapshot()).isEmpty();
    assertThat(instance.hint()).isEmpty();
    assertThat(instance.parent()).isEmpty();
    assertThat(instance.touchedAt()).isEqualTo(instance.startedAt());
    assertThat(frontier(ORDER).entries()).isEmpty();
  }

  @Test
  @DisplayName("J02: a second start is refused and changes nothing, whatever its token")
  void aSecondStartIsRefusedAndChangesNothing() {
    started(ORDER, 7);
    Instance before = read(ORDER);
    for (long token : new long[] {6, 7, 8}) {
      assertThat(journal().start(NewInstance.of(ORDER, "other"), token(token)))
          .isEqualTo(new StartAnswer.AlreadyExists(ORDER));
    }
    assertThat(read(ORDER)).isEqualTo(before);
  }

  @Test
  @DisplayName("J03: a child knows the step that started it; the parent may be unknown")
  void aChildKnowsTheStepThatStartedIt() {
    started(ORDER, 7);
    appended(entry(ORDER, 0), 7);
    StepKey step = key(ORDER, "-/3", 6, 2);
    StepKey unknown = StepKey.of(InstanceId.of("elsewhere/1"), 0);
    journal().start(NewInstance.of(OTHER, "child").startedBy(step), token(1));
    InstanceId orphan = InstanceId.of("order/44");
    journal().start(NewInstance.of(orphan, "child").startedBy(unknown), token(1));
    assertThat(read(OTHER).parent()).contains(step);
    assertThat(read(OTHER).flow()).isEqualTo("child");
    assertThat(read(orphan).parent()).contains(unknown);
    assertThat(frontier(OTHER).entries()).isEmpty();
    assertThat(read(ORDER).parent()).isEmpty();
  }

  @Test
  @DisplayName("J04: nothing can be written to an instance that was not started, or read of it")
  void nothingCanBeWrittenToAnInstanceThatWasNotStarted() {
    assertThat(journal().fence(ORDER, token(7))).isEqualTo(new Refusal.NotFound(ORDER));
    assertThat(journal().append(entry(ORDER, 0), token(7))).isEqualTo(new Refusal.NotFound(ORDER));
    assertThat(journal().complete(ORDER, Completion.of(Outcome.COMPLETED), token(7)))
        .isEqualTo(new Refusal.NotFound(ORDER));
    assertThat(journal().read(ORDER)).isEmpty();
    assertThat(journal().frontier(ORDER)).isEmpty();
  }

  @Test
  @DisplayName("J05: the fence rises on acquisition, before the new owner has written anything")
  void theFenceRisesOnAcquisition() {
    started(ORDER, 7);
    fenced(ORDER, 8);
    assertThat(read(ORDER).fence()).isEqualTo(token(8));
    assertThat(journal().append(entry(ORDER, 0), token(7)))
        .isEqualTo(new Refusal.FencedOut(ORDER, token(7), token(8)));
    assertThat(frontier(ORDER).entries()).isEmpty();
  }

  @Test
  @DisplayName("J06: the fence never goes down, and a lower token does not raise it again")
  void theFenceNeverGoesDown() {
    started(ORDER, 4);
    assertThat(journal().fence(ORDER, token(3)))
        .isEqualTo(new Refusal.FencedOut(ORDER, token(3), token(4)));
    assertThat(read(ORDER).fence()).isEqualTo(token(4));
    assertThat(journal().append(entry(ORDER, 0), token(3)))
        .isEqualTo(new Refusal.FencedOut(ORDER, token(3), token(4)));
    assertThat(read(ORDER).fence()).isEqualTo(token(4));
  }

  @Test
  @DisplayName("J07: an equal token is admitted, so one lease commits many steps")
  void anEqualTokenIsAdmitted() {
    started(ORDER, 5);
    fenced(ORDER, 5);
    appended(entry(ORDER, 0), 5);
    appended(entry(ORDER, 1), 5);
    fenced(ORDER, 5);
    appended(entry(ORDER, 2), 5);
    assertThat(steps(ORDER)).containsExactly(0, 1, 2);
  }

  @Test
  @DisplayName("J08: a superseded token is refused on every write, not on the first one only")
  void aSupersededTokenIsRefusedOnEveryWrite() {
    started(ORDER, 7);
    appended(entry(ORDER, 0), 7);
    fenced(ORDER, 8);
    appended(entry(ORDER, 1), 8);
    for (int step = 2; step < 5; step++) {
      assertThat(journal().append(entry(ORDER, step), token(7)))
          .isEqualTo(new Refusal.FencedOut(ORDER, token(7), token(8)));
    }
    assertThat(steps(ORDER)).containsExactly(0, 1);
  }

  @Test
  @DisplayName("J09: a higher token on a write raises the fence")
  void aHigherTokenOnAWriteRaisesTheFence() {
    started(ORDER, 7);
    appended(entry(ORDER, 0), 9);
    assertThat(read(ORDER).fence()).isEqualTo(token(9));
    assertThat(journal().append(entry(ORDER, 1), token(8)))
        .isEqualTo(new Refusal.FencedOut(ORDER, token(8), token(9)));
    journal().complete(ORDER, Completion.of(Outcome.FAILED), token(11));
    assertThat(read(ORDER).fence()).isEqualTo(token(11));
  }

  @Test
  @DisplayName("J10: tokens up to 2^53 - 1 are compared as whole numbers")
  void tokensAreComparedAsWholeNumbers() {
    long most = FencingToken.MAX_VALUE;
    started(ORDER, most - 1);
    fenced(ORDER, most);
    assertThat(journal().append(entry(ORDER, 0), token(most - 1)))
        .isEqualTo(new Refusal.FencedOut(ORDER, token(most - 1), token(most)));
    appended(entry(ORDER, 0), most);
  }

  @Test
  @DisplayName("J11: refusals are looked at in order: fenced out, already terminal, duplicate key")
  void refusalsAreLookedAtInOrder() {
    started(ORDER, 7);
    appended(entry(ORDER, 0), 7);
    assertThat(journal().append(entry(ORDER, 0), token(6)))
        .as("superseded, and the key is there")
        .isEqualTo(new Refusal.FencedOut(ORDER, token(6), token(7)));
    journal().complete(ORDER, Completion.of(Outcome.FAILED), token(7));
    assertThat(journal().append(entry(ORDER, 0), token(6)))
        .as("superseded, and ended, and the key is there")
        .isEqualTo(new Refusal.FencedOut(ORDER, token(6), token(7)));
    assertThat(journal().append(entry(ORDER, 0), token(7)))
        .as("ended, and the key is there")
        .isEqualTo(new Refusal.AlreadyTerminal(ORDER, InstanceState.FAILED));
    assertThat(journal().complete(ORDER, Completion.of(Outcome.COMPLETED), token(6)))
        .as("superseded, and ended in another way")
        .isEqualTo(new Refusal.FencedOut(ORDER, token(6), token(7)));
  }

  @Test
  @DisplayName("J12: two journal objects see one truth")
  void twoJournalObjectsSeeOneTruth() throws Exception {
    Journal other = anotherJournal();
    started(ORDER, 7);
    assertThat(other.fence(ORDER, token(8))).isEqualTo(new FenceAnswer.Raised(token(8)));
    assertThat(journal().append(entry(ORDER, 0), token(7)))
        .isEqualTo(new Refusal.FencedOut(ORDER, token(7), token(8)));
    assertThat(other.append(entry(ORDER, 0), token(8))).isEqualTo(new AppendAnswer.Appended(1));
    assertThat(steps(ORDER)).containsExactly(0);
  }

  @Test
  @DisplayName("J13: while a fence is raised, appends either precede it or are refused")
  void appendsPrecedeTheRaisedFenceOrAreRefused() throws Exception {
    started(ORDER, 7);
    Journal other = anotherJournal();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Callable<List<AppendAnswer>> predecessor =
          () -> {
            List<AppendAnswer> answers = new ArrayList<>();
            do {
              answers.add(journal().append(entry(ORDER, answers.size()), token(7)));
              // A database with one writer at a time is not fair: leave room for the fence.
              LockSupport.parkNanos(500_000);
            } while (answers.get(answers.size() - 1) instanceof AppendAnswer.Appended
                && answers.size() < 10_000);
            return answers;
          };
      Future<List<AppendAnswer>> writing = thread.submit(predecessor);
      eventually("the predecessor's first entry", () -> !frontier(ORDER).entries().isEmpty());
      assertThat(other.fence(ORDER, token(8))).isEqualTo(new FenceAnswer.Raised(token(8)));
      int seen = other.frontier(ORDER).orElseThrow().entries().size();
      List<AppendAnswer> answers = writing.get();
      assertThat(answers.get(answers.size() - 1))
          .isEqualTo(new Refusal.FencedOut(ORDER, token(7), token(8)));
      assertThat(answers.size() - 1).as("admitted before the fence").isEqualTo(seen);
      assertThat(frontier(ORDER).entries()).hasSize(seen);
    } finally {
      thread.shutdownNow();
    }
  }

  @Test
  @DisplayName("J14: the fence of an ended instance can be raised, so that its history can be read")
  void theFenceOfAnEndedInstanceCanBeRaised() {
    started(ORDER, 7);
    appended(Entry.of(StepKey.of(ORDER, 0), "all").build(), 7);
    journal().complete(ORDER, Completion.of(Outcome.COMPLETED), token(7));
    fenced(ORDER, 8);
    assertThat(read(ORDER).state()).isEqualTo(InstanceState.COMPLETED);
    assertThat(steps(ORDER)).containsExactly(0);
  }
}
