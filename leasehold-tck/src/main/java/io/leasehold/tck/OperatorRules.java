package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeasePage;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What operators see, and what they may delete. */
abstract class OperatorRules extends StoreRules {

  OperatorRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("L50 a listing shows every record with its state, live or ended")
  void aListingShowsEveryRecord() {
    Lease expired = grantShort(name("expired"), ALICE);
    Lease live = grant(name("live"), ALICE);
    Lease released = grant(name("released"), BOB);
    store().release(released, Duration.ZERO);
    Lease lingering = grant(name("lingering"), BOB);
    store().release(lingering, LONG);
    letExpire(expired);

    Map<LeaseName, LeaseView.State> states =
        inspectAll(prefix()).stream().collect(Collectors.toMap(LeaseView::name, LeaseView::state));

    assertThat(states)
        .containsOnly(
            Map.entry(expired.name(), EXPIRED),
            Map.entry(live.name(), LIVE),
            Map.entry(released.name(), LeaseView.State.RELEASED),
            Map.entry(lingering.name(), LeaseView.State.LINGERING));
  }

  @Test
  @DisplayName("L51 a prefix is literal, byte for byte")
  void aPrefixIsLiteral() {
    List<String> texts =
        List.of(
            "%", "_", "*", "?", "[a]", "a", "A", "\\", "\\%", "'", "{", "^", "$", ".", "ä", "🦊");
    for (String text : texts) {
      grant(name(text + "-1"), ALICE);
      grant(name(text + "-2"), ALICE);
    }
    for (String text : texts) {
      assertThat(inspectAll(prefix() + text + "-"))
          .as("only what starts with '%s-'", text)
          .extracting(LeaseView::name)
          .containsExactlyInAnyOrder(name(text + "-1"), name(text + "-2"));
    }
    assertThat(inspectAll(prefix() + "none")).as("a prefix that nothing has").isEmpty();
    assertThat(inspectAll("%" + prefix())).as("a wildcard is a character").isEmpty();
  }

  @Test
  @DisplayName("L52 a listing in pages returns every record")
  void aListingInPagesReturnsEveryRecord() {
    Set<LeaseName> expected = new HashSet<>();
    for (int i = 0; i < 25; i++) {
      expected.add(grant(name("page-" + i), ALICE).name());
    }
    List<LeaseName> seen = new ArrayList<>();
    Set<String> cursors = new HashSet<>();
    LeasePage answer = store().inspect(prefix(), Page.first(4));
    answer.leases().forEach(view -> seen.add(view.name()));
    while (answer.next().isPresent()) {
      String cursor = answer.next().get();
      assertThat(cursors.add(cursor)).as("a listing does not come back to a cursor").isTrue();
      answer = store().inspect(prefix(), Page.at(cursor, 4));
      answer.leases().forEach(view -> seen.add(view.name()));
    }
    assertThat(new HashSet<>(seen)).as("every record, and no other").isEqualTo(expected);
  }

  @Test
  @DisplayName("L53 reclaim deletes what ended long enough ago, and nothing else")
  void reclaimDeletesOnlyWhatEndedLongEnoughAgo() {
    needs(Capability.RECLAIM);
    Lease live = grant(name("live"), ALICE);
    Lease lingering = grant(name("lingering"), ALICE);
    store().release(lingering, LONG);
    Lease released = grant(name("released"), ALICE);
    store().release(released, Duration.ZERO);
    Lease expired = grantShort(name("expired"), ALICE);
    letExpire(expired);

    store().reclaim(Duration.ofHours(12));
    assertThat(recordIfAny(released.name())).as("released a moment ago").isPresent();
    assertThat(recordIfAny(expired.name())).as("expired a moment ago").isPresent();

    long deleted = store().reclaim(Duration.ZERO);
    assertThat(deleted).as("it says how many it deleted").isGreaterThanOrEqualTo(2);
    awaitReclaimed(released.name());
    awaitReclaimed(expired.name());
    assertUntouched(live);
    assertThat(record(lingering.name()).state()).isEqualTo(LeaseView.State.LINGERING);
    assertThat(store().reclaim(Duration.ofDays(366))).as("nothing is left that old").isZero();
  }

  @Test
  @DisplayName("L54 a holder whose record was reclaimed has lost it, and is answered")
  void aHolderWhoseRecordWasReclaimedHasLostIt() {
    needs(Capability.RECLAIM);
    Lease lease = grantShort(name("job"), ALICE);
    letExpire(lease);
    awaitReclaimed(lease.name());

    assertThat(lost(store().renew(believedLive(lease), LONG), "the record is gone"))
        .as("there is no record to show")
        .isEmpty();
    assertThat(store().release(lease, Duration.ZERO)).isEqualTo(ReleaseAnswer.ALREADY_ENDED);
    store().abandon(lease.name(), ALICE, lease.attempt());
    assertThat(recordIfAny(lease.name())).as("nothing brings the record back").isEmpty();
  }

  @Test
  @DisplayName("L75 reclaim goes on until every ended record is deleted, and counts them all")
  void reclaimGoesOnUntilAllAreDeleted() {
    needs(Capability.RECLAIM);
    List<AcquireRequest> requests = new ArrayList<>();
    for (int i = 0; i < 1_100; i++) {
      requests.add(new AcquireRequest(name("many-" + i), ALICE, newAttempt(), LONG));
    }
    List<Lease> leases = new ArrayList<>();
    for (AcquireAnswer answer : store().acquireAll(requests)) {
      leases.add(granted(answer, "a free name"));
    }
    store().releaseAll(leases, Duration.ZERO);
    // One that ended last: when it can be reclaimed, all can.
    Lease last = grant(name("last"), ALICE);
    store().release(last, Duration.ZERO);
    pass(Duration.ofMillis(2));

    long deleted = store().reclaim(Duration.ZERO);

    awaitReclaimed(last.name());
    assertThat(inspectAll(prefix())).as("none is left").isEmpty();
    assertThat(deleted)
        .as("one call deletes, and counts, all of them")
        .isGreaterThanOrEqualTo(requests.size());
  }
}
