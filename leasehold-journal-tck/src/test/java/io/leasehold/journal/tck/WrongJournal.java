package io.leasehold.journal.tck;

import io.leasehold.FencingToken;
import io.leasehold.LeaseArguments;
import io.leasehold.Page;
import io.leasehold.journal.AbandonedInstance;
import io.leasehold.journal.AbandonedPage;
import io.leasehold.journal.Append;
import io.leasehold.journal.AppendAnswer;
import io.leasehold.journal.CompleteAnswer;
import io.leasehold.journal.Completion;
import io.leasehold.journal.Entry;
import io.leasehold.journal.Event;
import io.leasehold.journal.FenceAnswer;
import io.leasehold.journal.Frontier;
import io.leasehold.journal.Instance;
import io.leasehold.journal.InstanceId;
import io.leasehold.journal.InstanceState;
import io.leasehold.journal.Journal;
import io.leasehold.journal.NewInstance;
import io.leasehold.journal.Payload;
import io.leasehold.journal.PendingEvent;
import io.leasehold.journal.PurgeReport;
import io.leasehold.journal.RecordedEntry;
import io.leasehold.journal.Refusal;
import io.leasehold.journal.Retention;
import io.leasehold.journal.Scope;
import io.leasehold.journal.StartAnswer;
import io.leasehold.journal.StepKey;
import io.leasehold.journal.StepOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** A journal with one thing wrong with it. Without a defect it passes the suite. */
final class WrongJournal implements Journal {

  /** An instance. */
  private static final class Row {
    final NewInstance started;
    final Instant startedAt;
    Instant touchedAt;
    FencingToken fence;
    FencingToken announced;
    long lastSequence;
    InstanceState state = InstanceState.PENDING;
    Optional<Payload> snapshot = Optional.empty();
    Optional<Integer> hint = Optional.empty();
    final List<RecordedEntry> entries = new ArrayList<>();

    Row(NewInstance started, FencingToken fence, Instant now) {
      this.started = started;
      this.fence = fence;
      this.announced = fence;
      this.startedAt = now;
      this.touchedAt = now;
    }
  }

  private final Defect defect;
  private final Map<String, Row> rows = new LinkedHashMap<>();
  private final TreeMap<Long, PendingEvent> outbox = new TreeMap<>();
  private final Map<Long, Instant> published = new LinkedHashMap<>();
  private long position;
  private long globalSequence;

  WrongJournal(Defect defect) {
    this.defect = defect;
  }

  private boolean is(Defect other) {
    return defect == other;
  }

  private static Instant now() {
    return Instant.ofEpochMilli(System.currentTimeMillis());
  }

  private String name(InstanceId instance) {
    return is(Defect.IDS_FOLD_CASE) ? instance.value().toLowerCase(Locale.ROOT) : instance.value();
  }

  /** Whether the fence refuses a token. */
  private boolean refuses(Row row, FencingToken token, boolean completing) {
    if (is(Defect.TOKEN_NOT_COMPARED)
        || (is(Defect.FENCE_ONLY_ON_FIRST_WRITE) && !row.entries.isEmpty())
        || (is(Defect.STALE_COMPLETION_ADMITTED) && completing)) {
      return false;
    }
    if (is(Defect.TOKENS_COMPARED_AS_FLOATS)) {
      return (float) row.fence.value() > (float) token.value();
    }
    return row.fence.supersedes(token)
        || (is(Defect.EQUAL_TOKEN_REFUSED) && !row.entries.isEmpty() && row.fence.equals(token));
  }

  private void raise(Row row, FencingToken token) {
    if (!is(Defect.HIGHER_TOKEN_LEAVES_THE_FENCE) && token.supersedes(row.fence)) {
      row.fence = token;
    }
    if (row.announced.supersedes(row.fence)) {
      row.fence = row.announced;
    }
    row.touchedAt = now();
  }

  @Override
  public synchronized StartAnswer start(NewInstance instance, FencingToken token) {
    if (rows.containsKey(name(instance.id()))) {
      return new StartAnswer.AlreadyExists(instance.id());
    }
    rows.put(name(instance.id()), new Row(instance, token, now()));
    return new StartAnswer.Started(instance.id());
  }

  @Override
  public synchronized FenceAnswer fence(InstanceId instance, FencingToken token) {
    Row row = rows.get(name(instance));
    if (row == null) {
      return new Refusal.NotFound(instance);
    }
    if (is(Defect.FENCE_LOWERED)) {
      row.fence = token;
      return new FenceAnswer.Raised(token);
    }
    if (row.fence.supersedes(token)) {
      return new Refusal.FencedOut(instance, token, row.fence);
    }
    row.touchedAt = now();
    row.announced = token;
    if (!is(Defect.FENCE_RISES_WITH_THE_FIRST_WRITE)) {
      row.fence = token;
    }
    return new FenceAnswer.Raised(token);
  }

  @Override
  public synchronized AppendAnswer append(Entry entry, FencingToken token) {
    InstanceId id = entry.key().instance();
    Row row = rows.get(name(id));
    if (row == null) {
      return new Refusal.NotFound(id);
    }
    if (is(Defect.OUTBOX_BEFORE_FENCE_CHECK)) {
      stage(entry, row.lastSequence + 1);
    }
    if (is(Defect.SNAPSHOT_OUTSIDE_TRANSACTION)) {
      row.snapshot = entry.snapshot().or(() -> row.snapshot);
    }
    if (is(Defect.SEQUENCE_TAKEN_BEFORE_THE_CHECK)) {
      row.lastSequence++;
    }
    boolean ended = row.state.isTerminal() && !is(Defect.ENDED_STILL_APPENDS);
    if (is(Defect.TERMINAL_BEFORE_FENCE) && ended) {
      return new Refusal.AlreadyTerminal(id, row.state);
    }
    if (refuses(row, token, false)) {
      return new Refusal.FencedOut(id, token, row.fence);
    }
    if (is(Defect.FENCE_RAISED_BY_A_REFUSED_WRITE)) {
      raise(row, token);
    }
    if (ended) {
      return new Refusal.AlreadyTerminal(id, row.state);
    }
    StepKey key = key(entry.key());
    Optional<RecordedEntry> there =
        row.entries.stream().filter(each -> key(each.key()).equals(key)).findFirst();
    if (there.isPresent()) {
      if (!is(Defect.DUPLICATE_UPSERTED)) {
        return new Refusal.DuplicateKey(entry.key());
      }
      row.entries.remove(there.get());
    }
    return new AppendAnswer.Appended(write(row, entry, token));
  }

  private StepKey key(StepKey key) {
    return is(Defect.KEY_WITHOUT_SCOPE)
        ? new StepKey(key.instance(), Scope.ROOT, key.step(), key.attempt())
        : key;
  }

  private long write(Row row, Entry entry, FencingToken token) {
    raise(row, token);
    globalSequence++;
    if (!is(Defect.SEQUENCE_TAKEN_BEFORE_THE_CHECK)) {
      row.lastSequence = is(Defect.SEQUENCE_GLOBAL) ? globalSequence : row.lastSequence + 1;
    }
    row.entries.add(
        new RecordedEntry(
            entry.key(),
            row.lastSequence,
            token,
            entry.action(),
            entry.outcome(),
            kept(entry.result()),
            kept(entry.captured()),
            is(Defect.DURATION_AS_INT) ? wrapped(entry.duration()) : entry.duration(),
            row.touchedAt));
    if (row.state == InstanceState.PENDING
        || (is(Defect.SUSPENDED_BECOMES_RUNNING) && row.state == InstanceState.SUSPENDED)) {
      row.state = InstanceState.RUNNING;
    }
    row.state = entry.state().orElse(row.state);
    row.snapshot = entry.snapshot().or(() -> row.snapshot);
    row.hint = entry.hint().or(() -> row.hint);
    if (!is(Defect.OUTBOX_BEFORE_FENCE_CHECK)) {
      stage(entry, row.lastSequence);
    }
    return row.lastSequence;
  }

  /** Milliseconds in 32 bits. */
  private static Duration wrapped(Duration duration) {
    int millis = (int) duration.toMillis();
    return Duration.ofMillis(millis);
  }

  private void stage(Entry entry, long sequence) {
    int ordinal = 0;
    for (Event event : entry.events()) {
      position++;
      ordinal++;
      outbox.put(
          position, new PendingEvent(position, entry.key().instance(), sequence, ordinal, event));
    }
  }

  private Optional<Payload> kept(Optional<Payload> payload) {
    if (is(Defect.ABSENT_AS_EMPTY) && payload.isEmpty()) {
      return Optional.of(Payload.of(""));
    }
    return is(Defect.PAYLOAD_REFORMATTED)
        ? payload.map(
            each -> each.text().startsWith("{") ? Payload.of(each.text().replace(" ", "")) : each)
        : payload;
  }

  @Override
  public synchronized List<AppendAnswer> appendAll(List<Append> appends) {
    if (appends.size() > MAX_APPENDS) {
      throw new IllegalArgumentException(appends.size() + " is more than " + MAX_APPENDS);
    }
    List<AppendAnswer> answers = new ArrayList<>();
    Optional<AppendAnswer> stopped = Optional.empty();
    for (Append each : appends) {
      AppendAnswer answer = stopped.orElseGet(() -> append(each.entry(), each.token()));
      if (is(Defect.GROUP_STOPS_AT_FIRST_REFUSAL) && answer instanceof Refusal) {
        stopped = Optional.of(answer);
      }
      answers.add(answer);
    }
    return answers;
  }

  @Override
  public synchronized CompleteAnswer complete(
      InstanceId instance, Completion completion, FencingToken token) {
    Row row = rows.get(name(instance));
    if (row == null) {
      return new Refusal.NotFound(instance);
    }
    if (refuses(row, token, true)) {
      return new Refusal.FencedOut(instance, token, row.fence);
    }
    if (row.state == completion.outcome().state() && !is(Defect.REPEAT_OVERWRITES)) {
      return new CompleteAnswer.Repeated(completion.outcome());
    }
    boolean repeat = row.state == completion.outcome().state();
    if (row.state.isTerminal() && !repeat && !is(Defect.OTHER_OUTCOME_OVERWRITES)) {
      return new Refusal.AlreadyTerminal(instance, row.state);
    }
    raise(row, token);
    row.state = completion.outcome().state();
    row.snapshot = completion.snapshot().or(() -> row.snapshot);
    return repeat
        ? new CompleteAnswer.Repeated(completion.outcome())
        : new CompleteAnswer.Completed(completion.outcome());
  }

  @Override
  public synchronized Optional<Instance> read(InstanceId instance) {
    return Optional.ofNullable(rows.get(name(instance))).map(this::instance);
  }

  private Instance instance(Row row) {
    return new Instance(
        row.started.id(),
        row.started.flow(),
        row.state,
        row.fence,
        row.lastSequence,
        kept(row.started.input()),
        row.snapshot,
        row.hint,
        row.started.parent(),
        row.startedAt,
        row.touchedAt);
  }

  @Override
  public synchronized Optional<Frontier> frontier(InstanceId instance) {
    Row row = rows.get(name(instance));
    if (row == null) {
      return Optional.empty();
    }
    List<RecordedEntry> entries = new ArrayList<>(row.entries);
    if (is(Defect.ENTRIES_SORTED_BY_STEP)) {
      entries.sort(Comparator.comparing(each -> each.key().step()));
    }
    if (is(Defect.POSITION_REMEMBERED) && row.hint.isPresent()) {
      // "Everything before the position was done."
      for (int step = entries.size(); step < row.hint.get(); step++) {
        entries.add(
            new RecordedEntry(
                StepKey.of(instance, step),
                step + 1L,
                row.fence,
                "assumed",
                StepOutcome.SUCCESS,
                Optional.empty(),
                Optional.empty(),
                Duration.ZERO,
                row.touchedAt));
      }
    }
    return Optional.of(new Frontier(instance(row), entries));
  }

  private boolean listed(Row row, Instant before) {
    boolean state =
        row.state.isRecoverable()
            || (is(Defect.SUSPENDED_LISTED) && row.state == InstanceState.SUSPENDED)
            || (is(Defect.ENDED_LISTED) && row.state.isTerminal());
    return state && (is(Defect.RECENT_LISTED) || row.touchedAt.isBefore(before));
  }

  @Override
  public synchronized AbandonedPage abandoned(Duration idleFor, Page page) {
    Instant before = now().minus(LeaseArguments.endedFor(idleFor));
    Comparator<Row> order =
        Comparator.<Row, Instant>comparing(each -> each.touchedAt)
            .thenComparing(each -> each.started.id().value());
    List<Row> found =
        new ArrayList<>(
            rows.values().stream()
                .filter(each -> listed(each, before))
                .filter(each -> isBeyond(page, each))
                .toList());
    if (is(Defect.NO_ORDER_IN_RECOVERY)) {
      found.sort(Comparator.comparing(each -> each.started.id().value()));
    } else if (is(Defect.PAGE_CUT_BEFORE_ORDER)) {
      found.sort(Comparator.comparing(each -> each.started.id().value()));
      found = new ArrayList<>(found.subList(0, Math.min(found.size(), page.size())));
      found.sort(order);
    } else {
      found.sort(order);
    }
    boolean more = found.size() > page.size();
    List<Row> kept = more ? found.subList(0, page.size()) : found;
    return new AbandonedPage(
        kept.stream()
            .map(
                each ->
                    new AbandonedInstance(
                        each.started.id(),
                        each.started.flow(),
                        each.state,
                        each.fence,
                        each.touchedAt))
            .toList(),
        more
            ? Optional.of(
                kept.get(kept.size() - 1).touchedAt.toEpochMilli()
                    + " "
                    + kept.get(kept.size() - 1).started.id())
            : Optional.empty());
  }

  private boolean isBeyond(Page page, Row row) {
    if (page.cursor().isEmpty()) {
      return true;
    }
    String[] last = page.cursor().get().split(" ", 2);
    int order = Long.compare(row.touchedAt.toEpochMilli(), Long.parseLong(last[0]));
    return order > 0
        || (order == 0
            && !is(Defect.CURSOR_SKIPS_TIES)
            && row.started.id().value().compareTo(last[1]) > 0);
  }

  @Override
  public synchronized List<PendingEvent> pendingEvents(long after, int limit) {
    Page.first(limit);
    return outbox.tailMap(after, false).values().stream()
        .filter(each -> !published.containsKey(each.position()))
        .limit(limit)
        .toList();
  }

  @Override
  public synchronized void markPublished(Collection<Long> positions) {
    if (!is(Defect.MARK_FORGOTTEN)) {
      positions.forEach(each -> published.putIfAbsent(each, now()));
    }
  }

  private boolean owes(Row row) {
    return outbox.values().stream()
        .anyMatch(
            each ->
                each.instance().equals(row.started.id())
                    && !published.containsKey(each.position()));
  }

  @Override
  public synchronized PurgeReport purge(Retention retention) {
    Instant now = now();
    int held = 0;
    int completed = 0;
    int failed = 0;
    for (Row row : List.copyOf(rows.values())) {
      Retention.Windows windows =
          is(Defect.FLOW_WINDOWS_IGNORED)
              ? retention.fallback()
              : retention.windows(row.started.flow());
      boolean well = row.state == InstanceState.COMPLETED;
      Optional<Duration> window = well ? windows.completed() : windows.failed();
      boolean ended = row.state.isTerminal() || is(Defect.UNFINISHED_PURGED);
      if (!ended || window.isEmpty() || row.touchedAt.isAfter(now.minus(window.get()))) {
        continue;
      }
      if (owes(row) && !is(Defect.OWING_PURGED)) {
        held++;
        continue;
      }
      rows.remove(name(row.started.id()));
      outbox.values().removeIf(each -> each.instance().equals(row.started.id()));
      completed += well ? 1 : 0;
      failed += well ? 0 : 1;
    }
    return new PurgeReport(
        held, completed, failed, purgeEvents(now.minus(retention.publishedEvents())));
  }

  private long purgeEvents(Instant before) {
    Set<Long> gone = new HashSet<>();
    for (Map.Entry<Long, Instant> each : published.entrySet()) {
      if (outbox.containsKey(each.getKey()) && !each.getValue().isAfter(before)) {
        gone.add(each.getKey());
      }
    }
    outbox.keySet().removeAll(gone);
    return gone.size();
  }

  @Override
  public void close() {}
}
