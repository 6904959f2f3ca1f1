package io.leasehold.journal.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.journal.Completion;
import io.leasehold.journal.Entry;
import io.leasehold.journal.Event;
import io.leasehold.journal.InstanceId;
import io.leasehold.journal.InstanceState;
import io.leasehold.journal.NewInstance;
import io.leasehold.journal.Outcome;
import io.leasehold.journal.Payload;
import io.leasehold.journal.PendingEvent;
import io.leasehold.journal.PurgeReport;
import io.leasehold.journal.Retention;
import io.leasehold.journal.StepKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The outbox, and what is deleted when. */
abstract class UpkeepRules extends JournalRules {

  private static final Retention NOW =
      new Retention(
          Retention.Windows.of(Duration.ZERO, Duration.ZERO), Map.of(), Duration.ofDays(1));

  UpkeepRules(JournalFixture fixture) {
    super(fixture);
  }

  private void emitted(InstanceId instance, int step, String... keys) {
    Entry.Builder entry = Entry.of(StepKey.of(instance, step), "a");
    for (String key : keys) {
      entry.event(new Event("t", key, Payload.of(instance + " " + step)));
    }
    appended(entry.build(), 1);
  }

  private InstanceId ended(String name, String flow, Outcome outcome) {
    InstanceId id = InstanceId.of(name);
    journal().start(NewInstance.of(id, flow), token(1));
    emitted(id, 0);
    journal().complete(id, Completion.of(outcome), token(1));
    return id;
  }

  @Test
  @DisplayName("J80: pending events come in the order of their commit, and an entry's in its order")
  void pendingEventsComeInTheOrderOfTheirCommit() {
    started(ORDER, 1);
    started(OTHER, 1);
    emitted(ORDER, 5, "x", "y");
    emitted(OTHER, 0, "x");
    emitted(ORDER, 1, "z");
    assertThat(journal().pendingEvents(0, 100))
        .extracting(PendingEvent::id)
        .containsExactly("order/42#1.1", "order/42#1.2", "order/43#1.1", "order/42#2.1");
    assertThat(journal().pendingEvents(0, 2)).hasSize(2);
  }

  @Test
  @DisplayName("J81: events after a position are read without those before it")
  void eventsAfterAPositionAreRead() {
    started(ORDER, 1);
    emitted(ORDER, 0, "a", "b", "c");
    List<PendingEvent> all = journal().pendingEvents(0, 100);
    assertThat(journal().pendingEvents(all.get(0).position(), 100)).isEqualTo(all.subList(1, 3));
    assertThatThrownBy(() -> journal().pendingEvents(0, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @DisplayName("J82: a published event is pending no more; marking it twice is nothing")
  void aPublishedEventIsPendingNoMore() {
    started(ORDER, 1);
    emitted(ORDER, 0, "a", "b", "c");
    List<PendingEvent> all = journal().pendingEvents(0, 100);
    journal().markPublished(List.of(all.get(0).position(), all.get(2).position()));
    journal().markPublished(List.of(all.get(0).position()));
    journal().markPublished(List.of());
    journal().markPublished(List.of(999_999L));
    assertThat(journal().pendingEvents(0, 100)).containsExactly(all.get(1));
  }

  @Test
  @DisplayName("J83: an ended instance goes when its window is over, with its history")
  void anEndedInstanceGoesWhenItsWindowIsOver() {
    InstanceId completed = ended("a", "order", Outcome.COMPLETED);
    InstanceId failed = ended("b", "order", Outcome.FAILED);
    InstanceId timedOut = ended("c", "order", Outcome.TIMED_OUT);
    assertThat(journal().purge(Retention.standard())).isEqualTo(new PurgeReport(0, 0, 0, 0));
    assertThat(read(completed).state()).isEqualTo(InstanceState.COMPLETED);
    assertThat(journal().purge(NOW)).isEqualTo(new PurgeReport(0, 1, 2, 0));
    for (InstanceId gone : List.of(completed, failed, timedOut)) {
      assertThat(journal().frontier(gone)).isEmpty();
      started(gone, 1);
      assertThat(frontier(gone).entries()).isEmpty();
    }
  }

  @Test
  @DisplayName("J84: what has not ended is never deleted, suspended or not")
  void whatHasNotEndedIsNeverDeleted() {
    InstanceId suspended = inState("a", InstanceState.SUSPENDED);
    InstanceId running = running("b", 1);
    assertThat(journal().purge(NOW)).isEqualTo(new PurgeReport(0, 0, 0, 0));
    assertThat(steps(suspended)).hasSize(1);
    assertThat(steps(running)).hasSize(1);
  }

  @Test
  @DisplayName("J85: an instance that owes an event is held back, and counted")
  void anInstanceThatOwesAnEventIsHeldBack() {
    InstanceId id = InstanceId.of("a");
    started(id, 1);
    emitted(id, 0, "x", "y");
    journal().complete(id, Completion.of(Outcome.COMPLETED), token(1));
    List<PendingEvent> events = journal().pendingEvents(0, 10);
    journal().markPublished(List.of(events.get(0).position()));
    assertThat(journal().purge(NOW)).isEqualTo(new PurgeReport(1, 0, 0, 0));
    assertThat(journal().pendingEvents(0, 10)).containsExactly(events.get(1));
    assertThat(steps(id)).hasSize(1);
    journal().markPublished(List.of(events.get(1).position()));
    assertThat(journal().purge(NOW)).isEqualTo(new PurgeReport(0, 1, 0, 0));
    assertThat(journal().read(id)).isEmpty();
  }

  @Test
  @DisplayName("J86: a flow's own windows decide; a window may be for ever")
  void aFlowsOwnWindowsDecide() {
    InstanceId audited = ended("a", "audited", Outcome.COMPLETED);
    InstanceId brief = ended("b", "brief", Outcome.COMPLETED);
    InstanceId plain = ended("c", "plain", Outcome.COMPLETED);
    Retention retention =
        Retention.standard()
            .with("audited", Retention.Windows.forEver())
            .with("brief", Retention.Windows.of(Duration.ZERO, Duration.ZERO));
    assertThat(journal().purge(retention)).isEqualTo(new PurgeReport(0, 1, 0, 0));
    assertThat(journal().read(audited)).isPresent();
    assertThat(journal().read(brief)).isEmpty();
    assertThat(journal().read(plain)).isPresent();
    Retention all = NOW.with("audited", Retention.Windows.forEver());
    assertThat(journal().purge(all)).isEqualTo(new PurgeReport(0, 1, 0, 0));
    assertThat(journal().read(audited)).isPresent();
  }

  @Test
  @DisplayName("J87: completed and failed instances have windows of their own")
  void completedAndFailedHaveWindowsOfTheirOwn() {
    InstanceId completed = ended("a", "order", Outcome.COMPLETED);
    InstanceId failed = ended("b", "order", Outcome.COMPENSATION_FAILED);
    Retention retention =
        new Retention(
            Retention.Windows.of(Duration.ZERO, Duration.ofDays(1)), Map.of(), Duration.ZERO);
    assertThat(journal().purge(retention)).isEqualTo(new PurgeReport(0, 1, 0, 0));
    assertThat(journal().read(completed)).isEmpty();
    assertThat(journal().read(failed)).isPresent();
  }

  @Test
  @DisplayName("J88: published events of an instance that stays go after their own window")
  void publishedEventsGoAfterTheirOwnWindow() {
    started(ORDER, 1);
    emitted(ORDER, 0, "a", "b");
    List<PendingEvent> events = journal().pendingEvents(0, 10);
    journal().markPublished(List.of(events.get(0).position()));
    Retention retention = new Retention(Retention.Windows.forEver(), Map.of(), Duration.ZERO);
    assertThat(journal().purge(Retention.standard())).isEqualTo(new PurgeReport(0, 0, 0, 0));
    assertThat(journal().purge(retention)).isEqualTo(new PurgeReport(0, 0, 0, 1));
    assertThat(journal().pendingEvents(0, 10)).containsExactly(events.get(1));
    assertThat(steps(ORDER)).hasSize(1);
  }

  @Test
  @DisplayName("J89: a purge takes as many steps as it needs")
  void aPurgeTakesAsManyStepsAsItNeeds() {
    List<InstanceId> all = new ArrayList<>();
    IntStream.range(0, 620).forEach(i -> all.add(InstanceId.of("many/" + i)));
    for (InstanceId id : all) {
      started(id, 1);
      journal().complete(id, Completion.of(Outcome.COMPLETED), token(1));
    }
    assertThat(journal().purge(NOW)).isEqualTo(new PurgeReport(0, 620, 0, 0));
    assertThat(journal().read(all.get(0))).isEmpty();
    assertThat(journal().read(all.get(619))).isEmpty();
  }
}
