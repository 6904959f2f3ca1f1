package io.leasehold.journal.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.FencingToken;
import io.leasehold.Page;
import io.leasehold.journal.AbandonedInstance;
import io.leasehold.journal.AppendAnswer;
import io.leasehold.journal.Entry;
import io.leasehold.journal.FenceAnswer;
import io.leasehold.journal.Frontier;
import io.leasehold.journal.Instance;
import io.leasehold.journal.InstanceId;
import io.leasehold.journal.InstanceState;
import io.leasehold.journal.Journal;
import io.leasehold.journal.NewInstance;
import io.leasehold.journal.Payload;
import io.leasehold.journal.RecordedEntry;
import io.leasehold.journal.Scope;
import io.leasehold.journal.StartAnswer;
import io.leasehold.journal.StepKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** The vocabulary that all rules share. */
@ExtendWith(GuaranteeInFailure.class)
abstract class JournalRules {

  static final InstanceId ORDER = InstanceId.of("order/42");
  static final InstanceId OTHER = InstanceId.of("order/43");

  private final JournalFixture fixture;
  private final Deque<Journal> opened = new ArrayDeque<>();
  private @Nullable Journal journal;

  JournalRules(JournalFixture fixture) {
    this.fixture = fixture;
  }

  @BeforeEach
  final void openJournal() throws Exception {
    fixture.clear();
    journal = anotherJournal();
  }

  @AfterEach
  final void closeJournals() {
    opened.forEach(Journal::close);
  }

  /** The journal under test. */
  final Journal journal() {
    if (journal == null) {
      throw new IllegalStateException("no journal is open");
    }
    return journal;
  }

  /** One more journal object over the same database. */
  final Journal anotherJournal() throws Exception {
    Journal another = fixture.open();
    opened.push(another);
    return another;
  }

  static FencingToken token(long value) {
    return new FencingToken(value);
  }

  /** An instance that has just been started. */
  final void started(InstanceId instance, long token) {
    assertThat(journal().start(NewInstance.of(instance, "order"), token(token)))
        .isEqualTo(new StartAnswer.Started(instance));
  }

  final void fenced(InstanceId instance, long token) {
    assertThat(journal().fence(instance, token(token)))
        .isEqualTo(new FenceAnswer.Raised(token(token)));
  }

  static StepKey key(InstanceId instance, String scope, int step, int attempt) {
    return new StepKey(instance, Scope.parse(scope), step, attempt);
  }

  /** A step of the root scope that succeeded. */
  static Entry entry(InstanceId instance, int step) {
    return Entry.of(StepKey.of(instance, step), "step-" + step).build();
  }

  /** Appends what must be admitted, and says its sequence. */
  final long appended(Entry entry, long token) {
    AppendAnswer answer = journal().append(entry, token(token));
    assertThat(answer).isInstanceOf(AppendAnswer.Appended.class);
    return ((AppendAnswer.Appended) answer).sequence();
  }

  final Instance read(InstanceId instance) {
    Optional<Instance> found = journal().read(instance);
    assertThat(found).as("instance %s", instance).isPresent();
    return found.orElseThrow();
  }

  final Frontier frontier(InstanceId instance) {
    Optional<Frontier> found = journal().frontier(instance);
    assertThat(found).as("frontier of %s", instance).isPresent();
    return found.orElseThrow();
  }

  final List<Integer> steps(InstanceId instance) {
    return frontier(instance).entries().stream().map(each -> each.key().step()).toList();
  }

  final List<Long> sequences(InstanceId instance) {
    return frontier(instance).entries().stream().map(RecordedEntry::sequence).toList();
  }

  /** An instance that runs, with one entry, whose clock stamp differs from the next one's. */
  final InstanceId running(String name, long token) {
    InstanceId instance = InstanceId.of(name);
    started(instance, token);
    appended(entry(instance, 0), token);
    letTheClockMove();
    return instance;
  }

  final InstanceId inState(String name, InstanceState state) {
    InstanceId instance = InstanceId.of(name);
    started(instance, 1);
    appended(Entry.of(StepKey.of(instance, 0), "move").state(state).build(), 1);
    letTheClockMove();
    return instance;
  }

  /** Stamps have milliseconds; 5 ms apart they differ on every clock. */
  static void letTheClockMove() {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
  }

  final List<InstanceId> abandoned(Duration idleFor) {
    return journal().abandoned(idleFor, Page.first(100)).instances().stream()
        .map(AbandonedInstance::id)
        .toList();
  }

  final void eventually(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + fixture.patience().toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadline).as("%s in time", what).isNegative();
      letTheClockMove();
    }
  }

  static Payload json(String text) {
    return Payload.of(text);
  }
}
