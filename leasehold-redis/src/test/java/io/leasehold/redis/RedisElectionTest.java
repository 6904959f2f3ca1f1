package io.leasehold.redis;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.ElectionEvent;
import io.leasehold.ElectionEvent.Ended;
import io.leasehold.EndReason;
import io.leasehold.LeaseName;
import io.leasehold.election.Election;
import io.leasehold.election.Term;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Elections on a server to which things happen. */
class RedisElectionTest {

  private static final LeaseName NAME = LeaseName.of("sweeper");

  /** The most that is waited for anything; nothing is expected to take that long. */
  private static final Duration PATIENCE = ofSeconds(60);

  private RedisProcess server;
  private RedisLeaseStore store;
  private final List<Long> terms = new CopyOnWriteArrayList<>();
  private final List<EndReason> ends = new CopyOnWriteArrayList<>();

  @BeforeEach
  void start() {
    server = RedisProcess.started("--appendonly", "yes", "--appendfsync", "always");
    store = RedisLeaseStore.open(server.uri(), RedisLeaseOptions.defaults().timeout(ofSeconds(1)));
  }

  @AfterEach
  void stop() {
    store.close();
    server.close();
  }

  @Test
  void aTermGoesOnWhenItsServerIsBackWithinTheHold() {
    // A hold of 25 s; a server is back within a few. Renewed every 10 s: the second one is after
    // it.
    try (Election election = candidate("a", ofSeconds(30))) {
      awaitTerms(1);
      server.kill();
      server.start();
      long before = expiry();
      Awaitility.await().atMost(PATIENCE).until(() -> expiry() > before);
      assertThat(terms).hasSize(1);
      assertThat(ends).isEmpty();
      assertThat(election.status().token()).isPresent();
    }
  }

  @Test
  void aTermEndsWhenItsServerStaysAwayAndTheNextBeginsWhenItIsBack() {
    try (Election election = candidate("a", ofSeconds(3))) {
      awaitTerms(1);
      server.kill();
      Awaitility.await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(ends).contains(EndReason.UNREACHABLE));
      server.start();
      awaitTerms(2);
      assertThat(terms.get(1)).isGreaterThan(terms.get(0));
      assertThat(election.status().token()).isPresent();
    }
  }

  @Test
  void aTermEndsWhenItsRecordIsFlushedAndTheNextHasAGreaterToken() {
    try (Election election = candidate("a", ofSeconds(3))) {
      awaitTerms(1);
      server.commands().flushall();
      Awaitility.await().atMost(PATIENCE).until(() -> ends.contains(EndReason.SUPERSEDED));
      awaitTerms(2);
      assertThat(terms.get(1)).isGreaterThan(terms.get(0));
      assertThat(election.status().token()).isPresent();
    }
  }

  @Test
  void aCleanStopHandsOverByTheSignalLongBeforeTheNextPoll() {
    // The successor polls every 100 s; a minute at most is waited, so only the signal can do it.
    Duration ttl = ofMinutes(5);
    try (RedisLeaseStore others = RedisLeaseStore.open(server.uri());
        Election first = candidate("a", ttl)) {
      awaitTerms(1);
      try (Election second =
          Election.builder(others, NAME).owner("b").ttl(ttl).start(this::serve)) {
        Awaitility.await()
            .atMost(PATIENCE)
            .until(() -> server.commands().pubsubChannels("leasehold:*").size() == 1);
        Awaitility.await().pollDelay(ofMillis(300)).until(() -> true); // its first, refused attempt
        first.close();
        awaitTerms(2);
        assertThat(second.status().token()).isPresent();
        assertThat(terms.get(1)).isEqualTo(terms.get(0) + 1);
      }
    }
  }

  private Election candidate(String owner, Duration ttl) {
    return Election.builder(store, NAME)
        .owner(owner)
        .ttl(ttl)
        .listener(this::heard)
        .start(this::serve);
  }

  private void serve(Term term) throws InterruptedException {
    terms.add(term.token().value());
    term.awaitEnd(Duration.ofHours(1));
  }

  private void heard(LeaseName name, ElectionEvent event) {
    if (event instanceof Ended ended) {
      ends.add(ended.reason());
    }
  }

  private void awaitTerms(int count) {
    Awaitility.await().atMost(PATIENCE).until(() -> terms.size() >= count);
  }

  private long expiry() {
    String expires = server.commands().hget("{leasehold:sweeper}", "expires");
    return expires == null ? 0 : Long.parseLong(expires);
  }
}
