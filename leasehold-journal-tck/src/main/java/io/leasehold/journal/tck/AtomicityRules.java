package io.leasehold.journal.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.journal.Append;
import io.leasehold.journal.Completion;
import io.leasehold.journal.Entry;
import io.leasehold.journal.Event;
import io.leasehold.journal.Frontier;
import io.leasehold.journal.InstanceState;
import io.leasehold.journal.Outcome;
import io.leasehold.journal.Payload;
import io.leasehold.journal.PendingEvent;
import io.leasehold.journal.Refusal;
import io.leasehold.journal.StepKey;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** An entry, its snapshot and its events: all or nothing. */
abstract class AtomicityRules extends JournalRules {

  private static final Event PAID = new Event("order.paid", "order/42", Payload.of("{\"a\":1}"));
  private static final Event SHIPPED = new Event("order.shipped", "order/42", Payload.of(""));

  AtomicityRules(JournalFixture fixture) {
    super(fixture);
  }

  /** An entry that carries everything an entry can. */
  private static Entry loaded(StepKey key) {
    return Entry.of(key, "pay")
        .snapshot(Payload.of("after " + key))
        .state(InstanceState.COMPENSATING)
        .hint(key.step() + 1)
        .event(PAID)
        .event(SHIPPED)
        .build();
  }

  @Test
  @DisplayName("J40: an entry, its snapshot and its events are committed together")
  void anEntryItsSnapshotAndItsEventsAreCommittedTogether() {
    started(ORDER, 5);
    appended(loaded(StepKey.of(ORDER, 0)), 5);
    Frontier frontier = frontier(ORDER);
    assertThat(frontier.entries()).hasSize(1);
    assertThat(frontier.instance().snapshot())
        .contains(Payload.of("after order/42 - step 0 attempt 1"));
    assertThat(frontier.instance().state()).isEqualTo(InstanceState.COMPENSATING);
    assertThat(frontier.instance().hint()).contains(1);
    List<PendingEvent> events = journal().pendingEvents(0, 10);
    assertThat(events).extracting(PendingEvent::event).containsExactly(PAID, SHIPPED);
    assertThat(events).extracting(PendingEvent::ordinal).containsExactly(1, 2);
    assertThat(events).allMatch(each -> each.instance().equals(ORDER) && each.sequence() == 1);
  }

  @Test
  @DisplayName("J41: an append refused for its token writes nothing")
  void anAppendRefusedForItsTokenWritesNothing() {
    started(ORDER, 5);
    appended(entry(ORDER, 0), 5);
    fenced(ORDER, 6);
    assertNothingChanges(
        () ->
            assertThat(journal().append(loaded(StepKey.of(ORDER, 1)), token(5)))
                .isInstanceOf(Refusal.FencedOut.class));
  }

  @Test
  @DisplayName("J42: an append refused for its key writes nothing, and does not raise the fence")
  void anAppendRefusedForItsKeyWritesNothing() {
    started(ORDER, 5);
    appended(entry(ORDER, 0), 5);
    assertNothingChanges(
        () ->
            assertThat(journal().append(loaded(StepKey.of(ORDER, 0)), token(6)))
                .isInstanceOf(Refusal.DuplicateKey.class));
  }

  @Test
  @DisplayName("J43: an append to an ended instance writes nothing, and does not raise the fence")
  void anAppendToAnEndedInstanceWritesNothing() {
    started(ORDER, 5);
    appended(entry(ORDER, 0), 5);
    journal().complete(ORDER, Completion.of(Outcome.COMPLETED), token(5));
    assertNothingChanges(
        () ->
            assertThat(journal().append(loaded(StepKey.of(ORDER, 1)), token(6)))
                .isEqualTo(new Refusal.AlreadyTerminal(ORDER, InstanceState.COMPLETED)));
  }

  @Test
  @DisplayName("J44: the refused among many appends write nothing, the others everything")
  void theRefusedAmongManyAppendsWriteNothing() {
    started(ORDER, 5);
    started(OTHER, 5);
    appended(entry(OTHER, 0), 5);
    journal()
        .appendAll(
            List.of(
                new Append(loaded(StepKey.of(OTHER, 0)), token(5)),
                new Append(loaded(StepKey.of(ORDER, 0)), token(5)),
                new Append(loaded(StepKey.of(ORDER, 1)), token(4))));
    assertThat(read(OTHER).snapshot()).isEmpty();
    assertThat(steps(ORDER)).containsExactly(0);
    assertThat(read(ORDER).hint()).contains(1);
    assertThat(journal().pendingEvents(0, 10))
        .extracting(PendingEvent::id)
        .containsExactly("order/42#1.1", "order/42#1.2");
  }

  private void assertNothingChanges(Runnable refused) {
    Frontier before = frontier(ORDER);
    List<PendingEvent> events = journal().pendingEvents(0, 10);
    refused.run();
    Frontier after = frontier(ORDER);
    assertThat(after.entries()).as("entries").isEqualTo(before.entries());
    assertThat(after.instance().snapshot()).as("snapshot").isEqualTo(before.instance().snapshot());
    assertThat(journal().pendingEvents(0, 10)).as("events").isEqualTo(events);
    assertThat(after.instance()).as("instance").isEqualTo(before.instance());
  }
}
