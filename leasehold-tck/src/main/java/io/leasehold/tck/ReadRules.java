package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeasePage;
import io.leasehold.LeaseView;
import io.leasehold.LeaseView.State;
import io.leasehold.Page;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What can be seen: live leases by read, every record by inspect. */
abstract class ReadRules extends StoreRules {

  ReadRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("L46 reading an unheld name is an answer, not an exception")
  void readingAnUnheldNameIsAnAnswer() {
    LeaseName name = name("nobody's");

    Optional<LeaseView> view;
    try {
      view = store().read(name);
    } catch (RuntimeException e) {
      throw new AssertionError("an unheld name reads as empty, not as " + e, e);
    }

    assertThat(view).as("an unheld name reads as empty").isEmpty();
    assertThat(recordIfAny(name)).as("reading leaves no record").isEmpty();
  }

  @Test
  @DisplayName("L47 a read shows owner, token and how long the lease has left")
  void aReadShowsTheGrant() {
    Lease lease = grant(name("job"), ALICE);
    Optional<LeaseView> fresh = store().read(lease.name());
    assertThat(fresh).as("a live lease can be read").isPresent();
    LeaseView view = fresh.orElseThrow();

    assertThat(view.name()).as("the name").isEqualTo(lease.name());
    assertThat(view.owner()).as("the owner").isEqualTo(ALICE);
    assertThat(view.token()).as("the token").isEqualTo(lease.token());
    assertThat(view.attempt()).as("the attempt").isEqualTo(lease.attempt());
    assertThat(view.grantedAt()).as("since when").isEqualTo(lease.grantedAt());
    assertThat(view.renewedAt()).as("not renewed since the grant").isEqualTo(lease.grantedAt());
    assertThat(view.expiresAt()).as("until when").isEqualTo(lease.expiresAt());
    assertThat(view.isLive()).as("live").isTrue();
    assertThat(view.remaining())
        .as("how long it has left, counted from now")
        .isPositive()
        .isLessThanOrEqualTo(LONG);

    pass(Duration.ofMillis(3));
    Lease renewed = renewed(store().renew(lease, LONG.plus(LONG)), "a live lease is renewed");
    LeaseView later = store().read(lease.name()).orElseThrow();
    assertThat(later.renewedAt()).as("when it was renewed").isAfter(lease.grantedAt());
    assertThat(later.grantedAt()).as("since when, still").isEqualTo(lease.grantedAt());
    assertThat(later.expiresAt()).as("until when now").isEqualTo(renewed.expiresAt());
  }

  @Test
  @DisplayName("L48 an expired lease reads as empty")
  void anExpiredLeaseReadsAsEmpty() {
    Lease lease = grantShort(name("job"), ALICE);
    letExpire(lease);

    assertThat(store().read(lease.name())).as("an expired lease reads as empty").isEmpty();
  }

  @Test
  @DisplayName("L49 a lease that was given back reads as empty, while it lingers too")
  void aLeaseThatWasGivenBackReadsAsEmpty() {
    Lease released = grant(name("released"), ALICE);
    store().release(released, Duration.ZERO);
    Lease lingering = grant(name("lingering"), ALICE);
    store().release(lingering, LONG);

    assertThat(store().read(released.name())).as("a released lease reads as empty").isEmpty();
    assertThat(store().read(lingering.name()))
        .as("a name that lingers is held by nobody")
        .isEmpty();
  }

  @Test
  @DisplayName("L50 a listing shows every record, live or ended, and how it stands")
  void aListingShowsEveryRecord() {
    Lease expired = grantShort(name("expired"), ALICE);
    Lease live = grant(name("live"), ALICE);
    Lease lingering = grant(name("lingering"), ALICE);
    store().release(lingering, LONG);
    Lease released = grant(name("released"), ALICE);
    store().release(released, Duration.ZERO);
    letExpire(expired);

    List<LeaseView> all = inspectAll(prefix());

    assertThat(all)
        .as("every record, and how it stands")
        .extracting(LeaseView::name, LeaseView::state)
        .containsExactlyInAnyOrder(
            tuple(live.name(), State.LIVE),
            tuple(lingering.name(), State.LINGERING),
            tuple(released.name(), State.RELEASED),
            tuple(expired.name(), State.EXPIRED));
    for (Lease lease : List.of(live, lingering, released, expired)) {
      LeaseView view = record(lease.name());
      assertThat(view.isOf(lease)).as("its token and attempt: %s", view).isTrue();
      assertThat(view.owner()).as("its owner").isEqualTo(ALICE);
      assertThat(view.grantedAt()).as("since when").isEqualTo(lease.grantedAt());
    }
  }

  @Test
  @DisplayName("L51 a prefix is taken byte for byte: wildcards, case and spaces are ordinary")
  void aPrefixIsTakenByteForByte() {
    List<String> names =
        List.of(
            "ab",
            "aXb",
            "a%b",
            "a_b",
            "a*b",
            "a?b",
            "a[b]",
            "a\\b",
            "a b",
            "a'b",
            "a.b",
            "a{b}",
            "a(b",
            "a|b",
            "a^b",
            "a$b",
            "Ab",
            "\u00e4",
            "a\u0308b",
            "a\uD83D\uDE00b");
    names.forEach(each -> grant(name(each), ALICE));

    List<String> prefixes =
        new ArrayList<>(List.of("", "a", "A", "\u00e4", "z", "%", "_", "*", ".*"));
    names.stream()
        .map(each -> each.substring(0, each.offsetByCodePoints(0, 1)))
        .forEach(prefixes::add);
    names.stream()
        .filter(each -> each.length() > 2)
        .map(each -> each.substring(0, each.offsetByCodePoints(0, 2)))
        .forEach(prefixes::add);
    for (String start : prefixes) {
      Set<String> expected = new TreeSet<>();
      names.stream().filter(each -> each.startsWith(start)).forEach(expected::add);
      Set<String> found = new TreeSet<>();
      for (LeaseView view : inspectAll(prefix() + start)) {
        found.add(view.name().value().substring(prefix().length()));
      }
      assertThat(found).as("what starts with '%s', byte for byte", start).isEqualTo(expected);
    }
  }

  @Test
  @DisplayName("L52 a listing in pages shows everything, and comes to an end")
  void aListingInPagesShowsEverything() {
    Set<String> expected = new TreeSet<>();
    for (int i = 0; i < 25; i++) {
      Lease lease = grant(name("job-" + i), ALICE);
      expected.add(lease.name().value());
      if (i % 3 == 0) {
        store().release(lease, Duration.ZERO);
      }
    }

    for (int size : new int[] {1, 4, 5, 25, 1_000}) {
      Set<String> found = new TreeSet<>();
      LeasePage page = store().inspect(prefix(), Page.first(size));
      int pages = 1;
      while (true) {
        page.leases().forEach(view -> found.add(view.name().value()));
        Optional<String> next = page.next();
        if (next.isEmpty()) {
          break;
        }
        // A store may answer with short pages, even empty ones, but not for ever.
        assertThat(++pages).as("a listing comes to an end").isLessThan(10_000);
        page = store().inspect(prefix(), Page.at(next.get(), size));
      }
      assertThat(found).as("every record, in pages of %s", size).isEqualTo(expected);
    }
  }
}
