package io.leasehold.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.leasehold.ElectionEvent;
import io.leasehold.EndReason;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.leasehold.WildStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The election with real threads and real time. Exact bounds are tested on a virtual clock in
 * HolderTest and CandidateTest; here a bound has a margin of {@link #SLACK} for a busy machine.
 */
class ElectionTest {

  private static final LeaseName NAME = LeaseName.of("net");
  private static final Duration TTL = Duration.ofMillis(1_200);
  private static final Duration SLACK = Duration.ofSeconds(10);

  private final WildStore store = new WildStore();
  private final List<Election> elections = new ArrayList<>();
  private final Queue<ElectionEvent> events = new ConcurrentLinkedQueue<>();
  private final AtomicInteger serving = new AtomicInteger();
  private final AtomicInteger mostServing = new AtomicInteger();
  private final AtomicInteger terms = new AtomicInteger();

  @AfterEach
  void closeAll() {
    store.faulty(WildStore.NONE);
    elections.forEach(Election::stop);
    elections.forEach(Election::close);
  }

  private Election.Builder candidate() {
    return Election.builder(store, NAME)
        .ttl(TTL)
        .retry(Duration.ofMillis(100))
        .patience(Duration.ofSeconds(2))
        .listener((name, event) -> events.add(event));
  }

  private Election start(Election.Builder builder, Work work) {
    Election election = builder.start(work);
    elections.add(election);
    return election;
  }

  private void serve(Term term) throws InterruptedException {
    terms.incrementAndGet();
    mostServing.accumulateAndGet(serving.incrementAndGet(), Math::max);
    try {
      term.awaitEnd(Duration.ofDays(1));
    } finally {
      serving.decrementAndGet();
    }
  }

  private <E extends ElectionEvent> List<E> told(Class<E> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }

  private void awaitTold(Class<? extends ElectionEvent> type, int count) {
    await().atMost(SLACK).until(() -> told(type).size() >= count);
  }

  @Test
  void ofFiveCandidatesOneServesAndKeepsServing() throws InterruptedException {
    for (int i = 0; i < 5; i++) {
      start(candidate(), this::serve);
    }
    await().atMost(SLACK).until(() -> store.renewals.get() >= 4);

    assertThat(mostServing).hasValue(1);
    assertThat(terms).hasValue(1);
    assertThat(elections.stream().filter(each -> each.status().isElected())).hasSize(1);
    assertThat(elections).allMatch(each -> each.status().healthy());
  }

  @Test
  void aCleanStopHandsOverAtOnceThroughTheSignal() {
    Election first =
        start(candidate().ttl(Duration.ofHours(1)).retry(Duration.ofHours(1)), this::serve);
    await().atMost(SLACK).until(() -> serving.get() == 1);
    start(candidate().ttl(Duration.ofHours(1)).retry(Duration.ofHours(1)), this::serve);
    await().atMost(SLACK).until(() -> store.acquires.get() == 2);

    first.close();

    // An hour of TTL and of retry: only the signal can have done it.
    await().atMost(SLACK).until(() -> terms.get() == 2);
    assertThat(mostServing).hasValue(1);
    assertThat(first.status().phase()).isEqualTo(ElectionStatus.Phase.CLOSED);
    assertThat(first.status().healthy()).isFalse();
  }

  @Test
  void theWorkHasItsTokenAndIsInterruptedAtTheEnd() throws InterruptedException {
    CompletableFuture<Term> seen = new CompletableFuture<>();
    CountDownLatch interrupted = new CountDownLatch(1);
    Election election =
        start(
            candidate(),
            term -> {
              seen.complete(term);
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
              }
            });
    await().atMost(SLACK).until(seen::isDone);
    Term term = seen.join();
    assertThat(term.isHeld()).isTrue();
    assertThat(term.name()).isEqualTo(NAME);
    assertThat(term.owner()).isEqualTo(election.status().owner());
    assertThat(term.remaining()).isPositive().isLessThanOrEqualTo(TTL);
    assertThat(store.read(NAME)).get().extracting(view -> view.token()).isEqualTo(term.token());
    assertThat(term.awaitEnd(Duration.ofMillis(1))).isFalse();

    election.close();

    assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(term.isHeld()).isFalse();
    assertThat(term.remaining()).isZero();
    assertThat(store.read(NAME)).isEmpty();
    assertThat(told(ElectionEvent.Ended.class))
        .singleElement()
        .satisfies(
            ended -> {
              assertThat(ended.clean()).isTrue();
              assertThat(ended.reason()).isEqualTo(EndReason.STOPPED);
              assertThat(ended.failure()).isEmpty();
            });
  }

  @Test
  void aBlockedStoreEndsTheTermBeforeTheLeaseCanExpireThoughTheCallNeverReturns() {
    CountDownLatch never = new CountDownLatch(1);
    AtomicLong toldAfter = new AtomicLong();
    AtomicLong sent = new AtomicLong();
    start(
        candidate(),
        term -> {
          sent.set(System.nanoTime());
          store.hanging("*", never);
          try {
            serve(term);
          } finally {
            toldAfter.set(System.nanoTime() - sent.get());
          }
        });

    awaitTold(ElectionEvent.Ended.class, 1);
    assertThat(told(ElectionEvent.Ended.class).get(0).reason()).isEqualTo(EndReason.UNREACHABLE);
    // The hold is 1,000 ms from before the work began; the lease lives 1,200. Margin: 200 ms.
    assertThat(Duration.ofNanos(toldAfter.get())).isLessThan(TTL);
    never.countDown();
    await().atMost(SLACK).until(() -> terms.get() >= 2);
  }

  @Test
  void callsThatHangForEverDoNotStopALaterAttemptNorLeakAThreadEach() {
    CountDownLatch never = new CountDownLatch(1);
    AtomicInteger hung = new AtomicInteger();
    store.faulty(
        new WildStore.Fault() {
          @Override
          public <T> T around(String call, Supplier<T> inner) {
            if (call.equals("acquire") && hung.getAndIncrement() < 3) {
              WildStore.awaitUninterruptibly(never);
            }
            return inner.get();
          }
        });
    start(candidate().ttl(Duration.ofMillis(150)), this::serve);
    await().atMost(SLACK).until(() -> terms.get() >= 1);

    hung.set(-1_000_000);
    elections.forEach(Election::close);
    start(candidate().ttl(Duration.ofMillis(60)).retry(Duration.ofMillis(1)), this::serve);
    await()
        .atMost(SLACK)
        .until(() -> hung.get() <= -999_990 || told(ElectionEvent.StoreAway.class).size() > 1);
    long calls =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("leasehold-call-net"))
            .count();
    assertThat(calls).isLessThanOrEqualTo(2 * 12L);
    never.countDown();
  }

  @Test
  void closeReturnsThoughEveryStoreCallHangs() {
    CountDownLatch never = new CountDownLatch(1);
    store.hanging("*", never);
    Election election = start(candidate(), this::serve);
    await().atMost(SLACK).until(() -> store.acquires.get() >= 1);

    long began = System.nanoTime();
    election.close();
    // The give-back is bounded by 5 s; margin for a busy machine 10 s.
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(15));
    assertThat(election.status().phase()).isEqualTo(ElectionStatus.Phase.CLOSED);
    never.countDown();
  }

  static List<Throwable> everyWayToFail() {
    return List.of(
        new LeaseStoreException(LeaseStoreException.Outcome.UNKNOWN, "reset"),
        new LeaseStoreException(LeaseStoreException.Outcome.NOT_APPLIED, "refused"),
        new IllegalStateException("unchecked"),
        new java.io.IOException("checked"),
        new AssertionError("an Error"),
        new StackOverflowError());
  }

  @ParameterizedTest
  @MethodSource("everyWayToFail")
  void whateverTheStoreThrowsTheCampaignGoesOnAndReportsItOnce(Throwable thrown) {
    store.failing("acquire", () -> thrown);
    start(candidate(), this::serve);
    await().atMost(SLACK).until(() -> store.acquires.get() >= 4);
    assertThat(told(ElectionEvent.StoreAway.class)).hasSize(1);

    store.faulty(WildStore.NONE);
    await().atMost(SLACK).until(() -> terms.get() == 1);
    awaitTold(ElectionEvent.Elected.class, 1);
    assertThat(told(ElectionEvent.StoreBack.class)).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("everyWayToFail")
  void oneRenewalThatFailsInAnyWayDoesNotEndTheTerm(Throwable thrown) {
    AtomicInteger failures = new AtomicInteger();
    store.faulty(
        new WildStore.Fault() {
          @Override
          public <T> T around(String call, Supplier<T> inner) {
            if (call.equals("renew") && failures.getAndIncrement() == 0) {
              WildStore.sneakyThrow(thrown);
            }
            return inner.get();
          }
        });
    start(candidate(), this::serve);
    await().atMost(SLACK).until(() -> told(ElectionEvent.Renewed.class).size() >= 3);
    assertThat(told(ElectionEvent.RenewalUnanswered.class)).hasSize(1);
    assertThat(told(ElectionEvent.Ended.class)).isEmpty();
    assertThat(terms).hasValue(1);
  }

  @Test
  void workThatIgnoresTheInterruptKeepsTheLeaseAndIsReportedUnclean() {
    CountDownLatch stubborn = new CountDownLatch(1);
    Election election =
        start(
            candidate(),
            term -> {
              terms.incrementAndGet();
              WildStore.awaitUninterruptibly(stubborn);
            });
    await().atMost(SLACK).until(() -> terms.get() == 1);
    election.yieldTerm();

    awaitTold(ElectionEvent.Ended.class, 1);
    assertThat(told(ElectionEvent.Ended.class).get(0).clean()).isFalse();
    assertThat(store.releases).as("not released while the work runs").hasValue(0);
    assertThat(terms).as("no second work beside the first").hasValue(1);
    stubborn.countDown();
    await().atMost(SLACK).until(() -> terms.get() == 2);
    assertThat(told(ElectionEvent.Ended.class).size()).isLessThanOrEqualTo(2);
  }

  @Test
  void closeIsBoundedThoughTheWorkIgnoresTheInterrupt() {
    CountDownLatch stubborn = new CountDownLatch(1);
    Election election =
        start(
            candidate().ttl(Duration.ofHours(1)).patience(Duration.ofMillis(300)),
            term -> {
              terms.incrementAndGet();
              WildStore.awaitUninterruptibly(stubborn);
            });
    await().atMost(SLACK).until(() -> terms.get() == 1);

    election.close();
    election.close();

    assertThat(election.status().phase()).isEqualTo(ElectionStatus.Phase.CLOSED);
    assertThat(store.releases).hasValue(0);
    stubborn.countDown();
  }

  @Test
  void workThatThrowsAnErrorIsReportedAndCampaignsAgain() {
    start(
        candidate(),
        term -> {
          if (terms.incrementAndGet() == 1) {
            throw new AssertionError("work");
          }
          serve(term);
        });
    await().atMost(SLACK).until(() -> serving.get() == 1);
    assertThat(told(ElectionEvent.Ended.class))
        .singleElement()
        .satisfies(
            ended -> {
              assertThat(ended.reason()).isEqualTo(EndReason.WORK_FAILED);
              assertThat(ended.failure()).get().isInstanceOf(AssertionError.class);
            });
    assertThat(store.releases).hasValue(1);
  }

  @Test
  void aListenerThatBlocksOrThrowsDelaysNeitherTheStopNorTheRelease() {
    CountDownLatch blocked = new CountDownLatch(1);
    Election election =
        start(
            Election.builder(store, NAME)
                .ttl(TTL)
                .listener(
                    (name, event) -> {
                      WildStore.awaitUninterruptibly(blocked);
                      throw new IllegalStateException("listener");
                    })
                .listener((name, event) -> events.add(event)),
            this::serve);
    await().atMost(SLACK).until(() -> serving.get() == 1 && store.renewals.get() > 1);

    election.stop();

    await().atMost(SLACK).until(() -> store.releases.get() == 1);
    assertThat(store.read(NAME)).isEmpty();
    blocked.countDown();
    awaitTold(ElectionEvent.Released.class, 1);
  }

  @Test
  void anInterruptOfTheWorkByAnotherIsAFailureOfTheWorkNotOfTheElection() {
    CompletableFuture<Thread> worker = new CompletableFuture<>();
    start(
        candidate(),
        term -> {
          worker.complete(Thread.currentThread());
          serve(term);
        });
    await().atMost(SLACK).until(() -> serving.get() == 1);
    worker.join().interrupt();
    await().atMost(SLACK).until(() -> terms.get() == 2);
    assertThat(told(ElectionEvent.Ended.class).get(0).reason()).isEqualTo(EndReason.WORK_FAILED);
  }

  @Test
  void closeAndYieldMayBeCalledFromTheWorkAndFromAListener() {
    CompletableFuture<Election> self = new CompletableFuture<>();
    AtomicInteger yielded = new AtomicInteger();
    CountDownLatch ready = new CountDownLatch(1);
    Election election =
        start(
            candidate()
                .listener(
                    (name, event) -> {
                      if (event instanceof ElectionEvent.Elected
                          && yielded.getAndIncrement() == 0) {
                        WildStore.awaitUninterruptibly(ready);
                        self.join().yieldTerm();
                      }
                      if (event instanceof ElectionEvent.Ended) {
                        WildStore.awaitUninterruptibly(ready);
                        self.join().status();
                      }
                    }),
            term -> {
              if (terms.incrementAndGet() == 2) {
                self.join().close();
              }
              term.awaitEnd(Duration.ofDays(1));
            });
    self.complete(election);
    ready.countDown();
    await().atMost(SLACK).until(() -> election.status().phase() == ElectionStatus.Phase.CLOSED);
    assertThat(terms).hasValue(2);
    assertThat(store.read(NAME)).isEmpty();
  }

  @Test
  void aYieldLetsAnotherServeAndThisOneWaits() {
    Election first = start(candidate().owner("first").retry(Duration.ofSeconds(2)), this::serve);
    await().atMost(SLACK).until(() -> serving.get() == 1);
    start(candidate().owner("second").retry(Duration.ofHours(1)), this::serve);
    await().atMost(SLACK).until(() -> store.acquires.get() == 2);

    first.yieldTerm();

    await()
        .atMost(SLACK)
        .until(() -> store.read(NAME).map(view -> view.owner().equals("second")).orElse(false));
    assertThat(mostServing).hasValue(1);
  }

  @Test
  void passesShareTheirStateWithinATermAndStartFreshInTheNext() {
    AtomicInteger states = new AtomicInteger();
    AtomicInteger passes = new AtomicInteger();
    Election election =
        start(
            candidate(),
            Work.everyPass(
                Duration.ofMillis(1),
                () -> {
                  states.incrementAndGet();
                  return new AtomicInteger();
                },
                (term, own) -> {
                  assertThat(term.isHeld()).isTrue();
                  own.incrementAndGet();
                  passes.incrementAndGet();
                }));
    await().atMost(SLACK).until(() -> passes.get() >= 5);
    assertThat(states).hasValue(1);
    election.yieldTerm();
    await().atMost(SLACK).until(() -> states.get() == 2);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Work.everyPass(Duration.ZERO, Object::new, (term, state) -> {}))
        .withMessageContaining("interval PT0S must be more than zero");
  }

  @Test
  void anOperatorsReleaseIsTold() {
    start(candidate().retry(Duration.ofMillis(300)), this::serve);
    await().atMost(SLACK).until(() -> serving.get() == 1);
    store.inner().release(store.read(NAME).orElseThrow().asLease(), Duration.ZERO);
    awaitTold(ElectionEvent.Ended.class, 1);
    assertThat(told(ElectionEvent.Ended.class).get(0).reason()).isEqualTo(EndReason.FORCED);
    await().atMost(SLACK).until(() -> terms.get() == 2);
  }

  @Test
  void afterAnOutageOfManyTtlsExactlyOneServesAgainWithoutARestart() {
    for (int i = 0; i < 3; i++) {
      start(candidate(), this::serve);
    }
    await().atMost(SLACK).until(() -> serving.get() == 1);
    store.failing("*", () -> new IllegalStateException("down"));
    await().atMost(SLACK).until(() -> serving.get() == 0);
    int before = terms.get();
    await().atMost(SLACK).until(() -> store.acquires.get() > 60);
    assertThat(terms).hasValue(before);
    assertThat(elections).anyMatch(each -> each.status().storeFailure().isPresent());
    await()
        .atMost(SLACK)
        .until(() -> elections.stream().noneMatch(each -> each.status().healthy()));

    store.faulty(WildStore.NONE);

    await().atMost(SLACK).until(() -> serving.get() == 1);
    assertThat(mostServing).hasValue(1);
  }

  @Test
  void badOptionsAreRefusedBeforeAnythingIsSent() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> candidate().ttl(Duration.ofMillis(9)).start(this::serve));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> candidate().owner(" ").start(this::serve));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> candidate().retry(Duration.ZERO).start(this::serve));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> candidate().grace(TTL).start(this::serve));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> candidate().linger(Duration.ofDays(-1)).start(this::serve));
    assertThat(store.acquires).hasValue(0);
  }

  @Test
  void theThreadsHaveNamesAndEndWithTheElection() {
    Election election = start(candidate().owner("threads"), this::serve);
    await().atMost(SLACK).until(() -> serving.get() == 1);
    assertThat(names()).anyMatch(name -> name.startsWith("leasehold-election-net"));
    assertThat(names()).anyMatch(name -> name.startsWith("leasehold-work-net"));
    election.close();
    await()
        .atMost(SLACK)
        .until(
            () ->
                names().stream()
                    .noneMatch(
                        name ->
                            name.startsWith("leasehold-election-net")
                                || name.startsWith("leasehold-work-net")
                                || name.startsWith("leasehold-listener-net")));
  }

  private static List<String> names() {
    return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
  }
}
