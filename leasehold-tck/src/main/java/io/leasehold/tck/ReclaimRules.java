package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseView;
import io.leasehold.LeaseView.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What reclaim deletes, and what it leaves. */
abstract class ReclaimRules extends StoreRules {

  ReclaimRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  /** What earlier tests left is not counted. */
  @BeforeEach
  final void startWithoutEndedRecords() {
    needs(Capability.RECLAIM);
    store().reclaim(Duration.ZERO);
  }

  @Test
  @DisplayName("L53 reclaiming deletes the records that have ended, and says how many")
  void reclaimingDeletesEndedRecords() {
    Lease expired = grantShort(name("expired"), ALICE);
    Lease released = grant(name("released"), ALICE);
    store().release(released, Duration.ZERO);
    Lease abandoned = grant(name("abandoned"), ALICE);
    store().abandon(abandoned.name(), ALICE, abandoned.attempt());
    letExpire(expired);

    assertThat(store().reclaim(Duration.ZERO)).as("three records had ended").isEqualTo(3);

    assertThat(inspectAll(prefix())).as("they are gone").isEmpty();
    assertThat(store().reclaim(Duration.ZERO)).as("nothing is left to reclaim").isZero();
  }

  @Test
  @DisplayName("L54 reclaiming leaves what is taken, and what ended too recently")
  void reclaimingLeavesWhatIsTakenOrRecent() {
    Lease live = grant(name("live"), ALICE);
    Lease lingering = grant(name("lingering"), ALICE);
    store().release(lingering, LONG);
    Lease recent = grant(name("recent"), ALICE);
    store().release(recent, Duration.ZERO);

    assertThat(store().reclaim(Duration.ofHours(1))).as("nothing ended an hour ago").isZero();
    assertThat(record(recent.name()).state())
        .as("what ended just now is left for an hour")
        .isEqualTo(State.RELEASED);

    assertThat(store().reclaim(Duration.ZERO)).as("one record had ended").isEqualTo(1);
    assertThat(inspectAll(prefix()))
        .as("a live lease and a name that lingers are left")
        .extracting(LeaseView::name)
        .containsExactlyInAnyOrder(live.name(), lingering.name());
  }

  @Test
  @DisplayName("L55 reclaiming goes on, in steps, until every ended record is deleted")
  void reclaimingDeletesAll() {
    int many = fixture.batch() + 100;
    List<AcquireRequest> requests = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      requests.add(new AcquireRequest(name("job-" + i), ALICE, newAttempt(), LONG));
    }
    List<Lease> leases = new ArrayList<>();
    for (AcquireAnswer answer : store().acquireAll(requests)) {
      leases.add(granted(answer, "a free name is granted"));
    }
    store().releaseAll(leases, Duration.ZERO);

    assertThat(store().reclaim(Duration.ZERO)).as("all of them had ended").isEqualTo(many);
    assertThat(inspectAll(prefix())).as("all of them are gone").isEmpty();
  }
}
