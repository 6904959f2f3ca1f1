package io.leasehold.journal.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Page;
import io.leasehold.journal.AbandonedInstance;
import io.leasehold.journal.AbandonedPage;
import io.leasehold.journal.Completion;
import io.leasehold.journal.InstanceId;
import io.leasehold.journal.InstanceState;
import io.leasehold.journal.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What nobody works on. */
abstract class RecoveryRules extends JournalRules {

  RecoveryRules(JournalFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("J70: an unfinished instance that nobody has touched is listed, with its facts")
  void anUnfinishedInstanceThatNobodyHasTouchedIsListed() {
    InstanceId id = running("a", 7);
    InstanceId pending = InstanceId.of("b");
    started(pending, 1);
    letTheClockMove();
    InstanceId compensating = inState("c", InstanceState.COMPENSATING);
    assertThat(abandoned(Duration.ZERO)).containsExactly(id, pending, compensating);
    AbandonedInstance first = journal().abandoned(Duration.ZERO, Page.first(1)).instances().get(0);
    assertThat(first)
        .isEqualTo(
            new AbandonedInstance(
                id, "order", InstanceState.RUNNING, token(7), read(id).touchedAt()));
  }

  @Test
  @DisplayName("J71: a suspended instance is not listed")
  void aSuspendedInstanceIsNotListed() {
    inState("a", InstanceState.SUSPENDED);
    InstanceId other = running("b", 1);
    assertThat(abandoned(Duration.ZERO)).containsExactly(other);
  }

  @Test
  @DisplayName("J72: an ended instance is not listed")
  void anEndedInstanceIsNotListed() {
    for (Outcome outcome : Outcome.values()) {
      InstanceId id = running("end/" + outcome, 1);
      journal().complete(id, Completion.of(outcome), token(1));
    }
    letTheClockMove();
    assertThat(abandoned(Duration.ZERO)).isEmpty();
  }

  @Test
  @DisplayName("J73: an instance that was touched within the time is not listed")
  void anInstanceThatWasTouchedIsNotListed() {
    running("a", 1);
    assertThat(abandoned(Duration.ofHours(1))).isEmpty();
    assertThat(abandoned(Duration.ofDays(366))).isEmpty();
    Duration idle = Duration.ofMillis(50);
    eventually("it was idle for 50 ms", () -> abandoned(idle).size() == 1);
  }

  @Test
  @DisplayName("J74: the oldest come first; fencing, appending and nothing else touches")
  void theOldestComeFirst() {
    List<InstanceId> started = new ArrayList<>();
    // Neither in the order of their ids nor in the one of their creation.
    for (String name : List.of("m", "z", "a", "k")) {
      started.add(running(name, 1));
    }
    fenced(started.get(0), 2);
    letTheClockMove();
    appended(entry(started.get(1), 1), 1);
    letTheClockMove();
    journal().append(entry(started.get(2), 0), token(1));
    journal().fence(started.get(2), token(1));
    letTheClockMove();
    read(started.get(3));
    frontier(started.get(3));
    assertThat(abandoned(Duration.ZERO))
        .containsExactly(started.get(3), started.get(0), started.get(1), started.get(2));
  }

  @Test
  @DisplayName("J75: a page holds the oldest, and its cursor goes on behind them")
  void aPageHoldsTheOldestAndItsCursorGoesOn() {
    List<InstanceId> all = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      all.add(running("p/" + (9 - i), 1));
    }
    List<InstanceId> seen = new ArrayList<>();
    AbandonedPage page = journal().abandoned(Duration.ZERO, Page.first(3));
    page.instances().forEach(each -> seen.add(each.id()));
    assertThat(seen).isEqualTo(all.subList(0, 3));
    while (page.next().isPresent()) {
      page = journal().abandoned(Duration.ZERO, Page.at(page.next().get(), 3));
      page.instances().forEach(each -> seen.add(each.id()));
    }
    assertThat(seen).isEqualTo(all);
  }

  @Test
  @DisplayName("J76: instances touched in one millisecond are all listed, page by page")
  void instancesTouchedInOneMillisecondAreAllListed() {
    List<InstanceId> all = IntStream.range(0, 40).mapToObj(i -> InstanceId.of("tie/" + i)).toList();
    all.forEach(each -> started(each, 1));
    letTheClockMove();
    List<InstanceId> seen = new ArrayList<>();
    AbandonedPage page = journal().abandoned(Duration.ZERO, Page.first(3));
    page.instances().forEach(each -> seen.add(each.id()));
    while (page.next().isPresent()) {
      page = journal().abandoned(Duration.ZERO, Page.at(page.next().get(), 3));
      page.instances().forEach(each -> seen.add(each.id()));
    }
    assertThat(seen).containsExactlyInAnyOrderElementsOf(all);
  }

  @Test
  @DisplayName("J77: nothing abandoned is an empty page; unusable arguments are refused")
  void nothingAbandonedIsAnEmptyPage() {
    AbandonedPage page = journal().abandoned(Duration.ZERO, Page.first(10));
    assertThat(page.instances()).isEqualTo(Collections.emptyList());
    assertThat(page.next()).isEmpty();
    assertThatThrownBy(() -> journal().abandoned(Duration.ofMillis(-1), Page.first(10)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> journal().abandoned(Duration.ofDays(367), Page.first(10)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
