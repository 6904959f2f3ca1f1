package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.LeaseArguments;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which names and arguments there are, and which there are not. */
abstract class NameRules extends StoreRules {

  /** Texts that some database or client takes for one another, or changes on the way. */
  private static final List<String> MANGLED =
      List.of(
          "job",
          "Job",
          "JOB",
          "jöb",
          "jo\u0308b",
          "j\u00f6B",
          "straße",
          "strasse",
          "ı",
          "i",
          "İ",
          "job s",
          "job  s",
          "job_",
          "job%",
          "jobX",
          "job*",
          "job?",
          "[job]",
          "job'",
          "job''",
          "job\"",
          "job`",
          "job\\",
          "job\\\\",
          "{job}",
          "job}",
          "job;--",
          "job:1",
          "job/1",
          "job.1",
          "$job",
          "job$1",
          "job#",
          "job&",
          "0",
          "00",
          "0.0",
          "null",
          "NULL",
          "🦊",
          "🐻",
          "🦊🐻",
          "👩\u200d👧",
          "👩👧",
          "ﬁ",
          "fi",
          "１",
          "1",
          "a\u200bb",
          "ab");

  NameRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("L43 names that databases mangle stay distinct")
  void namesThatDatabasesMangleStayDistinct() {
    Map<LeaseName, Lease> leases = new HashMap<>();
    for (String text : MANGLED) {
      LeaseName name = name(text);
      leases.put(name, granted(acquire(name, ALICE, LONG), "'" + text + "' is a name of its own"));
    }
    for (Lease lease : leases.values()) {
      LeaseView view = store().read(lease.name()).orElseThrow();
      assertThat(view.name()).as("a name comes back byte for byte").isEqualTo(lease.name());
      assertThat(view.isOf(lease)).as("'%s' has its own grant", lease.name()).isTrue();
    }
    assertThat(inspectAll(prefix()).stream().map(LeaseView::name).toList())
        .as("a listing shows every name as it is")
        .containsExactlyInAnyOrderElementsOf(leases.keySet());
  }

  @Test
  @DisplayName("L44 the longest names, owners and attempts are kept in full")
  void theLongestTextsAreKeptInFull() {
    int room = LeaseName.MAX_BYTES - prefix().getBytes(StandardCharsets.UTF_8).length;
    LeaseName ascii = name("n".repeat(room));
    LeaseName other = name("n".repeat(room - 1) + "m");
    LeaseName emoji = name("🦊".repeat(room / 4) + "x".repeat(room % 4));
    String owner = "é".repeat(LeaseArguments.MAX_OWNER_BYTES / 2) + "o";
    for (LeaseName name : List.of(ascii, other, emoji)) {
      String attempt = newAttempt();
      String longest = attempt + "🦊".repeat((64 - attempt.length()) / 4);
      Lease lease =
          granted(store().acquire(name, owner, longest, LONG), "255 bytes of UTF-8 are legal");
      LeaseView view = store().read(name).orElseThrow();
      assertThat(view.isOf(lease)).as("no text was cut").isTrue();
      assertThat(view.owner()).as("no owner was cut").isEqualTo(owner);
      renewed(store().renew(lease, LONG), "the attempt is recognised in full");
    }
  }

  @Test
  @DisplayName("L45 owners and attempts are compared byte for byte")
  void ownersAndAttemptsAreComparedByteForByte() {
    LeaseName name = name("job");
    String attempt = newAttempt() + "-a";
    Lease lease = granted(store().acquire(name, "Ålice O'Neil \\ %", attempt, LONG), "free");
    assertThat(record(name).owner())
        .as("an owner is shown as it is")
        .isEqualTo("Ålice O'Neil \\ %");

    for (String other : List.of(attempt.toUpperCase(Locale.ROOT), attempt + "\u0301")) {
      held(store().acquire(name, ALICE, other, LONG), "'" + other + "' is another attempt");
      store().abandon(name, ALICE, other);
      lost(store().renew(withAttempt(lease, other), LONG), "'" + other + "' is another attempt");
    }
    assertUntouched(lease);
  }

  @Test
  @DisplayName("L46 the shortest and the longest TTL are granted, in whole milliseconds")
  void theShortestAndTheLongestTtl() {
    Lease shortest = granted(acquire(name("short"), ALICE, Duration.ofMillis(1)), "1 ms");
    assertThat(shortest.expiresAt()).isEqualTo(shortest.grantedAt().plusMillis(1));
    Lease longest = granted(acquire(name("long"), ALICE, LeaseArguments.MAX_TTL), "366 days");
    assertThat(longest.expiresAt()).isEqualTo(longest.grantedAt().plus(LeaseArguments.MAX_TTL));
    Lease cut = granted(acquire(name("cut"), ALICE, LONG.plusNanos(999_999)), "a fraction is cut");
    assertThat(cut.expiresAt()).isEqualTo(cut.grantedAt().plus(LONG));
    for (Lease lease : List.of(shortest, longest, cut)) {
      assertThat(lease.grantedAt())
          .as("instants are kept to the millisecond")
          .isEqualTo(lease.grantedAt().truncatedTo(ChronoUnit.MILLIS));
    }
  }

  @Test
  @DisplayName("L47 unusable arguments are refused")
  void unusableArgumentsAreRefused() {
    LeaseName name = name("job");

    for (Map.Entry<String, Runnable> call : unusable(store(), name, inventedLease(name))) {
      assertThatThrownBy(call.getValue()::run)
          .as("%s", call.getKey())
          .isInstanceOf(IllegalArgumentException.class)
          .message()
          .as("the message of: %s", call.getKey())
          .isNotBlank();
    }
    assertThat(recordIfAny(name)).as("a refused call leaves nothing behind").isEmpty();
    grant(name, ALICE);
  }

  @Test
  @DisplayName("L48 unusable arguments are refused before anything is sent")
  void unusableArgumentsAreRefusedBeforeAnythingIsSent() throws Exception {
    LeaseStore away =
        closedAfterwards(offered(fixture.openUnreachableStore(), "openUnreachableStore()"));
    LeaseName name = name("job");

    for (Map.Entry<String, Runnable> call : unusable(away, name, inventedLease(name))) {
      assertThatThrownBy(call.getValue()::run)
          .as("%s, on a store that cannot be reached", call.getKey())
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  @DisplayName("L49 an unreachable store gives no answer, and says that nothing happened")
  void anUnreachableStoreGivesNoAnswer() throws Exception {
    LeaseStore away =
        closedAfterwards(offered(fixture.openUnreachableStore(), "openUnreachableStore()"));
    LeaseName name = name("job");
    Lease lease = inventedLease(name);
    List<Map.Entry<String, Runnable>> calls =
        List.of(
            call("acquire", () -> away.acquire(name, ALICE, newAttempt(), LONG)),
            call("renew", () -> away.renew(lease, LONG)),
            call("release", () -> away.release(lease, Duration.ZERO)),
            call("abandon", () -> away.abandon(name, ALICE, lease.attempt())),
            call("read", () -> away.read(name)),
            call("inspect", () -> away.inspect(prefix(), Page.first(10))),
            call("renewAll", () -> away.renewAll(List.of(lease), LONG)));

    for (Map.Entry<String, Runnable> call : calls) {
      assertThatThrownBy(call.getValue()::run)
          .as("%s on a store that cannot be reached is neither granted nor refused", call.getKey())
          .isInstanceOfSatisfying(
              LeaseStoreException.class,
              e ->
                  assertThat(e.outcome())
                      .as("%s never reached the store", call.getKey())
                      .isEqualTo(LeaseStoreException.Outcome.NOT_APPLIED));
    }
  }

  private static List<Map.Entry<String, Runnable>> unusable(
      LeaseStore store, LeaseName name, Lease lease) {
    List<Map.Entry<String, Runnable>> calls = new ArrayList<>();
    for (String bad :
        List.of("", " ", " a", "a ", "a\u0000b", "a\nb", "\u00a0", "\ud800", long256())) {
      calls.add(call("owner '" + bad + "'", () -> store.acquire(name, bad, newAttempt(), LONG)));
      calls.add(call("attempt '" + bad + "'", () -> store.acquire(name, ALICE, bad, LONG)));
      calls.add(call("abandoned attempt '" + bad + "'", () -> store.abandon(name, ALICE, bad)));
      calls.add(call("abandoning owner '" + bad + "'", () -> store.abandon(name, bad, "a1")));
    }
    calls.add(call("attempt of 65 bytes", () -> store.acquire(name, ALICE, "a".repeat(65), LONG)));
    Duration tooLong = LeaseArguments.MAX_TTL.plusMillis(1);
    for (Duration bad :
        List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofNanos(999_999), tooLong)) {
      calls.add(call("ttl " + bad, () -> store.acquire(name, ALICE, newAttempt(), bad)));
      calls.add(call("renewal's ttl " + bad, () -> store.renew(lease, bad)));
      calls.add(call("ttl of renewAll " + bad, () -> store.renewAll(List.of(lease), bad)));
    }
    for (Duration bad : List.of(Duration.ofNanos(-1), Duration.ofMillis(-1), tooLong)) {
      calls.add(call("linger " + bad, () -> store.release(lease, bad)));
      calls.add(call("linger of releaseAll " + bad, () -> store.releaseAll(List.of(lease), bad)));
      calls.add(call("endedFor " + bad, () -> store.reclaim(bad)));
    }
    calls.add(call("prefix with a NUL", () -> store.inspect("a\u0000", Page.first(10))));
    calls.add(call("prefix of 256 bytes", () -> store.inspect(long256(), Page.first(10))));
    return calls;
  }

  private static Map.Entry<String, Runnable> call(String what, Runnable call) {
    return Map.entry(what, call);
  }

  private static String long256() {
    return "x".repeat(256);
  }
}
