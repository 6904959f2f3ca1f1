package io.leasehold.redis;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.AcquireAnswer.Granted;
import io.leasehold.AcquireAnswer.Held;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseStoreException.Outcome;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer.Lost;
import io.leasehold.RenewAnswer.Renewed;
import io.leasehold.tck.net.TcpProxy;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server that goes away, hangs, comes back different; a network that loses answers. */
class RedisFaultTest {

  private static final Duration TTL = ofMinutes(10);
  private static final LeaseName NAME = LeaseName.of("sweeper");
  private static final RedisLeaseOptions QUICK = RedisLeaseOptions.defaults().timeout(ofSeconds(1));

  private RedisProcess server;

  @BeforeEach
  void startServer() {
    server = RedisProcess.started("--appendonly", "yes", "--appendfsync", "always");
  }

  @AfterEach
  void stopServer() {
    server.close();
  }

  @Test
  void aServerThatIsDownIsToldAtOnceAndFoundAgainByTheFirstCall() {
    try (RedisLeaseStore store = RedisLeaseStore.open(server.uri(), QUICK)) {
      Lease lease = granted(store);
      server.kill();
      Awaitility.await().until(() -> failure(() -> store.read(NAME)) == Outcome.NOT_APPLIED);
      long start = System.nanoTime();
      assertThat(failure(() -> store.renew(lease, TTL))).isEqualTo(Outcome.NOT_APPLIED);
      // Refused at once, not after the time-out of 1 s; half a second is for a busy machine.
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ofMillis(500));
      server.start();
      // The very first call: no back-off is waited out, and the append-only file kept the lease.
      assertThat(store.renew(lease, TTL)).isInstanceOf(Renewed.class);
      assertThat(store.acquire(NAME, "b", attempt(), TTL)).isInstanceOf(Held.class);
    }
  }

  @Test
  void aStoreMayBeOpenedBeforeItsServer() {
    server.kill();
    try (RedisLeaseStore store = RedisLeaseStore.open(server.uri(), QUICK)) {
      assertThat(failure(() -> store.read(NAME))).isEqualTo(Outcome.NOT_APPLIED);
      assertThat(store.findings())
          .anyMatch(
              finding ->
                  finding.level() == RedisFinding.Level.FAIL
                      && finding.subject().equals("connection"));
      server.start();
      assertThat(granted(store).token().value()).isPositive();
    }
  }

  @Test
  void aServerThatForgotEverythingLosesTheHolderAndGrantsAGreaterToken() {
    try (RedisProcess forgetful = RedisProcess.started();
        RedisLeaseStore store = RedisLeaseStore.open(forgetful.uri(), QUICK)) {
      Lease lease = granted(store);
      forgetful.kill();
      forgetful.start();
      assertThat(store.renew(lease, TTL)).isEqualTo(new Lost(Optional.empty()));
      assertThat(granted(store).token()).matches(next -> next.supersedes(lease.token()));
    }
  }

  @Test
  void aServerThatHangsIsUnknownAndRecoversWithoutANewStore() {
    try (RedisLeaseStore store = RedisLeaseStore.open(server.uri(), QUICK)) {
      Lease lease = granted(store);
      server.pause();
      assertThat(failure(() -> store.renew(lease, TTL))).isEqualTo(Outcome.UNKNOWN);
      server.resume();
      assertThat(store.renew(lease, TTL)).isInstanceOf(Renewed.class);
    }
  }

  @Test
  void aCallOnAHangingServerEndsWithinItsTimeOutEvenForMany() {
    try (RedisLeaseStore store = RedisLeaseStore.open(server.uri(), QUICK)) {
      Lease lease = granted(store);
      server.pause();
      long start = System.nanoTime();
      assertThat(failure(() -> store.renewAll(Collections.nCopies(1_000, lease), TTL)))
          .isEqualTo(Outcome.UNKNOWN);
      // The time-out is 1 s for all of them together; one more for a busy machine.
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ofSeconds(2));
    }
  }

  @Test
  void anInterruptedWaitEndsAtOnceAsUnknown() throws Exception {
    try (RedisLeaseStore store =
        RedisLeaseStore.open(server.uri(), RedisLeaseOptions.defaults().timeout(ofMinutes(1)))) {
      Lease lease = granted(store);
      server.pause();
      Outcome[] outcome = new Outcome[1];
      boolean[] interrupted = new boolean[1];
      Thread caller =
          new Thread(
              () -> {
                outcome[0] = failure(() -> store.renew(lease, TTL));
                interrupted[0] = Thread.currentThread().isInterrupted();
              });
      caller.start();
      Awaitility.await().until(() -> caller.getState() == Thread.State.TIMED_WAITING);
      caller.interrupt();
      caller.join(10_000);
      assertThat(caller.isAlive()).isFalse();
      assertThat(outcome[0]).isEqualTo(Outcome.UNKNOWN);
      assertThat(interrupted[0]).isTrue();
      server.resume();
      assertThat(store.renew(lease, TTL)).isInstanceOf(Renewed.class);
    }
  }

  @Test
  void aConnectionThatTheNetworkSwallowedIsReplaced() {
    try (TcpProxy proxy = TcpProxy.to("127.0.0.1", server.port());
        RedisLeaseStore store = RedisLeaseStore.open(uri(proxy.port()), QUICK)) {
      Lease lease = granted(store);
      proxy.stall();
      long before = proxy.accepted();
      assertThat(failure(() -> store.renew(lease, TTL))).isEqualTo(Outcome.UNKNOWN);
      // After one unanswered call the connection is kept, so that an abandon stays behind it.
      assertThat(proxy.accepted()).isEqualTo(before);
      assertThat(failure(() -> store.renew(lease, TTL))).isEqualTo(Outcome.UNKNOWN);
      assertThat(failure(() -> store.renew(lease, TTL))).isEqualTo(Outcome.NOT_APPLIED);
      assertThat(proxy.accepted()).isEqualTo(before + 1);
      proxy.restore();
      Awaitility.await().atMost(ofSeconds(15)).until(() -> succeeds(() -> store.renew(lease, TTL)));
    }
  }

  @Test
  void anAcquireWhoseAnswerIsLostIsUnknownAndAbandonFreesTheName() {
    try (TcpProxy proxy = TcpProxy.to("127.0.0.1", server.port());
        RedisLeaseStore store = RedisLeaseStore.open(uri(proxy.port()), QUICK);
        RedisLeaseStore other = RedisLeaseStore.open(server.uri())) {
      store.acquire(LeaseName.of("another"), "a", attempt(), TTL); // so that the script is known
      proxy.cutAtAnswer();
      assertThat(failure(() -> store.acquire(NAME, "a", "attempt-1", TTL)))
          .isEqualTo(Outcome.UNKNOWN);
      assertThat(other.read(NAME)).hasValueSatisfying(v -> assertThat(v.owner()).isEqualTo("a"));
      proxy.restore();
      // Sent again it is the same grant, and nothing was replayed in between.
      Awaitility.await().until(() -> succeeds(() -> store.read(NAME)));
      Lease again = ((Granted) store.acquire(NAME, "a", "attempt-1", TTL)).lease();
      assertThat(other.read(NAME).orElseThrow().token()).isEqualTo(again.token());
      store.abandon(NAME, "a", "attempt-1");
      assertThat(other.acquire(NAME, "b", attempt(), TTL)).isInstanceOf(Granted.class);
      assertThat(store.acquire(NAME, "a", "attempt-1", TTL)).isInstanceOf(Held.class);
    }
  }

  @Test
  void anAcquireThatWasNotAnsweredIsNeverSentAgain() {
    try (TcpProxy proxy = TcpProxy.to("127.0.0.1", server.port());
        RedisLeaseStore store = RedisLeaseStore.open(uri(proxy.port()), QUICK)) {
      store.acquire(LeaseName.of("another"), "a", attempt(), TTL); // so that the script is known
      server.commands().configResetstat();
      proxy.cutAtAnswer();
      assertThat(failure(() -> store.acquire(NAME, "a", attempt(), TTL)))
          .isEqualTo(Outcome.UNKNOWN);
      proxy.restore();
      Awaitility.await().until(() -> succeeds(() -> store.read(NAME)));
      // The acquire, once; everything else only reads.
      assertThat(server.commands().info("commandstats")).contains("cmdstat_hset:calls=1,");
    }
  }

  @Test
  void aReplicaGivesNoAnswerAndNeverHeld() {
    try (RedisProcess replica =
            RedisProcess.started("--replicaof", "127.0.0.1", "" + server.port());
        RedisLeaseStore primary = RedisLeaseStore.open(server.uri(), QUICK);
        RedisLeaseStore store = RedisLeaseStore.open(replica.uri(), QUICK)) {
      Lease lease = granted(primary);
      Awaitility.await().until(() -> replica.commands().dbsize() == 1);
      assertThat(failure(() -> store.acquire(NAME, "b", attempt(), TTL)))
          .isEqualTo(Outcome.NOT_APPLIED);
      assertThat(failure(() -> store.renew(lease, TTL))).isEqualTo(Outcome.NOT_APPLIED);
      assertThat(failure(() -> store.release(lease, ZERO))).isEqualTo(Outcome.NOT_APPLIED);
      assertThat(failure(() -> store.read(NAME))).isEqualTo(Outcome.NOT_APPLIED);
      assertThat(failure(() -> store.inspect("", Page.first(10)))).isEqualTo(Outcome.NOT_APPLIED);
      assertThat(failure(() -> store.reclaim(ZERO))).isEqualTo(Outcome.NOT_APPLIED);
      assertThat(store.findings())
          .anyMatch(
              finding ->
                  finding.level() == RedisFinding.Level.FAIL && finding.subject().equals("role"));
      // Promoted, it serves at the next call: what was replicated is still held.
      replica.commands().replicaofNoOne();
      assertThat(store.acquire(NAME, "b", attempt(), TTL)).isInstanceOf(Held.class);
      assertThat(store.renew(lease, TTL)).isInstanceOf(Renewed.class);
    }
  }

  @Test
  void aPrimaryThatBecomesReadOnlyDuringATermIsUnavailable() {
    try (RedisProcess next = RedisProcess.started();
        RedisLeaseStore store = RedisLeaseStore.open(server.uri(), QUICK)) {
      Lease lease = granted(store);
      server.commands().replicaof("127.0.0.1", next.port());
      assertThat(failure(() -> store.renew(lease, TTL))).isEqualTo(Outcome.NOT_APPLIED);
      assertThat(failure(() -> store.acquire(NAME, "b", attempt(), TTL)))
          .isEqualTo(Outcome.NOT_APPLIED);
      server.commands().replicaofNoOne();
      Awaitility.await()
          .atMost(ofSeconds(10))
          .until(() -> succeeds(() -> store.acquire(NAME, "b", attempt(), TTL)));
    }
  }

  @Test
  void aGrantThatTooFewReplicasConfirmIsGivenBackAndNoAnswer() {
    RedisLeaseOptions waiting = QUICK.waitForReplicas(1, ofMillis(300));
    try (RedisLeaseStore store = RedisLeaseStore.open(server.uri(), waiting)) {
      assertThat(store.findings())
          .anyMatch(
              finding ->
                  finding.level() == RedisFinding.Level.FAIL
                      && finding.subject().equals("replication"));
      assertThatThrownBy(() -> store.acquire(NAME, "a", attempt(), TTL))
          .isInstanceOfSatisfying(
              LeaseStoreException.class, e -> assertThat(e.outcome()).isEqualTo(Outcome.UNKNOWN))
          .hasMessageContaining("0 of 1 replicas");
      assertThat(store.read(NAME)).isEmpty();
      try (RedisProcess replica =
          RedisProcess.started("--replicaof", "127.0.0.1", "" + server.port())) {
        Awaitility.await()
            .atMost(ofSeconds(20))
            .until(() -> succeeds(() -> store.acquire(NAME, "a", attempt(), TTL)));
        // It is there already: that is what was waited for.
        String key = "{leasehold:sweeper}";
        assertThat(replica.commands().hget(key, "token"))
            .isEqualTo(server.commands().hget(key, "token"));
        Lease lease = store.read(NAME).orElseThrow().asLease();
        replica.pause();
        // Renewals and refusals do not wait for replicas.
        assertThat(store.renew(lease, TTL)).isInstanceOf(Renewed.class);
        assertThat(store.acquire(NAME, "b", attempt(), TTL)).isInstanceOf(Held.class);
        assertThat(failure(() -> store.acquire(LeaseName.of("x"), "b", attempt(), TTL)))
            .isEqualTo(Outcome.UNKNOWN);
      }
    }
  }

  @Test
  void sentinelIsAskedForThePrimaryAgainAfterAFailover() {
    RedisLeaseOptions waiting = QUICK.waitForReplicas(1, ofSeconds(10));
    try (RedisSentinelProcesses processes = new RedisSentinelProcesses();
        RedisLeaseStore store = RedisLeaseStore.open(processes.uri(), waiting)) {
      Lease lease = granted(store);
      processes.primary.kill();
      assertThat(failure(() -> store.renew(lease, TTL))).isNotNull();
      Awaitility.await("failover")
          .atMost(ofSeconds(60))
          .until(() -> succeeds(() -> store.renew(lease, TTL)));
      assertThat(processes.replica.commands().info("replication")).contains("role:master");
      // WAIT saw to it that the replica had the grant.
      assertThat(store.release(lease, ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
    }
  }

  @Test
  void aServerClockThatStepsBackKeepsTokensGrowingAndNobodyHoldsTwice() throws IOException {
    List<String> faked = fakedServer();
    Path offset = Files.createTempFile("leasehold-clock", ".txt");
    Files.writeString(offset, "+0");
    Map<String, String> environment =
        Map.of(
            "FAKETIME_TIMESTAMP_FILE", offset.toString(),
            "FAKETIME_NO_CACHE", "1",
            "FAKETIME_DONT_FAKE_MONOTONIC", "1");
    try (RedisProcess stepping = RedisProcess.startedAs(faked, environment);
        RedisLeaseStore store = RedisLeaseStore.open(stepping.uri(), QUICK)) {
      Lease held = granted(store);
      LeaseName ended = LeaseName.of("ended");
      Lease first = ((Granted) store.acquire(ended, "a", attempt(), TTL)).lease();
      store.release(first, ZERO);
      long before = Long.parseLong(stepping.commands().time().get(0));
      Files.writeString(offset, "-60");
      Awaitility.await()
          .until(() -> Long.parseLong(stepping.commands().time().get(0)) < before - 50);
      assertThat(store.acquire(NAME, "b", attempt(), TTL)).isInstanceOf(Held.class);
      Lease renewed = ((Renewed) store.renew(held, TTL)).lease();
      assertThat(renewed.expiresAt()).isEqualTo(held.expiresAt());
      // Released a minute "from now": the name stays taken until the clock is there again.
      assertThat(store.acquire(ended, "b", attempt(), TTL)).isInstanceOf(Held.class);
      assertThat(store.reclaim(ZERO)).isZero();
      Files.writeString(offset, "+0");
      Awaitility.await().until(() -> store.acquire(ended, "c", attempt(), TTL) instanceof Granted);
      assertThat(store.read(ended).orElseThrow().token().value())
          .isEqualTo(first.token().value() + 1);
      assertThat(store.renew(held, TTL)).isInstanceOf(Renewed.class);
    } finally {
      Files.delete(offset);
    }
  }

  /**
   * How to run a server on a false clock. The binary of the artifact is statically linked, which
   * libfaketime cannot get into, so it takes a redis-server of the system's; and libc's allocator
   * in the place of jemalloc, which asks for the time before libfaketime is ready.
   */
  private static List<String> fakedServer() {
    SystemPrograms.require("faketime");
    SystemPrograms.require("redis-server");
    String run = "unset FAKETIME; LD_PRELOAD=\"$LD_PRELOAD libc.so.6\" exec redis-server \"$@\"";
    return List.of("faketime", "-m", "-f", "+0d", "sh", "-c", run, "redis-server");
  }

  private static RedisURI uri(int port) {
    return RedisURI.create("redis://127.0.0.1:" + port);
  }

  private static Lease granted(RedisLeaseStore store) {
    return ((Granted) store.acquire(NAME, "a", attempt(), TTL)).lease();
  }

  private static Outcome failure(ThrowingCallable call) {
    try {
      call.call();
    } catch (LeaseStoreException e) {
      return e.outcome();
    } catch (Throwable e) {
      throw new AssertionError("another failure than 'no answer'", e);
    }
    throw new AssertionError("the call was answered");
  }

  private static boolean succeeds(ThrowingCallable call) {
    try {
      call.call();
      return true;
    } catch (LeaseStoreException e) {
      return false;
    } catch (Throwable e) {
      throw new AssertionError("another failure than 'no answer'", e);
    }
  }

  private static String attempt() {
    return UUID.randomUUID().toString();
  }
}
