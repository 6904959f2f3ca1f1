package io.leasehold.journal.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.journal.Append;
import io.leasehold.journal.AppendAnswer;
import io.leasehold.journal.Entry;
import io.leasehold.journal.Frontier;
import io.leasehold.journal.InstanceId;
import io.leasehold.journal.Journal;
import io.leasehold.journal.Payload;
import io.leasehold.journal.RecordedEntry;
import io.leasehold.journal.Refusal;
import io.leasehold.journal.Scope;
import io.leasehold.journal.StepKey;
import io.leasehold.journal.StepOutcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Keys, scopes, sequences, and where to go on. */
abstract class EntryRules extends JournalRules {

  EntryRules(JournalFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("J20: the key includes the scope")
  void theKeyIncludesTheScope() {
    started(ORDER, 1);
    List<String> scopes = List.of("-", "-/0", "-/1", "-/1/2");
    for (String scope : scopes) {
      appended(Entry.of(key(ORDER, scope, 7, 1), "ship").build(), 1);
    }
    assertThat(frontier(ORDER).entries())
        .extracting(each -> each.key().scope().text())
        .containsExactlyElementsOf(scopes);
  }

  @Test
  @DisplayName("J21: a key that is there is refused, and its entry is left as it was")
  void aRepeatedKeyIsRefusedRatherThanOverwritten() {
    started(ORDER, 1);
    StepKey key = StepKey.of(ORDER, 3);
    appended(Entry.of(key, "first").result(Payload.of("1")).build(), 1);
    assertThat(
            journal()
                .append(
                    Entry.of(key, "second")
                        .outcome(StepOutcome.FAILURE)
                        .result(Payload.of("2"))
                        .build(),
                    token(1)))
        .isEqualTo(new Refusal.DuplicateKey(key));
    List<RecordedEntry> entries = frontier(ORDER).entries();
    assertThat(entries).hasSize(1);
    assertThat(entries.get(0).action()).isEqualTo("first");
    assertThat(entries.get(0).outcome()).isEqualTo(StepOutcome.SUCCESS);
    assertThat(entries.get(0).result()).contains(Payload.of("1"));
  }

  @Test
  @DisplayName("J22: each attempt at a step has an entry of its own")
  void eachAttemptHasAnEntryOfItsOwn() {
    started(ORDER, 1);
    appended(Entry.of(key(ORDER, "-", 3, 1), "pay").outcome(StepOutcome.FAILURE).build(), 1);
    assertThat(frontier(ORDER).isCommitted(Scope.ROOT, 3)).isFalse();
    assertThat(frontier(ORDER).nextAttempt(Scope.ROOT, 3)).isEqualTo(2);
    appended(Entry.of(key(ORDER, "-", 3, 2), "pay").build(), 1);
    assertThat(frontier(ORDER).entries())
        .extracting(RecordedEntry::outcome)
        .containsExactly(StepOutcome.FAILURE, StepOutcome.SUCCESS);
    assertThat(frontier(ORDER).isCommitted(Scope.ROOT, 3)).isTrue();
  }

  @Test
  @DisplayName("J23: the root scope is written '-', elements nest, and an empty scope is an error")
  void theRootScopeIsWrittenAsADash() {
    assertThat(Scope.ROOT.text()).isEqualTo("-");
    assertThat(Scope.ROOT.element(3).element(0)).isEqualTo(Scope.parse("-/3/0"));
    for (String wrong : List.of("", " ", "/", "-/", "3", "-/03", "-/a", "-/-1", "--", "-/3 ")) {
      assertThatThrownBy(() -> Scope.parse(wrong))
          .as("scope '%s'", wrong)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'-'");
    }
    started(ORDER, 1);
    appended(entry(ORDER, 0), 1);
    Scope deep = Scope.ROOT.element(3).element(0);
    appended(Entry.of(new StepKey(ORDER, deep, 0, 1), "deep").build(), 1);
    assertThat(frontier(ORDER).find(StepKey.of(ORDER, 0))).isPresent();
    assertThat(frontier(ORDER).find(new StepKey(ORDER, deep, 0, 1)))
        .hasValueSatisfying(each -> assertThat(each.key().scope()).isEqualTo(deep));
  }

  @Test
  @DisplayName("J24: instances are told apart byte for byte")
  void instancesAreToldApartByteForByte() {
    List<String> names = List.of("Job", "job", "jób", "jo\u0301b", "j%b", "{job}", "'job'", "🦊");
    for (int i = 0; i < names.size(); i++) {
      started(InstanceId.of(names.get(i)), i + 1);
      appended(entry(InstanceId.of(names.get(i)), i), i + 1);
    }
    for (int i = 0; i < names.size(); i++) {
      InstanceId instance = InstanceId.of(names.get(i));
      assertThat(read(instance).fence()).isEqualTo(token(i + 1));
      assertThat(read(instance).id()).isEqualTo(instance);
      assertThat(steps(instance)).containsExactly(i);
    }
  }

  @Test
  @DisplayName("J25: entries come back in the order in which they were committed")
  void entriesComeBackInTheOrderOfTheirCommit() {
    started(ORDER, 1);
    for (int step : new int[] {5, 1, 9}) {
      appended(entry(ORDER, step), 1);
    }
    assertThat(steps(ORDER)).containsExactly(5, 1, 9);
    assertThat(sequences(ORDER)).containsExactly(1L, 2L, 3L);
    assertThat(read(ORDER).lastSequence()).isEqualTo(3);
  }

  @Test
  @DisplayName("J26: the sequence is per instance")
  void theSequenceIsPerInstance() {
    started(ORDER, 1);
    started(OTHER, 1);
    for (int step = 0; step < 3; step++) {
      assertThat(appended(entry(ORDER, step), 1)).isEqualTo(step + 1L);
      assertThat(appended(entry(OTHER, step), 1)).isEqualTo(step + 1L);
    }
    assertThat(sequences(ORDER)).containsExactly(1L, 2L, 3L);
    assertThat(sequences(OTHER)).containsExactly(1L, 2L, 3L);
  }

  @Test
  @DisplayName("J27: refused appends leave no gap in the sequence")
  void refusedAppendsLeaveNoGap() {
    started(ORDER, 5);
    appended(entry(ORDER, 0), 5);
    journal().append(entry(ORDER, 0), token(5));
    journal().append(entry(ORDER, 1), token(4));
    assertThat(appended(entry(ORDER, 1), 5)).isEqualTo(2);
  }

  @Test
  @DisplayName("J28: the sequence is dense when many threads append at once")
  void theSequenceIsDenseWhenManyThreadsAppend() throws Exception {
    started(ORDER, 1);
    int threads = 8;
    int each = 15;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> writers = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        int first = t * each;
        writers.add(
            pool.submit(
                () -> {
                  for (int i = 0; i < each; i++) {
                    appended(entry(ORDER, first + i), 1);
                  }
                }));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
    } finally {
      pool.shutdownNow();
    }
    assertThat(sequences(ORDER))
        .containsExactlyElementsOf(
            LongStream.rangeClosed(1, (long) threads * each).boxed().toList());
    assertThat(steps(ORDER))
        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, threads * each).boxed().toList());
  }

  @Test
  @DisplayName("J29: of many appends of one key at once, one is admitted")
  void ofManyAppendsOfOneKeyOneIsAdmitted() throws Exception {
    started(ORDER, 1);
    int threads = 8;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      for (int step = 0; step < 10; step++) {
        Entry entry = entry(ORDER, step);
        List<Future<AppendAnswer>> writers = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
          writers.add(pool.submit(() -> journal().append(entry, token(1))));
        }
        List<AppendAnswer> answers = new ArrayList<>();
        for (Future<AppendAnswer> writer : writers) {
          answers.add(writer.get());
        }
        assertThat(answers)
            .containsOnlyOnce(new AppendAnswer.Appended(step + 1L))
            .contains(new Refusal.DuplicateKey(entry.key()));
        assertThat(Collections.frequency(answers, new Refusal.DuplicateKey(entry.key())))
            .isEqualTo(threads - 1);
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  @DisplayName("J30: what is committed is derived from the entries")
  void whatIsCommittedIsDerivedFromTheEntries() {
    started(ORDER, 1);
    for (int step : new int[] {0, 1, 2, 5}) {
      appended(entry(ORDER, step), 1);
    }
    Frontier frontier = frontier(ORDER);
    assertThat(List.of(2, 5)).allMatch(step -> frontier.isCommitted(Scope.ROOT, step));
    assertThat(List.of(3, 4, 6)).noneMatch(step -> frontier.isCommitted(Scope.ROOT, step));
    assertThat(frontier.isCommitted(Scope.parse("-/0"), 2)).isFalse();
  }

  @Test
  @DisplayName("J31: the hint is shown and is not where to go on")
  void theHintIsNotWhereToGoOn() {
    started(ORDER, 1);
    appended(Entry.of(StepKey.of(ORDER, 0), "a").hint(99).build(), 1);
    appended(entry(ORDER, 1), 1);
    Frontier frontier = frontier(ORDER);
    assertThat(frontier.instance().hint()).contains(99);
    assertThat(frontier.entries()).hasSize(2);
    assertThat(frontier.isCommitted(Scope.ROOT, 1)).isTrue();
    assertThat(IntStream.of(2, 50, 98, 99))
        .noneMatch(step -> frontier.isCommitted(Scope.ROOT, step));
  }

  @Test
  @DisplayName("J32: many appends are each decided for themselves and answered in order")
  void manyAppendsAreEachDecidedForThemselves() {
    started(ORDER, 5);
    started(OTHER, 5);
    fenced(OTHER, 6);
    InstanceId nobody = InstanceId.of("order/0");
    List<AppendAnswer> answers =
        journal()
            .appendAll(
                List.of(
                    new Append(entry(OTHER, 0), token(5)),
                    new Append(entry(ORDER, 4), token(5)),
                    new Append(entry(nobody, 0), token(5)),
                    new Append(entry(ORDER, 4), token(5)),
                    new Append(entry(OTHER, 1), token(6)),
                    new Append(entry(ORDER, 2), token(5))));
    assertThat(answers)
        .containsExactly(
            new Refusal.FencedOut(OTHER, token(5), token(6)),
            new AppendAnswer.Appended(1),
            new Refusal.NotFound(nobody),
            new Refusal.DuplicateKey(StepKey.of(ORDER, 4)),
            new AppendAnswer.Appended(1),
            new AppendAnswer.Appended(2));
    assertThat(steps(ORDER)).containsExactly(4, 2);
    assertThat(steps(OTHER)).containsExactly(1);
    assertThat(journal().appendAll(List.of())).isEmpty();
  }

  @Test
  @DisplayName("J33: at most 1,000 appends are committed together; more are refused before a write")
  void moreThanTheMostAppendsAreRefused() {
    started(ORDER, 1);
    List<Append> appends =
        IntStream.rangeClosed(0, Journal.MAX_APPENDS)
            .mapToObj(step -> new Append(entry(ORDER, step), token(1)))
            .toList();
    assertThatThrownBy(() -> journal().appendAll(appends))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1001")
        .hasMessageContaining("1000");
    assertThat(steps(ORDER)).isEmpty();
    List<AppendAnswer> answers = journal().appendAll(appends.subList(0, Journal.MAX_APPENDS));
    assertThat(answers).hasSize(Journal.MAX_APPENDS);
    assertThat(answers.get(Journal.MAX_APPENDS - 1))
        .isEqualTo(new AppendAnswer.Appended(Journal.MAX_APPENDS));
    assertThat(steps(ORDER)).hasSize(Journal.MAX_APPENDS);
  }

  @Test
  @DisplayName("J34: groups over the same instances in opposite orders all get their answers")
  void groupsInOppositeOrdersAllGetTheirAnswers() throws Exception {
    List<InstanceId> instances =
        IntStream.range(0, 6).mapToObj(i -> InstanceId.of("group/" + i)).toList();
    instances.forEach(each -> started(each, 1));
    ExecutorService pool = Executors.newFixedThreadPool(2);
    try {
      List<Future<?>> writers = new ArrayList<>();
      for (int t = 0; t < 2; t++) {
        int attempt = t + 1;
        List<InstanceId> order = new ArrayList<>(instances);
        if (t == 1) {
          Collections.reverse(order);
        }
        writers.add(
            pool.submit(
                () -> {
                  for (int step = 0; step < 10; step++) {
                    List<Append> group = new ArrayList<>();
                    for (InstanceId each : order) {
                      Entry entry = Entry.of(key(each, "-", step, attempt), "a").build();
                      group.add(new Append(entry, token(1)));
                    }
                    assertThat(journal().appendAll(group))
                        .hasOnlyElementsOfType(AppendAnswer.Appended.class);
                  }
                }));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
    } finally {
      pool.shutdownNow();
    }
    instances.forEach(each -> assertThat(steps(each)).hasSize(20));
  }
}
