package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.EndReason;
import io.leasehold.FencingToken;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseStoreException;
import io.leasehold.journal.memory.MemoryJournal;
import io.leasehold.keeper.LeaseKeeper;
import io.leasehold.memory.MemoryLeaseStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Acquire, fence, read, write. */
class OwnershipTest {

  private static final InstanceId ORDER = InstanceId.of("order/42");
  private static final NewInstance NEW = NewInstance.of(ORDER, "order");

  private final LeaseStore leases = new MemoryLeaseStore(InstantSource.system());
  private final Journal journal = new MemoryJournal(InstantSource.system());
  private final List<LeaseKeeper> keepers = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    keepers.forEach(LeaseKeeper::close);
  }

  private LeaseKeeper node(Duration ttl) {
    LeaseKeeper keeper = LeaseKeeper.builder(leases).ttl(ttl).build();
    keepers.add(keeper);
    return keeper;
  }

  private LeaseKeeper node() {
    return node(Duration.ofMinutes(1));
  }

  private static Ownership owned(TakeAnswer answer) {
    assertThat(answer).isInstanceOf(TakeAnswer.Owned.class);
    return ((TakeAnswer.Owned) answer).ownership();
  }

  private static Entry step(int step) {
    return Entry.of(StepKey.of(ORDER, step), "step").build();
  }

  /** The operator's release: the way to take a lease from a node that believes it has it. */
  private void takeAway() {
    leases.release(leases.read(ORDER.leaseName()).orElseThrow().asLease(), Duration.ZERO);
  }

  @Test
  void aNewInstanceStartsWithTheLeasesTokenAsItsFence() {
    try (Ownership mine = owned(Ownership.start(node(), journal, NEW))) {
      assertThat(mine.history().entries()).isEmpty();
      assertThat(journal.read(ORDER).orElseThrow().fence()).isEqualTo(mine.token());
      assertThat(mine.write(step(0))).isEqualTo(new WriteAnswer.Written(1));
      assertThat(mine.complete(Completion.of(Outcome.COMPLETED)))
          .isEqualTo(new WriteAnswer.Ended(Outcome.COMPLETED));
      assertThat(mine.complete(Completion.of(Outcome.COMPLETED)))
          .isEqualTo(new WriteAnswer.Ended(Outcome.COMPLETED));
      assertThat(mine.write(step(1)))
          .isEqualTo(
              new WriteAnswer.Refused(new Refusal.AlreadyTerminal(ORDER, InstanceState.COMPLETED)));
    }
    assertThat(leases.read(ORDER.leaseName())).isEmpty();
  }

  @Test
  void aLiveOwnerIsNamedToTheNextOne() {
    LeaseKeeper first = node();
    try (Ownership mine = owned(Ownership.start(first, journal, NEW))) {
      assertThat(Ownership.take(node(), journal, ORDER))
          .isInstanceOfSatisfying(
              TakeAnswer.Held.class,
              held -> assertThat(held.view().owner()).isEqualTo(first.owner()));
      assertThat(mine.isHeld()).isTrue();
    }
  }

  @Test
  void anUnknownInstanceIsNotTakenAndItsLeaseIsGivenBack() {
    assertThat(Ownership.take(node(), journal, ORDER)).isEqualTo(new TakeAnswer.NotFound(ORDER));
    assertThat(leases.read(ORDER.leaseName())).isEmpty();
  }

  @Test
  void theNextOwnerReadsWhatTheLastOneWroteAndTheLastOneIsRefused() {
    Ownership first = owned(Ownership.start(node(), journal, NEW));
    first.write(step(0));
    takeAway();
    try (Ownership second = owned(Ownership.take(node(), journal, ORDER))) {
      assertThat(second.token().supersedes(first.token())).isTrue();
      assertThat(second.history().isCommitted(Scope.ROOT, 0)).isTrue();
      // The first has not renewed yet, so it believes that it holds the lease: a paused process.
      assertThat(first.isHeld()).isTrue();
      assertThat(first.write(step(1)))
          .isEqualTo(
              new WriteAnswer.Refused(new Refusal.FencedOut(ORDER, first.token(), second.token())));
      assertThat(first.isHeld()).isFalse();
      assertThat(first.write(step(1))).isEqualTo(new WriteAnswer.Lost(Optional.empty()));
      assertThat(first.complete(Completion.of(Outcome.FAILED)))
          .isInstanceOf(WriteAnswer.Lost.class);
      first.close();
      assertThat(second.write(step(1))).isEqualTo(new WriteAnswer.Written(2));
      assertThat(second.isHeld()).isTrue();
    }
  }

  /**
   * The window that two stores without a common transaction leave open: between acquiring and
   * fencing, the predecessor's token is still admitted. What it writes then is read afterwards.
   */
  @Test
  void betweenAcquiringAndFencingThePredecessorIsStillAdmittedAndItsEntryIsRead() {
    Ownership first = owned(Ownership.start(node(), journal, NEW));
    takeAway();
    AtomicBoolean inWindow = new AtomicBoolean();
    Journal slow =
        before(
            "fence",
            () -> {
              // The successor has its lease by now.
              assertThat(leases.read(ORDER.leaseName()).orElseThrow().token())
                  .isGreaterThan(first.token());
              assertThat(first.write(step(0))).isEqualTo(new WriteAnswer.Written(1));
              inWindow.set(true);
            });
    Ownership second = owned(Ownership.take(node(), slow, ORDER));
    assertThat(inWindow).isTrue();
    assertThat(second.history().isCommitted(Scope.ROOT, 0)).isTrue();
    assertThat(first.write(step(1))).isInstanceOf(WriteAnswer.Refused.class);
    assertThat(second.write(step(1))).isEqualTo(new WriteAnswer.Written(2));
  }

  @Test
  void theHistoryIsReadAfterTheFenceIsUp() {
    owned(Ownership.start(node(), journal, NEW)).close();
    List<String> calls = new CopyOnWriteArrayList<>();
    Journal recording =
        (Journal)
            Proxy.newProxyInstance(
                Journal.class.getClassLoader(),
                new Class<?>[] {Journal.class},
                (proxy, method, arguments) -> {
                  calls.add(method.getName());
                  return method.invoke(journal, arguments);
                });
    owned(Ownership.take(node(), recording, ORDER)).close();
    assertThat(calls).containsExactly("fence", "frontier");
  }

  @Test
  void aJournalThatDoesNotAnswerCostsOnlyTheAttempt() {
    owned(Ownership.start(node(), journal, NEW)).close();
    Journal away =
        before(
            "fence",
            () -> {
              throw new JournalException(
                  LeaseStoreException.Outcome.UNKNOWN, "away", new IllegalStateException());
            });
    assertThatThrownBy(() -> Ownership.take(node(), away, ORDER))
        .isInstanceOf(JournalException.class);
    assertThat(leases.read(ORDER.leaseName())).isEmpty();
    owned(Ownership.take(node(), journal, ORDER)).close();
  }

  @Test
  void aJournalThatHasSeenHigherTokensRefusesTheOwnerAndTheLeaseIsGivenBack() {
    FencingToken high = new FencingToken(FencingToken.MAX_VALUE);
    journal.start(NEW, high);
    assertThat(Ownership.take(node(), journal, ORDER))
        .isInstanceOfSatisfying(
            TakeAnswer.FencedOut.class, out -> assertThat(out.fence()).isEqualTo(high));
    assertThat(leases.read(ORDER.leaseName())).isEmpty();
  }

  /** TTL 600 ms: the renewal at 200 ms finds the lease gone; 10 s is margin enough. */
  @Test
  void onLossItTellsAndRefusesButNeitherInterruptsNorUndoes() {
    List<EndReason> told = new CopyOnWriteArrayList<>();
    LeaseKeeper keeper =
        LeaseKeeper.builder(leases)
            .ttl(Duration.ofMillis(600))
            .listener((lease, reason) -> told.add(reason))
            .build();
    keepers.add(keeper);
    Ownership mine = owned(Ownership.start(keeper, journal, NEW));
    mine.write(step(0));
    takeAway();
    await().atMost(Duration.ofSeconds(10)).until(() -> !mine.isHeld());
    await().atMost(Duration.ofSeconds(10)).until(() -> !told.isEmpty());
    assertThat(told).containsExactlyElementsOf(mine.end().stream().toList());
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(mine.write(step(1))).isEqualTo(new WriteAnswer.Lost(mine.end()));
    Frontier frontier = journal.frontier(ORDER).orElseThrow();
    assertThat(frontier.entries()).hasSize(1);
    assertThat(frontier.instance().state()).isEqualTo(InstanceState.RUNNING);
    mine.close();
    mine.close();
  }

  /** TTL 300 ms, held for 900 ms: it would have expired three times. */
  @Test
  void theLeaseIsRenewedWhileTheInstanceIsOwnedAndNotAfterwards() {
    LeaseKeeper keeper = node(Duration.ofMillis(300));
    Ownership mine = owned(Ownership.start(keeper, journal, NEW));
    FencingToken token = mine.token();
    await().during(Duration.ofMillis(900)).atMost(Duration.ofSeconds(5)).until(mine::isHeld);
    assertThat(leases.read(ORDER.leaseName()).orElseThrow().token()).isEqualTo(token);
    mine.close();
    assertThat(keeper.size()).isZero();
    assertThat(leases.read(ORDER.leaseName())).isEmpty();
    assertThat(mine.write(step(0))).isEqualTo(new WriteAnswer.Lost(Optional.of(EndReason.STOPPED)));
  }

  @Test
  void anEntryOfAnotherInstanceIsRefusedBeforeItIsSent() {
    try (Ownership mine = owned(Ownership.start(node(), journal, NEW))) {
      Entry other = Entry.of(StepKey.of(InstanceId.of("order/43"), 0), "a").build();
      assertThatThrownBy(() -> mine.write(other))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("order/43")
          .hasMessageContaining("order/42");
    }
  }

  /** The journal, with something that happens right before one of its calls. */
  private Journal before(String call, Runnable happens) {
    return (Journal)
        Proxy.newProxyInstance(
            Journal.class.getClassLoader(),
            new Class<?>[] {Journal.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals(call)) {
                happens.run();
              }
              return method.invoke(journal, arguments);
            });
  }
}
