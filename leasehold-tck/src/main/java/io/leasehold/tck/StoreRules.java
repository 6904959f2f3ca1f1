package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.FencingToken;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeasePage;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.RenewAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The vocabulary that all rules share. A rule that needs a live lease takes it for {@link #LONG},
 * so that no rule depends on the speed of the machine; only a rule that awaits an expiry takes the
 * fixture's TTL.
 */
@ExtendWith(GuaranteeInFailure.class)
abstract class StoreRules {

  /** A TTL that outlasts every test. */
  static final Duration LONG = Duration.ofMinutes(5);

  private static final int PAGE = 100;

  static final LeaseView.State LIVE = LeaseView.State.LIVE;
  static final LeaseView.State EXPIRED = LeaseView.State.EXPIRED;

  static final String ALICE = "alice-4f1c";
  static final String BOB = "bob-93d0";

  final LeaseStoreFixture fixture;

  /** Nothing that is open yet has been closed yet; the last opened is closed first. */
  private final Deque<LeaseStore> opened = new ArrayDeque<>();

  private final String prefix;

  StoreRules(LeaseStoreFixture fixture) {
    this.fixture = fixture;
    this.prefix = fixture.prefix() + random() + "-";
  }

  @BeforeEach
  final void openFirstStore() throws Exception {
    closedAfterwards(fixture.openStore());
  }

  /** Ends what the test left live, so that a shared database is not kept busy; then closes. */
  @AfterEach
  final void cleanUp() {
    if (opened.isEmpty()) {
      return;
    }
    try {
      for (LeaseView view : inspectAll(prefix)) {
        if (view.isLive()) {
          store().release(view.asLease(), Duration.ZERO);
        }
      }
    } catch (RuntimeException | AssertionError e) {
      // The test has said what is wrong with the store; cleaning up is a courtesy.
    } finally {
      opened.forEach(LeaseStore::close);
    }
  }

  /** The store under test. */
  final LeaseStore store() {
    return opened.getLast();
  }

  /** One more store object over the same database. */
  final LeaseStore anotherStore() throws Exception {
    needs(Capability.SHARED);
    return closedAfterwards(fixture.openStore());
  }

  /** One more store object where there can be one; else the first again. */
  final LeaseStore anotherStoreIfAny() throws Exception {
    return fixture.lacks().containsKey(Capability.SHARED) ? store() : anotherStore();
  }

  final LeaseStore closedAfterwards(LeaseStore open) {
    opened.push(open);
    return open;
  }

  /** Aborts the rule, with the fixture's reason, where the capability is lacking. */
  final void needs(Capability capability) {
    String reason = fixture.lacks().get(capability);
    Assumptions.assumeTrue(reason == null, () -> "lacks " + capability + ": " + reason);
  }

  /** What the fixture offers, or the end of this rule, saying which hook is missing. */
  static <T> T offered(Optional<T> hook, String method) {
    Assumptions.assumeTrue(hook.isPresent(), () -> "the fixture offers no " + method);
    return hook.orElseThrow();
  }

  /** What all names of this test start with. */
  final String prefix() {
    return prefix;
  }

  /** A name that belongs to this test alone. */
  final LeaseName name(String rest) {
    return LeaseName.of(prefix + rest);
  }

  /** An attempt that was never made before. */
  static String newAttempt() {
    return "attempt-" + random();
  }

  private static String random() {
    return UUID.randomUUID().toString().substring(0, 8);
  }

  /** A new attempt. */
  final AcquireAnswer acquire(LeaseName name, String owner, Duration ttl) {
    return store().acquire(name, owner, newAttempt(), ttl);
  }

  /** A lease that outlasts the test. */
  final Lease grant(LeaseName name, String owner) {
    return granted(acquire(name, owner, LONG), "a free name is granted");
  }

  /** A lease whose expiry can be awaited. */
  final Lease grantShort(LeaseName name, String owner) {
    return granted(acquire(name, owner, fixture.ttl()), "a free name is granted");
  }

  static Lease granted(AcquireAnswer answer, String guarantee) {
    assertThat(answer).as(guarantee).isInstanceOf(AcquireAnswer.Granted.class);
    return ((AcquireAnswer.Granted) answer).lease();
  }

  static LeaseView held(AcquireAnswer answer, String guarantee) {
    assertThat(answer).as(guarantee).isInstanceOf(AcquireAnswer.Held.class);
    return ((AcquireAnswer.Held) answer).view();
  }

  static Lease renewed(RenewAnswer answer, String guarantee) {
    assertThat(answer).as(guarantee).isInstanceOf(RenewAnswer.Renewed.class);
    return ((RenewAnswer.Renewed) answer).lease();
  }

  static Optional<LeaseView> lost(RenewAnswer answer, String guarantee) {
    assertThat(answer).as(guarantee).isInstanceOf(RenewAnswer.Lost.class);
    return ((RenewAnswer.Lost) answer).current();
  }

  /** The record of a name, live or ended; fails when there is none. */
  final LeaseView record(LeaseName name) {
    Optional<LeaseView> found = recordIfAny(name);
    assertThat(found).as("the record of %s is there", name).isPresent();
    return found.orElseThrow();
  }

  final Optional<LeaseView> recordIfAny(LeaseName name) {
    return inspectAll(name.value()).stream().filter(view -> view.name().equals(name)).findFirst();
  }

  final List<LeaseView> inspectAll(String start) {
    List<LeaseView> all = new ArrayList<>();
    Set<String> cursors = new HashSet<>();
    LeasePage answer = store().inspect(start, Page.first(PAGE));
    all.addAll(answer.leases());
    while (answer.next().isPresent()) {
      String cursor = answer.next().get();
      assertThat(cursors.add(cursor)).as("a listing does not come back to %s", cursor).isTrue();
      answer = store().inspect(start, Page.at(cursor, PAGE));
      all.addAll(answer.leases());
    }
    return all;
  }

  /** What a holder sends that was never granted anything. */
  static Lease inventedLease(LeaseName name) {
    Instant granted = Instant.ofEpochSecond(1_800_000_000L);
    return new Lease(
        name, ALICE, newAttempt(), new FencingToken(42), granted, granted.plus(LONG), LONG);
  }

  /** Asserts that the lease is live, and its record is as its holder was told. */
  final void assertUntouched(Lease lease) {
    LeaseView view = record(lease.name());
    assertThat(view.isOf(lease)).as("the holder's grant stands").isTrue();
    assertThat(view.state()).as("the holder still holds it").isEqualTo(LIVE);
    assertThat(view.expiresAt()).as("its expiry was not moved").isEqualTo(lease.expiresAt());
  }

  /** Deletes what has ended, until this record is among it: it ended by the store's clock. */
  final void awaitReclaimed(LeaseName name) {
    long until = System.nanoTime() + fixture.patience().toNanos();
    store().reclaim(Duration.ZERO);
    while (recordIfAny(name).isPresent() && System.nanoTime() < until) {
      pass(Duration.ofMillis(2));
      store().reclaim(Duration.ZERO);
    }
    assertThat(recordIfAny(name)).as("an ended record is reclaimed").isEmpty();
  }

  /** The same lease with another token, as a holder with a wrong belief would send it. */
  static Lease withToken(Lease lease, FencingToken token) {
    return new Lease(
        lease.name(),
        lease.owner(),
        lease.attempt(),
        token,
        lease.grantedAt(),
        lease.expiresAt(),
        lease.remaining());
  }

  static Lease withAttempt(Lease lease, String attempt) {
    return new Lease(
        lease.name(),
        lease.owner(),
        attempt,
        lease.token(),
        lease.grantedAt(),
        lease.expiresAt(),
        lease.remaining());
  }

  static Lease withOwner(Lease lease, String owner) {
    return new Lease(
        lease.name(),
        owner,
        lease.attempt(),
        lease.token(),
        lease.grantedAt(),
        lease.expiresAt(),
        lease.remaining());
  }

  /** The same lease as a holder sends it who believes that it has another hour. */
  static Lease believedLive(Lease lease) {
    Duration hour = Duration.ofHours(1);
    return new Lease(
        lease.name(),
        lease.owner(),
        lease.attempt(),
        lease.token(),
        lease.grantedAt(),
        lease.expiresAt().plus(hour),
        hour);
  }

  /** Waits until a lease that was just answered has expired by the store's clock. */
  final void letExpire(Lease lease) {
    letPass(lease.name(), lease.remaining());
  }

  /**
   * Waits until what had this much time left, in an answer that has just come, has passed by the
   * store's clock. The answer was older than its arrival, so that time is enough; what a coarse
   * clock adds is awaited by asking the store, for at most one TTL more. A store that still shows
   * the lease then is judged by what the rule asks next.
   */
  final void letPass(LeaseName name, Duration remaining) {
    if (fixture.clock().isPresent()) {
      fixture.clock().get().accept(remaining);
      return;
    }
    pause(remaining);
    long until = System.nanoTime() + fixture.ttl().toNanos();
    while (store().read(name).isPresent() && System.nanoTime() < until) {
      pause(Duration.ofMillis(2));
    }
  }

  /** Lets time pass on the store's clock. */
  final void pass(Duration time) {
    if (fixture.clock().isPresent()) {
      fixture.clock().get().accept(time);
    } else {
      pause(time);
    }
  }

  static void pause(Duration time) {
    long until = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = until - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
