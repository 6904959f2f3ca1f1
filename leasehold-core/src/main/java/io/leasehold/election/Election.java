package io.leasehold.election;

import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.Owner;
import io.leasehold.Ticker;
import io.leasehold.campaign.Campaign;
import io.leasehold.campaign.CampaignEvent;
import io.leasehold.campaign.CampaignPlan;
import io.leasehold.campaign.CampaignStatus;
import io.leasehold.campaign.Hold;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * Campaigns for a name and runs the caller's work while this process holds it.
 *
 * <p>Of all candidates for a name over one store, one at a time serves. A healthy holder keeps its
 * term. It stops before its lease can expire: see {@link #builder} for the times. A lease alone is
 * not mutual exclusion, since a process may be paused between a look at the term and the write that
 * follows; send {@link Term#token} with every write, to something that refuses a lower one.
 *
 * <pre>{@code
 * try (Election election = Election.builder(store, LeaseName.of("sweeper")).start(work)) {
 *   application.awaitShutdown();
 * } // the work was stopped, then the lease released: the next candidate starts at once
 * }</pre>
 *
 * <p>Thread-safe. {@link #close} and {@link #yieldTerm} may be called from anywhere, the work and
 * the listeners included.
 */
public final class Election implements AutoCloseable {

  /** What an election takes from outside. */
  record Settings(
      ThreadFactory threads,
      Ticker ticker,
      InstantSource clock,
      Supplier<String> attempts,
      DoubleSupplier jitter,
      List<ElectionListener> listeners) {}

  private final CampaignPlan plan;
  private final ElectionDriver driver;

  private Election(CampaignPlan plan, ElectionDriver driver) {
    this.plan = plan;
    this.driver = driver;
  }

  /**
   * Begins to describe an election.
   *
   * @param store where the lease is kept; stays the caller's to close, after the election
   * @param name what to be elected for
   * @return a builder with the defaults: TTL 30 s, retry TTL/3, no grace, no linger, patience 30 s
   */
  public static Builder builder(LeaseStore store, LeaseName name) {
    return new Builder(store, name);
  }

  /**
   * A snapshot of where this candidate stands.
   *
   * @return the status
   */
  public ElectionStatus status() {
    CampaignStatus now = driver.status();
    Duration silence = now.sinceAnswer();
    boolean proved = now.phase() == CampaignStatus.Phase.SERVING;
    Duration patience = Hold.length(plan.ttl()).plus(plan.retry().multipliedBy(11).dividedBy(10));
    boolean heard = !now.storeAway() || silence.compareTo(patience) <= 0;
    return new ElectionStatus(
        plan.name(),
        plan.owner(),
        ElectionStatus.Phase.valueOf(now.phase().name()),
        now.lease().map(lease -> lease.token()),
        Collections.max(List.of(Duration.ZERO, now.remaining().minus(plan.grace()))),
        now.holder(),
        silence,
        now.lastFailure().map(Throwable::toString),
        now.phase() != CampaignStatus.Phase.CLOSED && (proved || heard));
  }

  /**
   * Hands over on purpose, if this candidate is elected: the work is stopped, the lease released,
   * and this candidate waits one retry before it campaigns again. Returns at once.
   */
  public void yieldTerm() {
    driver.post(new CampaignEvent.YieldAsked());
  }

  /** Asks the election to end, without waiting for it. {@link #close} waits. */
  public void stop() {
    driver.post(new CampaignEvent.StopAsked());
  }

  /**
   * Ends the election: the work is stopped, then the lease released. Waits for that, at most for
   * the patience and twice 5 s; does not wait when called from the work or a listener. Work that
   * has not returned by then keeps the lease from being released; it expires by its TTL.
   * Idempotent.
   *
   * <p>An interrupt ends the waiting, not the stopping, and is kept.
   */
  @Override
  public void close() {
    stop();
    try {
      Duration bound = plan.patience().plus(Campaign.GIVE_BACK_BOUND.multipliedBy(2));
      driver.awaitDone(bound.toMillis() + 1_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Describes an election. Essential: {@link #ttl}. Often wanted: {@link #grace}, {@link
   * #listener}.
   *
   * <p>Not thread-safe.
   */
  public static final class Builder {

    private final LeaseStore store;
    private final LeaseName name;
    private Optional<String> owner = Optional.empty();
    private Duration ttl = Duration.ofSeconds(30);
    private Optional<Duration> retry = Optional.empty();
    private Duration grace = Duration.ZERO;
    private Duration linger = Duration.ZERO;
    private Duration patience = Duration.ofSeconds(30);
    private ThreadFactory threads = Thread::new;
    private Ticker ticker = Ticker.system();
    private InstantSource clock = InstantSource.system();
    private final List<ElectionListener> listeners = new ArrayList<>();

    private Builder(LeaseStore store, LeaseName name) {
      this.store = store;
      this.name = name;
    }

    /**
     * Who campaigns, shown to operators. By default {@link Owner#random}.
     *
     * @param value unique per process; 1 to 255 bytes of UTF-8
     * @return this
     */
    public Builder owner(String value) {
      owner = Optional.of(value);
      return this;
    }

    /**
     * The lease's TTL. A holder that cannot renew stops at five sixths of it; the successor of a
     * crashed one starts after the whole of it. It is renewed every third.
     *
     * @param value 10 ms to 366 days; 30 s by default
     * @return this
     */
    public Builder ttl(Duration value) {
      ttl = value;
      return this;
    }

    /**
     * How often a candidate tries, spread by a tenth either way. It tries besides at the moment a
     * held lease expires, and when the store signals a release.
     *
     * @param value 1 ms to 366 days; TTL/3 by default
     * @return this
     */
    public Builder retry(Duration value) {
      retry = Optional.of(value);
      return this;
    }

    /**
     * How long before the end of its hold the work is told, so that it is gone, not just told,
     * before the lease can expire. The lease expires another TTL/6 later. Up to TTL/6, one renewal
     * may still go unanswered for as long as a call may take; beyond, it ends the term.
     *
     * @param value 0 to TTL/3; 0 by default
     * @return this
     */
    public Builder grace(Duration value) {
      grace = value;
      return this;
    }

    /**
     * When the work ended by itself, keeps the name taken until this long after the grant, so that
     * no other replica repeats it at once.
     *
     * @param value 0 to 366 days; 0 by default
     * @return this
     */
    public Builder linger(Duration value) {
      linger = value;
      return this;
    }

    /**
     * How long {@link Election#close} waits for the work to return.
     *
     * @param value 0 to 366 days; 30 s by default
     * @return this
     */
    public Builder patience(Duration value) {
      patience = value;
      return this;
    }

    /**
     * Adds a listener.
     *
     * @param value the listener
     * @return this
     */
    public Builder listener(ElectionListener value) {
      listeners.add(value);
      return this;
    }

    /**
     * Makes the election's threads. They are renamed, and made daemons.
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
     * Starts to campaign.
     *
     * @param work what to do when elected
     * @return the election, to be closed
     * @throws IllegalArgumentException if an option is out of range; the message names it
     */
    public Election start(Work work) {
      CampaignPlan plan =
          new CampaignPlan(
              name,
              owner.orElseGet(Owner::random),
              ttl,
              retry.orElse(ttl.dividedBy(3)),
              grace,
              linger,
              patience);
      List<ElectionListener> all = new ArrayList<>();
      all.add(new ElectionLog(plan.owner()));
      all.addAll(listeners);
      Settings settings =
          new Settings(
              threads,
              ticker,
              clock,
              attempts(),
              () -> ThreadLocalRandom.current().nextDouble(-1, 1),
              List.copyOf(all));
      ElectionDriver driver = new ElectionDriver(store, plan, settings, work);
      driver.start();
      return new Election(plan, driver);
    }

    private static Supplier<String> attempts() {
      String run = HexFormat.of().toHexDigits(new SecureRandom().nextLong());
      AtomicLong count = new AtomicLong();
      return () -> run + "-" + Long.toString(count.incrementAndGet(), 36);
    }
  }
}
