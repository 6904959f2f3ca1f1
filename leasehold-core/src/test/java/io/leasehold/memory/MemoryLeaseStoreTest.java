package io.leasehold.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeasePage;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What the conformance suite cannot ask on a real clock, because it has to be exact. */
class MemoryLeaseStoreTest {

  private static final LeaseName NAME = LeaseName.of("job");
  private static final Duration TTL = Duration.ofSeconds(10);

  private Instant now = Instant.parse("2026-12-01T00:00:00Z");
  private final MemoryLeaseStore store = new MemoryLeaseStore(() -> now);

  private Lease grant(LeaseName name, String attempt) {
    return ((AcquireAnswer.Granted) store.acquire(name, "me", attempt, TTL)).lease();
  }

  private LeaseView refuse(String attempt) {
    return ((AcquireAnswer.Held) store.acquire(NAME, "me", attempt, TTL)).view();
  }

  @Test
  void aLeaseIsTakenUntilTheMillisecondOfItsExpiry() {
    Lease first = grant(NAME, "a1");
    now = now.plus(TTL).minusMillis(1);
    assertThat(refuse("a2").remaining()).isEqualTo(Duration.ofMillis(1));
    now = now.plusMillis(1);
    assertThat(store.read(NAME)).isEmpty();
    assertThat(store.renew(first, TTL))
        .isInstanceOfSatisfying(
            RenewAnswer.Lost.class,
            lost ->
                assertThat(lost.current())
                    .get()
                    .extracting(LeaseView::state)
                    .isEqualTo(LeaseView.State.EXPIRED));
    assertThat(grant(NAME, "a2").token().value()).isEqualTo(first.token().value() + 1);
  }

  @Test
  void theFirstTokenIsTheClockInMicroseconds() {
    now = Instant.ofEpochSecond(1_700_000_000L, 123_456_789);
    assertThat(grant(NAME, "a1").token().value()).isEqualTo(1_700_000_000_123_456L);
  }

  @Test
  void onAVirtualClockAtTheEpochTheFirstTokenIs1() {
    now = Instant.EPOCH;
    assertThat(grant(NAME, "a1").token().value()).isEqualTo(1);
  }

  @Test
  void tokensGrowAcrossAReclaimEvenWhenTheClockStandsStillOrGoesBack() {
    Lease first = grant(NAME, "a1");
    store.release(first, Duration.ZERO);
    assertThat(store.reclaim(Duration.ZERO)).isEqualTo(1);
    now = now.minusSeconds(60);
    assertThat(grant(NAME, "a2").token()).isGreaterThan(first.token());
  }

  @Test
  void reclaimLeavesWhatEndedTooRecentlyAndWhatLives() {
    store.release(grant(NAME, "a1"), Duration.ZERO);
    grant(LeaseName.of("live"), "a2");
    now = now.plusSeconds(5);
    assertThat(store.reclaim(Duration.ofMillis(5_001))).isZero();
    assertThat(store.reclaim(Duration.ofSeconds(5))).isEqualTo(1);
    assertThat(store.inspect("", Page.first(10)).leases()).hasSize(1);
  }

  @Test
  void aRenewalNeverMovesAnExpiryBackward() {
    Lease lease = grant(NAME, "a1");
    now = now.plusSeconds(1);
    RenewAnswer answer = store.renew(lease, Duration.ofSeconds(1));
    assertThat(answer)
        .isInstanceOfSatisfying(
            RenewAnswer.Renewed.class,
            renewed -> assertThat(renewed.lease().remaining()).isEqualTo(Duration.ofSeconds(9)));
  }

  @Test
  void lingerCountsFromTheGrant() {
    Lease lease = grant(NAME, "a1");
    now = now.plusSeconds(4);
    assertThat(store.release(lease, Duration.ofSeconds(6))).isEqualTo(ReleaseAnswer.RELEASED);
    assertThat(store.read(NAME)).isEmpty();
    assertThat(refuse("a2").state()).isEqualTo(LeaseView.State.LINGERING);
    assertThat(refuse("a2").remaining()).isEqualTo(Duration.ofSeconds(2));
    assertThat(store.release(lease, Duration.ZERO)).isEqualTo(ReleaseAnswer.ALREADY_ENDED);
    now = now.plusSeconds(2);
    grant(NAME, "a3");
    assertThat(store.release(lease, Duration.ZERO)).isEqualTo(ReleaseAnswer.LOST);
  }

  @Test
  void withoutALingerTheNameIsFreeAtOnceThoughTheClockWentBack() {
    Lease lease = grant(NAME, "a1");
    now = now.minusSeconds(60);
    store.release(lease, Duration.ZERO);
    assertThat(grant(NAME, "a2").token()).isGreaterThan(lease.token());
  }

  @Test
  void aSpentAttemptTakesNoSecondGrant() {
    Lease lease = grant(NAME, "a1");
    store.release(lease, Duration.ZERO);
    assertThat(refuse("a1").state()).isEqualTo(LeaseView.State.RELEASED);
    assertThat(refuse("a1").remaining()).isZero();
    assertThat(grant(NAME, "a2").token()).isGreaterThan(lease.token());
  }

  @Test
  void aReleaseThatFreesTheNameSignalsAndOneThatLingersDoesNot() {
    AtomicInteger signals = new AtomicInteger();
    LeaseStore.Subscription subscription = store.subscribe(NAME, signals::incrementAndGet);
    store.release(grant(NAME, "a1"), Duration.ZERO);
    assertThat(signals).hasValue(1);
    store.release(grant(NAME, "a2"), Duration.ofSeconds(5));
    assertThat(signals).hasValue(1);
    now = now.plusSeconds(5);
    grant(NAME, "a3");
    store.abandon(NAME, "me", "a2");
    assertThat(signals).hasValue(1);
    store.abandon(NAME, "me", "a3");
    assertThat(signals).hasValue(2);
    subscription.close();
    subscription.close();
    store.release(grant(NAME, "a4"), Duration.ZERO);
    assertThat(signals).hasValue(2);
  }

  @Test
  void aListingPagesThroughEverythingOnce() {
    for (int i = 0; i < 25; i++) {
      grant(LeaseName.of("a%_" + i), "a" + i);
    }
    grant(LeaseName.of("axx1"), "b");
    List<String> seen = new ArrayList<>();
    Page page = Page.first(10);
    while (true) {
      LeasePage found = store.inspect("a%", page);
      found.leases().forEach(each -> seen.add(each.name().value()));
      Optional<String> next = found.next();
      if (next.isEmpty()) {
        break;
      }
      page = Page.at(next.get(), 10);
    }
    assertThat(seen).hasSize(25).doesNotHaveDuplicates().isSorted();
  }

  @Test
  void aMillionNamesTakeNoLongerPerCallThanAThousand() {
    // Not a stopwatch: a call touches one entry of a hash map. What could go wrong is memory.
    for (int i = 0; i < 1_000_000; i++) {
      grant(LeaseName.of("n" + i), "a");
    }
    assertThat(store.read(LeaseName.of("n999999"))).isPresent();
    now = now.plus(TTL);
    assertThat(store.reclaim(Duration.ZERO)).isEqualTo(1_000_000);
  }
}
