package io.leasehold.campaign;

import io.leasehold.EndReason;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.leasehold.RenewAnswer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The many leases of one process, as a pure state machine: when to renew which, and which have
 * ended. The rule for each lease is the campaign's, {@link Hold}.
 *
 * <p>All leases have one TTL, so the order in which they were last proved is also the order in
 * which they fall due and in which their holds end: a queue serves for both, and every step takes
 * time in proportion to what it does, not to how many leases there are.
 *
 * <p>Not thread-safe: the keeper holds its lock around it.
 */
public final class Roster {

  /** How many batches may be under way, so that one slow batch does not hold up all others. */
  static final int MAX_BATCHES = 4;

  private static final long GLANCE_NANOS = Duration.ofMillis(250).toNanos();

  private final Duration ttl;
  private final int batchSize;
  private final long thirdNanos;

  private final Map<LeaseName, Tenancy> byName = new HashMap<>();

  /**
   * Leases that wait for their next renewal, the one proved longest ago first. May hold ended ones.
   */
  private final ArrayDeque<Tenancy> resting = new ArrayDeque<>();

  private final Map<Long, Batch> underWay = new LinkedHashMap<>();
  private long lastCall;
  private long notBefore;
  private int endedResting;
  private boolean storeAway;
  private List<RosterAction> actions = new ArrayList<>();

  private record Batch(Moment sent, List<Tenancy> tenancies) {}

  /**
   * An empty roster.
   *
   * @param ttl the TTL of every lease
   * @param batchSize the most leases of one renewal, at least 1
   * @param start now
   */
  public Roster(Duration ttl, int batchSize, Moment start) {
    this.ttl = ttl;
    this.batchSize = batchSize;
    this.thirdNanos = ttl.dividedBy(3).toNanos();
    this.notBefore = start.nanos();
  }

  /**
   * Takes a granted lease in.
   *
   * @param lease the grant
   * @param sent when the acquire was sent
   * @return its tenancy
   */
  public Tenancy add(Lease lease, Moment sent) {
    Tenancy tenancy = new Tenancy(lease, Hold.proved(sent, ttl, lease));
    Tenancy former = byName.put(lease.name(), tenancy);
    if (former != null) {
      // The store granted the name anew, so the former grant is over, whatever was believed of it.
      end(former, EndReason.SUPERSEDED);
    }
    if (!resting.isEmpty() && endsBefore(tenancy.hold(), resting.getLast().hold())) {
      resting.addFirst(tenancy);
    } else {
      resting.addLast(tenancy);
    }
    return tenancy;
  }

  /**
   * Takes a lease out, before it is given back. It is renewed no more; a late answer changes
   * nothing.
   *
   * @param tenancy its tenancy
   * @param reason why
   * @return whether it was in
   */
  public boolean remove(Tenancy tenancy, EndReason reason) {
    if (tenancy.end().isPresent()) {
      return false;
    }
    end(tenancy, reason);
    byName.remove(tenancy.lease().name(), tenancy);
    dropEnded();
    return true;
  }

  /**
   * Looks at the clock: ends what is over, renews what is due.
   *
   * @param now now
   * @return what to do
   */
  public List<RosterAction> passTime(Moment now) {
    actions = new ArrayList<>();
    endWhatIsOver(now);
    giveUpBatches(now);
    while (underWay.size() < MAX_BATCHES && now.nanos() - notBefore >= 0) {
      List<Tenancy> due = takeDue(now);
      if (due.isEmpty()) {
        break;
      }
      long call = ++lastCall;
      underWay.put(call, new Batch(now, due));
      actions.add(new RosterAction.SendRenewAll(call, due.stream().map(Tenancy::lease).toList()));
    }
    return actions;
  }

  /**
   * A batch was answered.
   *
   * @param call which
   * @param answers one answer per lease, in order
   * @param now now
   * @return what to do
   */
  public List<RosterAction> answered(long call, List<RenewAnswer> answers, Moment now) {
    actions = new ArrayList<>();
    endWhatIsOver(now);
    Batch batch = underWay.remove(call);
    if (batch == null) {
      return actions; // given up before
    }
    if (answers.size() != batch.tenancies().size()) {
      fail(
          batch,
          new IllegalStateException(
              "the store gave " + answers.size() + " answers to " + batch.tenancies().size()),
          now);
      return actions;
    }
    if (storeAway) {
      storeAway = false;
      actions.add(new RosterAction.StoreBack());
    }
    Hold whole = new Hold(batch.sent(), Hold.length(ttl).toNanos());
    for (int i = 0; i < answers.size(); i++) {
      Tenancy tenancy = batch.tenancies().get(i);
      tenancy.renewing = false;
      if (tenancy.end().isPresent()) {
        continue;
      }
      if (answers.get(i) instanceof RenewAnswer.Renewed renewed) {
        boolean asAsked = renewed.lease().remaining().compareTo(ttl) >= 0;
        tenancy.extend(asAsked ? whole : Hold.proved(batch.sent(), ttl, renewed.lease()));
        resting.addLast(tenancy);
      } else if (answers.get(i) instanceof RenewAnswer.Lost lost) {
        lose(tenancy, Campaign.reasonOfLoss(tenancy.lease(), lost.current()));
      }
    }
    return actions;
  }

  /**
   * A batch will not be answered.
   *
   * @param call which
   * @param cause why
   * @param now now
   * @return what to do
   */
  public List<RosterAction> unanswered(long call, Throwable cause, Moment now) {
    actions = new ArrayList<>();
    Batch batch = underWay.remove(call);
    if (batch != null) {
      fail(batch, cause, now);
    }
    endWhatIsOver(now);
    return actions;
  }

  /**
   * When to look at the clock next.
   *
   * @param now now
   * @return nanoseconds from now
   */
  public long nextWakeIn(Moment now) {
    if (byName.isEmpty() && underWay.isEmpty()) {
      return Hold.MAX_TTL.toNanos();
    }
    long wakeIn = GLANCE_NANOS;
    Tenancy first = firstResting();
    if (first != null) {
      if (underWay.size() < MAX_BATCHES) {
        long dueIn = thirdNanos - now.ticksSince(first.hold().sent());
        wakeIn = Math.min(wakeIn, Math.max(dueIn, notBefore - now.nanos()));
      }
      wakeIn = Math.min(wakeIn, first.hold().leftNanos(now));
    }
    for (Batch batch : underWay.values()) {
      wakeIn = Math.min(wakeIn, thirdNanos - now.ticksSince(batch.sent()));
      for (Tenancy tenancy : batch.tenancies()) {
        if (tenancy.end().isEmpty()) {
          wakeIn = Math.min(wakeIn, tenancy.hold().leftNanos(now));
          break; // the first that lives is the first to end
        }
      }
    }
    return wakeIn;
  }

  /**
   * How many leases are held.
   *
   * @return the number
   */
  public int size() {
    return byName.size();
  }

  /**
   * Every lease that is held.
   *
   * @return the tenancies, a copy
   */
  public Collection<Tenancy> all() {
    return List.copyOf(byName.values());
  }

  /**
   * The tenancy of a name.
   *
   * @param name the name
   * @return its tenancy, if it is held
   */
  public Optional<Tenancy> find(LeaseName name) {
    return Optional.ofNullable(byName.get(name));
  }

  /** How long the queue is, ended leases included. */
  int restingForTest() {
    return resting.size();
  }

  private void endWhatIsOver(Moment now) {
    for (Tenancy first = firstResting();
        first != null && first.hold().isOver(now);
        first = firstResting()) {
      lose(first, first.hold().reason(now));
    }
    for (Batch batch : underWay.values()) {
      for (Tenancy tenancy : batch.tenancies()) {
        if (tenancy.end().isEmpty()) {
          if (!tenancy.hold().isOver(now)) {
            break;
          }
          lose(tenancy, tenancy.hold().reason(now));
        }
      }
    }
  }

  private void giveUpBatches(Moment now) {
    List<Long> overdue = new ArrayList<>();
    underWay.forEach(
        (call, batch) -> {
          if (now.ticksSince(batch.sent()) >= thirdNanos) {
            overdue.add(call);
          }
        });
    for (long call : overdue) {
      actions.add(new RosterAction.Cancel(call));
      Batch batch = underWay.remove(call);
      if (batch != null) {
        fail(
            batch,
            new LeaseStoreException(
                LeaseStoreException.Outcome.UNKNOWN,
                "renewAll was not answered within " + ttl.dividedBy(3).toMillis() + " ms"),
            now);
      }
    }
  }

  /** Puts a batch back to where it was; one that failed early is not tried again at once. */
  private void fail(Batch batch, Throwable cause, Moment now) {
    for (int i = batch.tenancies().size() - 1; i >= 0; i--) {
      Tenancy tenancy = batch.tenancies().get(i);
      tenancy.renewing = false;
      if (tenancy.end().isEmpty()) {
        resting.addFirst(tenancy);
      }
    }
    boolean waited = now.ticksSince(batch.sent()) >= thirdNanos;
    notBefore = now.nanos() + (waited ? 0 : Math.max(ttl.dividedBy(12).toNanos(), 1_000_000));
    if (!storeAway) {
      storeAway = true;
      actions.add(new RosterAction.StoreAway(cause));
    }
  }

  private List<Tenancy> takeDue(Moment now) {
    List<Tenancy> due = new ArrayList<>();
    for (Tenancy first = firstResting();
        first != null
            && due.size() < batchSize
            && now.ticksSince(first.hold().sent()) >= thirdNanos;
        first = firstResting()) {
      resting.removeFirst();
      first.renewing = true;
      due.add(first);
    }
    return due;
  }

  private @Nullable Tenancy firstResting() {
    Tenancy first = resting.peekFirst();
    while (first != null && first.end().isPresent()) {
      resting.removeFirst();
      endedResting = Math.max(0, endedResting - 1);
      first = resting.peekFirst();
    }
    return first;
  }

  private void lose(Tenancy tenancy, EndReason reason) {
    end(tenancy, reason);
    byName.remove(tenancy.lease().name(), tenancy);
    actions.add(new RosterAction.Lost(tenancy, reason));
  }

  private void end(Tenancy tenancy, EndReason reason) {
    tenancy.end(reason);
    if (!tenancy.renewing) {
      endedResting++;
    }
  }

  /** Leases that come and go faster than they fall due would pile up in the queue. */
  private void dropEnded() {
    if (endedResting > batchSize && endedResting > resting.size() / 2) {
      resting.removeIf(tenancy -> tenancy.end().isPresent());
      endedResting = 0;
    }
  }

  private static boolean endsBefore(Hold one, Hold other) {
    return one.sent().nanos() + one.lengthNanos() - (other.sent().nanos() + other.lengthNanos())
        < 0;
  }
}
