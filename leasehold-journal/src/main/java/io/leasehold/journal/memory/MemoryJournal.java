package io.leasehold.journal.memory;

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
import io.leasehold.journal.PendingEvent;
import io.leasehold.journal.PurgeReport;
import io.leasehold.journal.Refusal;
import io.leasehold.journal.Retention;
import io.leasehold.journal.StartAnswer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A journal in this process's memory, on a caller's clock: the reference of the contract, and a
 * journal for tests.
 *
 * <p>One lock decides one write at a time, which is what a database's row lock does per instance.
 *
 * <pre>{@code
 * Journal journal = new MemoryJournal(InstantSource.system());
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class MemoryJournal implements Journal {

  /** An event of the outbox. */
  private static final class Staged {
    final PendingEvent event;
    Optional<Instant> publishedAt = Optional.empty();

    Staged(PendingEvent event) {
      this.event = event;
    }
  }

  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<InstanceId, History> histories = new HashMap<>();
  private final TreeMap<Long, Staged> outbox = new TreeMap<>();
  private long lastPosition;

  /**
   * An empty journal.
   *
   * @param clock stamps what is written, read to the millisecond
   */
  public MemoryJournal(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public StartAnswer start(NewInstance instance, FencingToken token) {
    lock.lock();
    try {
      if (histories.containsKey(instance.id())) {
        return new StartAnswer.AlreadyExists(instance.id());
      }
      histories.put(instance.id(), new History(instance, token, now()));
      return new StartAnswer.Started(instance.id());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public FenceAnswer fence(InstanceId instance, FencingToken token) {
    lock.lock();
    try {
      History history = histories.get(instance);
      if (history == null) {
        return new Refusal.NotFound(instance);
      }
      if (history.fence.supersedes(token)) {
        return new Refusal.FencedOut(instance, token, history.fence);
      }
      history.touch(token, now());
      return new FenceAnswer.Raised(token);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public AppendAnswer append(Entry entry, FencingToken token) {
    InstanceId id = entry.key().instance();
    lock.lock();
    try {
      History history = histories.get(id);
      if (history == null) {
        return new Refusal.NotFound(id);
      }
      if (history.fence.supersedes(token)) {
        return new Refusal.FencedOut(id, token, history.fence);
      }
      if (history.state.isTerminal()) {
        return new Refusal.AlreadyTerminal(id, history.state);
      }
      if (history.keys.contains(entry.key())) {
        return new Refusal.DuplicateKey(entry.key());
      }
      long sequence = history.append(entry, token, now());
      int ordinal = 0;
      for (Event event : entry.events()) {
        lastPosition++;
        ordinal++;
        outbox.put(
            lastPosition, new Staged(new PendingEvent(lastPosition, id, sequence, ordinal, event)));
      }
      return new AppendAnswer.Appended(sequence);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<AppendAnswer> appendAll(List<Append> appends) {
    if (appends.size() > MAX_APPENDS) {
      throw new IllegalArgumentException(
          appends.size() + " appends at once; at most " + MAX_APPENDS + " are allowed");
    }
    lock.lock();
    try {
      return appends.stream().map(each -> append(each.entry(), each.token())).toList();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public CompleteAnswer complete(InstanceId instance, Completion completion, FencingToken token) {
    lock.lock();
    try {
      History history = histories.get(instance);
      if (history == null) {
        return new Refusal.NotFound(instance);
      }
      if (history.fence.supersedes(token)) {
        return new Refusal.FencedOut(instance, token, history.fence);
      }
      if (history.state.isTerminal()) {
        return history.state == completion.outcome().state()
            ? new CompleteAnswer.Repeated(completion.outcome())
            : new Refusal.AlreadyTerminal(instance, history.state);
      }
      history.complete(completion, token, now());
      return new CompleteAnswer.Completed(completion.outcome());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Optional<Instance> read(InstanceId instance) {
    lock.lock();
    try {
      return Optional.ofNullable(histories.get(instance)).map(History::instance);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Optional<Frontier> frontier(InstanceId instance) {
    lock.lock();
    try {
      return Optional.ofNullable(histories.get(instance))
          .map(history -> new Frontier(history.instance(), history.entries));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public AbandonedPage abandoned(Duration idleFor, Page page) {
    Duration idle = LeaseArguments.endedFor(idleFor);
    lock.lock();
    try {
      Instant before = now().minus(idle);
      Comparator<Instance> oldestFirst =
          Comparator.comparing(Instance::touchedAt).thenComparing(each -> each.id().value());
      List<Instance> found =
          histories.values().stream()
              .map(History::instance)
              .filter(each -> each.state().isRecoverable() && each.touchedAt().isBefore(before))
              .sorted(oldestFirst)
              .filter(each -> isBeyond(page, each))
              .limit(page.size() + 1L)
              .toList();
      boolean more = found.size() > page.size();
      List<Instance> kept = more ? found.subList(0, page.size()) : found;
      return new AbandonedPage(
          kept.stream()
              .map(
                  each ->
                      new AbandonedInstance(
                          each.id(), each.flow(), each.state(), each.fence(), each.touchedAt()))
              .toList(),
          more ? Optional.of(cursor(kept.get(kept.size() - 1))) : Optional.empty());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<PendingEvent> pendingEvents(long after, int limit) {
    Page.first(limit);
    lock.lock();
    try {
      return outbox.tailMap(after, false).values().stream()
          .filter(each -> each.publishedAt.isEmpty())
          .map(each -> each.event)
          .limit(limit)
          .toList();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void markPublished(Collection<Long> positions) {
    lock.lock();
    try {
      for (Long position : positions) {
        Staged staged = outbox.get(position);
        if (staged != null && staged.publishedAt.isEmpty()) {
          staged.publishedAt = Optional.of(now());
        }
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public PurgeReport purge(Retention retention) {
    lock.lock();
    try {
      Instant now = now();
      long held = 0;
      long completed = 0;
      long failed = 0;
      for (Instance instance :
          new ArrayList<>(histories.values()).stream().map(History::instance).toList()) {
        if (!isDue(instance, retention, now)) {
          continue;
        }
        if (owes(instance.id())) {
          held++;
          continue;
        }
        histories.remove(instance.id());
        outbox.values().removeIf(each -> each.event.instance().equals(instance.id()));
        if (instance.state() == InstanceState.COMPLETED) {
          completed++;
        } else {
          failed++;
        }
      }
      return new PurgeReport(
          held, completed, failed, purgeEvents(now.minus(retention.publishedEvents())));
    } finally {
      lock.unlock();
    }
  }

  /** Does nothing: there is nothing to free. */
  @Override
  public void close() {}

  private long purgeEvents(Instant before) {
    long events = 0;
    for (Iterator<Staged> each = outbox.values().iterator(); each.hasNext(); ) {
      Optional<Instant> publishedAt = each.next().publishedAt;
      if (publishedAt.isPresent() && !publishedAt.get().isAfter(before)) {
        each.remove();
        events++;
      }
    }
    return events;
  }

  private boolean owes(InstanceId instance) {
    return outbox.values().stream()
        .anyMatch(each -> each.publishedAt.isEmpty() && each.event.instance().equals(instance));
  }

  private static boolean isDue(Instance instance, Retention retention, Instant now) {
    if (!instance.state().isTerminal()) {
      return false;
    }
    Retention.Windows windows = retention.windows(instance.flow());
    Optional<Duration> window =
        instance.state() == InstanceState.COMPLETED ? windows.completed() : windows.failed();
    return window.isPresent() && !instance.touchedAt().isAfter(now.minus(window.get()));
  }

  private static String cursor(Instance last) {
    return last.touchedAt().toEpochMilli() + " " + last.id();
  }

  private static boolean isBeyond(Page page, Instance instance) {
    if (page.cursor().isEmpty()) {
      return true;
    }
    String[] last = page.cursor().get().split(" ", 2);
    int order = Long.compare(instance.touchedAt().toEpochMilli(), Long.parseLong(last[0]));
    return order > 0 || (order == 0 && instance.id().value().compareTo(last[1]) > 0);
  }

  private Instant now() {
    return Instant.ofEpochMilli(clock.millis());
  }
}
