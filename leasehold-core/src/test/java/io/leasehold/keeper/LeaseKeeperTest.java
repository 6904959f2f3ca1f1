package io.leasehold.keeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.leasehold.EndReason;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.leasehold.WildStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The keeper with real threads; what has to be exact is in RosterTest. Margin: {@link #SLACK}. */
class LeaseKeeperTest {

  private static final LeaseName NAME = LeaseName.of("order/42");
  private static final Duration TTL = Duration.ofMillis(900);
  private static final Duration SLACK = Duration.ofSeconds(10);

  private final WildStore store = new WildStore();
  private final Queue<EndReason> lost = new ConcurrentLinkedQueue<>();
  private final LeaseKeeper keeper =
      LeaseKeeper.builder(store)
          .owner("keeper-1")
          .ttl(TTL)
          .batchSize(100)
          .listener((lease, reason) -> lost.add(reason))
          .build();

  @AfterEach
  void close() {
    store.faulty(WildStore.NONE);
    keeper.close();
  }

  private static HeldLease won(Claim claim) {
    assertThat(claim).isInstanceOf(Claim.Won.class);
    return ((Claim.Won) claim).lease();
  }

  @Test
  void aClaimIsRenewedUntilItIsClosed() {
    HeldLease lease = won(keeper.claim(NAME));
    assertThat(lease.isHeld()).isTrue();
    assertThat(lease.name()).isEqualTo(NAME);
    assertThat(lease.remaining()).isPositive();
    assertThat(keeper.size()).isEqualTo(1);
    assertThat(store.read(NAME).orElseThrow().owner()).isEqualTo(keeper.owner());
    await().atMost(SLACK).until(() -> store.renewals.get() >= 4);
    assertThat(lease.isHeld()).isTrue();
    assertThat(store.read(NAME).orElseThrow().token()).isEqualTo(lease.token());

    lease.close();
    lease.close();

    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.end()).contains(EndReason.STOPPED);
    assertThat(lease.remaining()).isZero();
    assertThat(store.read(NAME)).isEmpty();
    assertThat(store.releases).hasValue(1);
    assertThat(lost).isEmpty();
  }

  @Test
  void aNameThatIsTakenIsRefusedEvenToItsOwnKeeper() {
    won(keeper.claim(NAME));
    assertThat(keeper.claim(NAME))
        .isInstanceOfSatisfying(
            Claim.Refused.class,
            refused -> assertThat(refused.view().owner()).isEqualTo("keeper-1"));
  }

  @Test
  void aClaimMayWaitForTheRelease() throws InterruptedException {
    try (LeaseKeeper other = LeaseKeeper.builder(store).ttl(Duration.ofHours(1)).build()) {
      HeldLease theirs = won(other.claim(NAME));
      assertThat(keeper.claim(NAME, Duration.ofMillis(20))).isInstanceOf(Claim.Refused.class);
      Thread releaser = new Thread(theirs::close);
      releaser.start();
      HeldLease ours = won(keeper.claim(NAME, SLACK));
      releaser.join();
      assertThat(ours.token()).isGreaterThan(theirs.token());
    }
  }

  @Test
  void aLeaseThatIsLostIsTold() {
    HeldLease lease = won(keeper.claim(NAME));
    store.inner().release(store.read(NAME).orElseThrow().asLease(), Duration.ZERO);
    await().atMost(SLACK).until(() -> !lost.isEmpty());
    assertThat(lost).containsExactly(EndReason.FORCED);
    assertThat(lease.isHeld()).isFalse();
    assertThat(keeper.size()).isZero();
  }

  @Test
  void whenTheStoreIsAwayPastTheHoldEveryLeaseEndsAndIsToldApart() {
    HeldLease lease = won(keeper.claim(NAME));
    CountDownLatch never = new CountDownLatch(1);
    store.hanging("*", never);
    await().atMost(SLACK).until(() -> !lost.isEmpty());
    assertThat(lost).containsExactly(EndReason.UNREACHABLE);
    assertThat(lease.end()).contains(EndReason.UNREACHABLE);
    never.countDown();
  }

  @Test
  void oneFailedRenewalLosesNothing() {
    AtomicInteger failures = new AtomicInteger();
    store.faulty(
        new WildStore.Fault() {
          @Override
          public <T> T around(String call, Supplier<T> inner) {
            if (call.equals("renew") && failures.getAndIncrement() == 0) {
              throw new IllegalStateException("once");
            }
            return inner.get();
          }
        });
    HeldLease lease = won(keeper.claim(NAME));
    await().atMost(SLACK).until(() -> store.renewals.get() >= 4);
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void aClaimThatIsNotAnsweredIsGivenBack() {
    CountDownLatch slow = new CountDownLatch(1);
    store.hanging("acquire", slow);
    assertThatExceptionOfType(LeaseStoreException.class)
        .isThrownBy(() -> keeper.claim(NAME))
        .matches(e -> e.outcome() == LeaseStoreException.Outcome.UNKNOWN)
        .withMessageContaining("no answer within 300 ms");
    await().atMost(SLACK).until(() -> store.abandons.get() >= 1);
    slow.countDown(); // the call lands now, too late
    await().atMost(SLACK).until(() -> store.abandons.get() >= 2);
    await().atMost(SLACK).until(() -> store.read(NAME).isEmpty());
    assertThat(keeper.size()).isZero();
  }

  @Test
  void aClaimThatWasCertainlyNotMadeSaysSo() {
    store.failing(
        "acquire",
        () -> new LeaseStoreException(LeaseStoreException.Outcome.NOT_APPLIED, "refused"));
    assertThatExceptionOfType(LeaseStoreException.class)
        .isThrownBy(() -> keeper.claim(NAME))
        .matches(e -> e.outcome() == LeaseStoreException.Outcome.NOT_APPLIED);
    assertThat(store.abandons).hasValue(0);
  }

  @Test
  void manyAreClaimedAndRenewedInBatchesAndAllGivenBackAtTheEnd() {
    List<LeaseName> names = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      names.add(LeaseName.of("order/" + i));
    }
    assertThat(keeper.claimAll(names)).hasSize(1_000).allMatch(Claim.Won.class::isInstance);
    assertThat(keeper.size()).isEqualTo(1_000);
    await().atMost(SLACK).until(() -> store.renewals.get() >= 20);
    assertThat(lost).isEmpty();

    keeper.close();

    assertThat(store.inspect("order/", io.leasehold.Page.first(2_000)).leases())
        .hasSize(1_000)
        .noneMatch(io.leasehold.LeaseView::isLive);
  }

  @Test
  void oneFailingReleaseDoesNotKeepTheOthers() {
    List<LeaseName> names = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      names.add(LeaseName.of("order/" + i));
    }
    keeper.claimAll(names);
    AtomicInteger count = new AtomicInteger();
    store.faulty(
        new WildStore.Fault() {
          @Override
          public <T> T around(String call, Supplier<T> inner) {
            if (call.equals("release") && count.incrementAndGet() % 100 == 7) {
              throw new IllegalStateException("this one");
            }
            return inner.get();
          }
        });
    keeper.close();
    keeper.close();
    long live =
        store.inspect("order/", io.leasehold.Page.first(2_000)).leases().stream()
            .filter(io.leasehold.LeaseView::isLive)
            .count();
    assertThat(live).isLessThan(30);
    assertThat(count.get()).isGreaterThanOrEqualTo(1_000);
    await()
        .atMost(SLACK)
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(each -> each.getName().startsWith("leasehold-keeper-keeper-1")));
  }

  @Test
  void afterCloseNothingIsClaimed() {
    keeper.close();
    assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> keeper.claim(NAME));
    assertThat(store.acquires).hasValue(0);
  }

  @Test
  void badOptionsAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> LeaseKeeper.builder(store).batchSize(0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LeaseKeeper.builder(store).batchSize(10_001));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LeaseKeeper.builder(store).ttl(Duration.ZERO));
    assertThatIllegalArgumentException().isThrownBy(() -> LeaseKeeper.builder(store).owner(""));
  }
}
