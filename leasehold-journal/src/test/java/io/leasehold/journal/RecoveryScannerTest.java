package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.FencingToken;
import io.leasehold.LeaseStore;
import io.leasehold.Page;
import io.leasehold.journal.memory.MemoryJournal;
import io.leasehold.keeper.LeaseKeeper;
import io.leasehold.memory.MemoryLeaseStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Carrying on what nobody works on. */
class RecoveryScannerTest {

  private static final FencingToken ONE = new FencingToken(1);

  private final LeaseStore leases = new MemoryLeaseStore(InstantSource.system());
  private final Journal journal = new MemoryJournal(InstantSource.system());
  private final List<LeaseKeeper> keepers = new ArrayList<>();

  @AfterEach
  void close() {
    keepers.forEach(LeaseKeeper::close);
  }

  private LeaseKeeper node() {
    LeaseKeeper keeper = LeaseKeeper.builder(leases).build();
    keepers.add(keeper);
    return keeper;
  }

  private void abandoned(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      journal.start(NewInstance.of(InstanceId.of("order/" + i), "order"), ONE);
    }
    await()
        .until(() -> journal.abandoned(Duration.ZERO, Page.first(100)).instances().size() == count);
  }

  private static void finish(Ownership ownership) {
    ownership.complete(Completion.of(Outcome.COMPLETED));
  }

  @Test
  void whatNobodyWorksOnIsCarriedOn() throws Exception {
    abandoned(5);
    RecoveryScanner scanner =
        RecoveryScanner.of(node(), journal, Duration.ZERO, RecoveryScannerTest::finish);
    assertThat(scanner.scan()).isEqualTo(new RecoveryReport(5, 5, 0, 0));
    assertThat(scanner.scan()).isEqualTo(new RecoveryReport(0, 0, 0, 0));
  }

  @Test
  void whatIsHeldOrFencedIsSomebodyElses() throws Exception {
    abandoned(3);
    journal.fence(InstanceId.of("order/1"), new FencingToken(FencingToken.MAX_VALUE));
    LeaseKeeper other = node();
    other.claim(InstanceId.of("order/2").leaseName());
    await().until(() -> journal.abandoned(Duration.ZERO, Page.first(9)).instances().size() == 3);
    RecoveryScanner scanner =
        RecoveryScanner.of(node(), journal, Duration.ZERO, RecoveryScannerTest::finish);
    assertThat(scanner.scan()).isEqualTo(new RecoveryReport(3, 1, 2, 0));
    assertThat(journal.read(InstanceId.of("order/0")).orElseThrow().state())
        .isEqualTo(InstanceState.COMPLETED);
  }

  @Test
  void workThatThrowsIsReportedAndTheOthersAreCarriedOn() throws Exception {
    abandoned(4);
    RecoveryScanner scanner =
        RecoveryScanner.of(
            node(),
            journal,
            Duration.ZERO,
            ownership -> {
              if (ownership.history().instance().id().value().equals("order/2")) {
                throw new IllegalStateException("no stock");
              }
              finish(ownership);
            });
    assertThat(scanner.scan()).isEqualTo(new RecoveryReport(4, 3, 0, 1));
    assertThat(leases.read(InstanceId.of("order/2").leaseName())).isEmpty();
    assertThat(journal.read(InstanceId.of("order/2")).orElseThrow().state())
        .isEqualTo(InstanceState.PENDING);
  }

  @Test
  void manyNodesCarryEachInstanceOnOnce() throws Exception {
    abandoned(60);
    ConcurrentLinkedQueue<InstanceId> carried = new ConcurrentLinkedQueue<>();
    ExecutorService nodes = Executors.newFixedThreadPool(4);
    try {
      List<Future<RecoveryReport>> scans = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        RecoveryScanner scanner =
            RecoveryScanner.of(
                node(),
                journal,
                Duration.ZERO,
                ownership -> {
                  carried.add(ownership.history().instance().id());
                  finish(ownership);
                });
        scans.add(nodes.submit(scanner::scan));
      }
      int taken = 0;
      for (Future<RecoveryReport> scan : scans) {
        taken += scan.get().taken();
        assertThat(scan.get().failed()).isZero();
      }
      assertThat(taken).isEqualTo(60);
    } finally {
      nodes.shutdownNow();
    }
    assertThat(carried).hasSize(60).doesNotHaveDuplicates();
  }

  @Test
  void nodesBeginAtDifferentPlacesOfTheList() throws Exception {
    abandoned(32);
    Set<InstanceId> first = new HashSet<>();
    for (int seed = 0; seed < 16; seed++) {
      List<InstanceId> order = new ArrayList<>();
      RecoveryScanner scanner =
          RecoveryScanner.of(
              node(),
              journal,
              Duration.ZERO,
              ownership -> order.add(ownership.history().instance().id()),
              RandomGenerator.of("L64X128MixRandom"));
      scanner.scan();
      first.add(order.get(0));
      await()
          .until(() -> journal.abandoned(Duration.ZERO, Page.first(100)).instances().size() == 32);
    }
    // 16 draws out of 32 places; three or fewer different ones have a chance below 10^-12.
    assertThat(first.size()).isGreaterThan(3);
  }

  @Test
  void aStartedScannerLooksUntilItIsClosed() throws Exception {
    abandoned(3);
    try (RecoveryScanner scanner =
        RecoveryScanner.of(node(), journal, Duration.ZERO, RecoveryScannerTest::finish)) {
      scanner.start(Duration.ofMillis(20));
      await()
          .atMost(Duration.ofSeconds(10))
          .until(
              () ->
                  journal.read(InstanceId.of("order/2")).orElseThrow().state()
                      == InstanceState.COMPLETED);
    }
    await()
        .atMost(Duration.ofSeconds(10))
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(each -> each.getName().equals("leasehold-recovery")));
  }
}
