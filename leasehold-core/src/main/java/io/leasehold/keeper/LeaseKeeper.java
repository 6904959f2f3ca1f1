package io.leasehold.keeper;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.EndReason;
import io.leasehold.Lease;
import io.leasehold.LeaseArguments;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseStoreException;
import io.leasehold.Owner;
import io.leasehold.Ticker;
import io.leasehold.campaign.Campaign;
import io.leasehold.campaign.Hold;
import io.leasehold.campaign.Moment;
import io.leasehold.campaign.Roster;
import io.leasehold.campaign.RosterAction;
import io.leasehold.campaign.Tenancy;
import io.leasehold.internal.Listeners;
import io.leasehold.internal.StoreCalls;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds many leases for one process: takes them, renews them in batches with one scheduler thread,
 * and tells when one is lost. Each lease obeys the same rule as an election's term: it may be
 * relied on until five sixths of the TTL after its last proven renewal was sent.
 *
 * <p>Thread-safe. Calls to the store are bounded by TTL/3, so one that hangs does not hang the
 * caller. Lock order: {@code lock} is the only lock, held for one step of the roster and never
 * around a store call or a listener.
 */
public final class LeaseKeeper implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);

  private final LeaseStore store;
  private final Builder settings;
  private final String owner;
  private final String run = HexFormat.of().toHexDigits(new SecureRandom().nextLong());
  private final AtomicLong attempts = new AtomicLong();
  private final StoreCalls calls;
  private final BoundedCalls bounded;
  private final Listeners listeners;
  private final Thread scheduler;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Roster roster; // guarded by lock
  private boolean closed; // guarded by lock

  private LeaseKeeper(LeaseStore store, Builder settings) {
    this.store = store;
    this.settings = settings;
    this.owner = settings.owner.orElseGet(Owner::random);
    this.roster = new Roster(settings.ttl, settings.batchSize, now());
    this.calls = new StoreCalls(StoreCalls.Threads.named(settings.threads, "call", "keeper"));
    this.bounded = new BoundedCalls(calls);
    this.listeners =
        new Listeners(StoreCalls.Threads.named(settings.threads, "listener", "keeper"));
    this.scheduler =
        StoreCalls.Threads.named(settings.threads, "keeper", owner).newThread(this::schedule);
  }

  /**
   * Begins to describe a keeper.
   *
   * @param store where the leases are kept; stays the caller's to close, after the keeper
   * @return a builder with the defaults: TTL 30 s, batches of 1,000
   */
  public static Builder builder(LeaseStore store) {
    return new Builder(store);
  }

  /**
   * Who holds the leases, as operators see it.
   *
   * @return the owner
   */
  public String owner() {
    return owner;
  }

  /**
   * How many leases are held.
   *
   * @return the number
   */
  public int size() {
    lock.lock();
    try {
      return roster.size();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes a lease, if the name is free. A name that this keeper holds already is refused too.
   *
   * @param name the name
   * @return the lease, or who has it
   * @throws LeaseStoreException if the store gave no answer within TTL/3; what it may have granted
   *     is given back
   * @throws IllegalStateException if the keeper is closed
   */
  public Claim claim(LeaseName name) {
    return claimAll(List.of(name)).get(0);
  }

  /**
   * Takes many leases in as few round trips as the store allows.
   *
   * @param names distinct names
   * @return one answer per name, in order
   * @throws LeaseStoreException if the store gave no answer within TTL/3 for some batch; what that
   *     batch may have granted is given back, leases of earlier batches too
   * @throws IllegalStateException if the keeper is closed
   */
  public List<Claim> claimAll(List<LeaseName> names) {
    refuseIfClosed();
    List<Claim> claims = new ArrayList<>(names.size());
    for (int from = 0; from < names.size(); from += settings.batchSize) {
      List<LeaseName> batch =
          names.subList(from, Math.min(from + settings.batchSize, names.size()));
      try {
        claims.addAll(claimBatch(batch));
      } catch (RuntimeException e) {
        for (Claim claim : claims) {
          if (claim instanceof Claim.Won won) {
            won.lease().close();
          }
        }
        throw e;
      }
    }
    return claims;
  }

  /**
   * Takes a lease, waiting for it: tries at once, when the present lease would expire, when the
   * store signals a release, and every TTL/3.
   *
   * @param name the name
   * @param wait at most how long
   * @return the lease, or who has it after all that time
   * @throws InterruptedException if interrupted while waiting
   * @throws LeaseStoreException if the store gave no answer
   * @throws IllegalStateException if the keeper is closed
   */
  public Claim claim(LeaseName name, Duration wait) throws InterruptedException {
    long until = settings.ticker.nanos() + wait.toNanos();
    Semaphore released = new Semaphore(0);
    try (LeaseStore.Subscription subscription = store.subscribe(name, released::release)) {
      while (true) {
        Claim claim = claim(name);
        long left = until - settings.ticker.nanos();
        if (!(claim instanceof Claim.Refused refused) || left <= 0) {
          return claim;
        }
        long pause = Math.min(left, settings.ttl.dividedBy(3).toNanos());
        if (!refused.view().remaining().isZero()) {
          pause = Math.min(pause, refused.view().remaining().toNanos() + 1_000_000);
        }
        if (released.tryAcquire(pause, TimeUnit.NANOSECONDS)) {
          released.drainPermits();
        }
      }
    }
  }

  private void refuseIfClosed() {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the keeper of " + owner + " is closed; it claims no more");
      }
    } finally {
      lock.unlock();
    }
  }

  private List<Claim> claimBatch(List<LeaseName> names) {
    List<AcquireRequest> requests = new ArrayList<>(names.size());
    for (LeaseName name : names) {
      String attempt = run + "-" + Long.toString(attempts.incrementAndGet(), 36);
      requests.add(new AcquireRequest(name, owner, attempt, settings.ttl));
    }
    Moment sent = now();
    List<AcquireAnswer> answers;
    try {
      answers =
          bounded.take(
              () ->
                  requests.size() == 1
                      ? List.of(acquire(requests.get(0)))
                      : store.acquireAll(requests),
              settings.ttl.dividedBy(3),
              this::giveBackGrants);
    } catch (LeaseStoreException e) {
      if (e.outcome() == LeaseStoreException.Outcome.UNKNOWN) {
        requests.forEach(each -> abandon(each.name(), each.attempt()));
      }
      throw e;
    }
    List<Claim> claims = new ArrayList<>(names.size());
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i) instanceof AcquireAnswer.Granted granted) {
        claims.add(keep(requests.get(i), granted.lease(), sent));
      } else if (answers.get(i) instanceof AcquireAnswer.Held held) {
        claims.add(new Claim.Refused(held.view()));
      }
    }
    return claims;
  }

  private AcquireAnswer acquire(AcquireRequest request) {
    return store.acquire(request.name(), request.owner(), request.attempt(), request.ttl());
  }

  private Claim keep(AcquireRequest request, Lease lease, Moment sent) {
    lock.lock();
    try {
      if (!closed && !Hold.proved(sent, settings.ttl, lease).isOver(now())) {
        Tenancy tenancy = roster.add(lease, sent);
        changed.signal();
        return new Claim.Won(new HeldLease(this, tenancy));
      }
    } finally {
      lock.unlock();
    }
    abandon(request.name(), request.attempt());
    throw new LeaseStoreException(
        LeaseStoreException.Outcome.UNKNOWN,
        "acquire of " + request.name() + " was answered after its hold; the lease is given back");
  }

  /** Whoever waited for these grants has gone; nobody will use them. */
  private void giveBackGrants(List<AcquireAnswer> late) {
    for (AcquireAnswer answer : late) {
      if (answer instanceof AcquireAnswer.Granted granted) {
        abandon(granted.lease().name(), granted.lease().attempt());
      }
    }
  }

  private void abandon(LeaseName name, String attempt) {
    bounded.giveBackLater(
        () -> store.abandon(name, owner, attempt),
        failure -> log.debug("{}: could not be given back and expires", name, failure));
  }

  boolean isHeld(Tenancy tenancy) {
    return tenancy.isHeld(now());
  }

  Duration remaining(Tenancy tenancy) {
    Moment now = now();
    return tenancy.isHeld(now)
        ? Duration.ofNanos(Math.max(0, tenancy.hold().leftNanos(now)))
        : Duration.ZERO;
  }

  void release(Tenancy tenancy) {
    lock.lock();
    try {
      if (!roster.remove(tenancy, EndReason.STOPPED)) {
        return;
      }
    } finally {
      lock.unlock();
    }
    try {
      bounded.giveBack(
          () -> store.release(tenancy.lease(), Duration.ZERO), Campaign.GIVE_BACK_BOUND);
    } catch (LeaseStoreException e) {
      log.warn("{}: could not be released and expires: {}", tenancy.lease().name(), e.toString());
    }
  }

  /**
   * Gives every lease back, in batches, and ends the threads. Every lease is tried, whatever
   * becomes of the others. Bounded by 5 s; leases that could not be given back by then expire by
   * their TTL. Idempotent.
   */
  @Override
  public void close() {
    List<Lease> leases = new ArrayList<>();
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      for (Tenancy tenancy : roster.all()) {
        roster.remove(tenancy, EndReason.STOPPED);
        leases.add(tenancy.lease());
      }
      changed.signal();
    } finally {
      lock.unlock();
    }
    releaseAll(leases);
    calls.close();
    listeners.finish();
    try {
      if (!listeners.isCurrentThread()) {
        listeners.awaitDone(1_000);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void releaseAll(List<Lease> leases) {
    long until = settings.ticker.nanos() + Campaign.GIVE_BACK_BOUND.toNanos();
    int failed = 0;
    for (int from = 0; from < leases.size(); from += settings.batchSize) {
      List<Lease> batch = leases.subList(from, Math.min(from + settings.batchSize, leases.size()));
      Duration left = Duration.ofNanos(Math.max(1, until - settings.ticker.nanos()));
      try {
        bounded.giveBack(() -> store.releaseAll(batch, Duration.ZERO), left);
      } catch (LeaseStoreException e) {
        failed += releaseEach(batch, until);
      }
    }
    if (failed > 0) {
      log.warn("{} of {} leases could not be released and expire", failed, leases.size());
    }
  }

  /** One bad lease must not keep the others of its batch. Says how many could not be given back. */
  private int releaseEach(List<Lease> batch, long until) {
    int failed = 0;
    for (Lease lease : batch) {
      Duration left = Duration.ofNanos(Math.max(1, until - settings.ticker.nanos()));
      try {
        bounded.giveBack(() -> store.release(lease, Duration.ZERO), left);
      } catch (LeaseStoreException e) {
        failed++;
      }
    }
    return failed;
  }

  private void schedule() {
    while (true) {
      List<RosterAction> actions;
      lock.lock();
      try {
        if (closed) {
          return;
        }
        actions = roster.passTime(now());
        if (actions.isEmpty()) {
          long wait = roster.nextWakeIn(now());
          long left = wait > 0 ? changed.awaitNanos(wait) : 0;
          log.trace("woke with {} ns left", left);
          continue;
        }
      } catch (InterruptedException e) {
        log.debug("the keeper's thread was interrupted; it ends by close() alone", e);
        continue;
      } finally {
        lock.unlock();
      }
      actions.forEach(this::perform);
    }
  }

  private void perform(RosterAction action) {
    if (action instanceof RosterAction.SendRenewAll renew) {
      calls.run(
          renew.call(),
          false,
          () -> store.renewAll(renew.leases(), settings.ttl),
          answers -> step(() -> roster.answered(renew.call(), answers, now())),
          failure -> step(() -> roster.unanswered(renew.call(), failure, now())));
    } else if (action instanceof RosterAction.Cancel cancel) {
      calls.cancel(cancel.call());
    } else if (action instanceof RosterAction.Lost lost) {
      HeldLease lease = new HeldLease(this, lost.tenancy());
      listeners.call(
          () -> {
            log.warn("{}: lost token {}: {}", lease.name(), lease.token(), lost.reason());
            for (LossListener listener : settings.listeners) {
              listener.lost(lease, lost.reason());
            }
          },
          false);
    } else if (action instanceof RosterAction.StoreAway away) {
      String cause = away.cause().toString();
      listeners.call(() -> log.warn("the keeper cannot reach the store: {}", cause), false);
    } else if (action instanceof RosterAction.StoreBack) {
      listeners.call(() -> log.info("the keeper reaches the store again"), false);
    }
  }

  private void step(Supplier<List<RosterAction>> event) {
    List<RosterAction> actions;
    lock.lock();
    try {
      if (closed) {
        return;
      }
      actions = event.get();
      changed.signal();
    } finally {
      lock.unlock();
    }
    actions.forEach(this::perform);
  }

  private Moment now() {
    return Moment.read(settings.ticker, settings.clock);
  }

  /**
   * Describes a keeper.
   *
   * <p>Not thread-safe.
   */
  public static final class Builder {

    private final LeaseStore store;
    private Optional<String> owner = Optional.empty();
    private Duration ttl = Duration.ofSeconds(30);
    private int batchSize = 1_000;
    private ThreadFactory threads = Thread::new;
    private Ticker ticker = Ticker.system();
    private InstantSource clock = InstantSource.system();
    private List<LossListener> listeners = List.of();

    private Builder(LeaseStore store) {
      this.store = store;
    }

    /**
     * Who holds the leases, shown to operators. By default {@link Owner#random}.
     *
     * @param value unique per process; 1 to 255 bytes of UTF-8
     * @return this
     */
    public Builder owner(String value) {
      owner = Optional.of(LeaseArguments.owner(value));
      return this;
    }

    /**
     * The TTL of every lease. It is renewed every third.
     *
     * @param value 10 ms to 366 days; 30 s by default
     * @return this
     */
    public Builder ttl(Duration value) {
      ttl = Hold.checkTtl(value);
      return this;
    }

    /**
     * The most leases in one batch.
     *
     * @param value 1 to 10,000; 1,000 by default
     * @return this
     * @throws IllegalArgumentException if the size is out of range
     */
    public Builder batchSize(int value) {
      if (value < 1 || value > 10_000) {
        throw new IllegalArgumentException("batch size " + value + " is out of range: 1 to 10000");
      }
      batchSize = value;
      return this;
    }

    /**
     * Adds a listener.
     *
     * @param value is told of every lease that is lost
     * @return this
     */
    public Builder listener(LossListener value) {
      List<LossListener> all = new ArrayList<>(listeners);
      all.add(value);
      listeners = List.copyOf(all);
      return this;
    }

    /**
     * Makes the keeper's threads. They are renamed, and made daemons.
     *
     * @param value the factory
     * @return this
     */
    public Builder threads(ThreadFactory value) {
      threads = value;
      return this;
    }

    /**
     * The clocks by which deadlines are counted.
     *
     * @param monotonic the monotonic clock
     * @param wall the wall clock, in case the machine is suspended
     * @return this
     */
    public Builder clocks(Ticker monotonic, InstantSource wall) {
      ticker = monotonic;
      clock = wall;
      return this;
    }

    /**
     * Starts the keeper. Changing this builder afterwards changes nothing.
     *
     * @return the keeper, to be closed
     */
    public LeaseKeeper build() {
      Builder copy = new Builder(store);
      copy.owner = owner;
      copy.ttl = ttl;
      copy.batchSize = batchSize;
      copy.threads = threads;
      copy.ticker = ticker;
      copy.clock = clock;
      copy.listeners = listeners;
      LeaseKeeper keeper = new LeaseKeeper(store, copy);
      keeper.scheduler.start();
      return keeper;
    }
  }
}
