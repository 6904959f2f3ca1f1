package io.leasehold.journal.memory;

import io.leasehold.FencingToken;
import io.leasehold.journal.Completion;
import io.leasehold.journal.Entry;
import io.leasehold.journal.Instance;
import io.leasehold.journal.InstanceState;
import io.leasehold.journal.NewInstance;
import io.leasehold.journal.Payload;
import io.leasehold.journal.RecordedEntry;
import io.leasehold.journal.StepKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One instance and its entries. Guarded by the journal's lock. */
final class History {

  private final NewInstance started;
  private final Instant startedAt;
  private Instant touchedAt;
  private Optional<Payload> snapshot = Optional.empty();
  private Optional<Integer> hint = Optional.empty();

  InstanceState state = InstanceState.PENDING;
  FencingToken fence;
  final List<RecordedEntry> entries = new ArrayList<>();
  final Set<StepKey> keys = new HashSet<>();

  History(NewInstance started, FencingToken fence, Instant now) {
    this.started = started;
    this.fence = fence;
    this.startedAt = now;
    this.touchedAt = now;
  }

  void touch(FencingToken token, Instant now) {
    fence = token;
    touchedAt = now;
  }

  long append(Entry entry, FencingToken token, Instant now) {
    touch(token, now);
    long sequence = entries.size() + 1L;
    entries.add(
        new RecordedEntry(
            entry.key(),
            sequence,
            token,
            entry.action(),
            entry.outcome(),
            entry.result(),
            entry.captured(),
            entry.duration(),
            now));
    keys.add(entry.key());
    state = entry.state().orElse(state == InstanceState.PENDING ? InstanceState.RUNNING : state);
    snapshot = entry.snapshot().or(() -> snapshot);
    hint = entry.hint().or(() -> hint);
    return sequence;
  }

  void complete(Completion completion, FencingToken token, Instant now) {
    touch(token, now);
    state = completion.outcome().state();
    snapshot = completion.snapshot().or(() -> snapshot);
  }

  Instance instance() {
    return new Instance(
        started.id(),
        started.flow(),
        state,
        fence,
        entries.size(),
        started.input(),
        snapshot,
        hint,
        started.parent(),
        startedAt,
        touchedAt);
  }
}
