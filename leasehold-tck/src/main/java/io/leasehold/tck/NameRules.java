package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.leasehold.Lease;
import io.leasehold.LeaseArguments;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseStoreException.Outcome;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Texts are kept byte for byte; unusable arguments are refused; no answer is an exception. */
abstract class NameRules extends StoreRules {

  /** Neighbours are what some database, driver or query language takes for the same, or eats. */
  private static final List<String> MANGLED =
      List.of(
          "job",
          "Job",
          "JOB",
          "jOb", // case
          "\u0130",
          "i",
          "I",
          "\u0131", // Turkish case
          "strasse",
          "stra\u00dfe",
          "STRASSE", // case that changes the length
          "\u00e4",
          "a\u0308",
          "a",
          "\u00c4", // accents, composed and not
          "x y",
          "x  y",
          "xy",
          "x\u00a0y",
          "x\u3000y", // inner spaces
          "z",
          "z\u200b",
          "z\u200d",
          "\ufeffz",
          "z\u00ad", // characters without a width
          "\uff41\uff42",
          "ab", // full width
          "\uD83D\uDE00",
          "\uD83D\uDE01",
          "\uD83D\uDC69\u200D\uD83D\uDCBB",
          "\ufffd",
          "?", // emoji
          "'",
          "''",
          "\"",
          "\"\"",
          "`",
          "\\",
          "\\\\",
          "\\'",
          "';--",
          "$$",
          "$1",
          "?1",
          ":name",
          "%",
          "%%",
          "_",
          "*",
          "[a]",
          "^",
          ".*",
          "#",
          "{",
          "}",
          "{}",
          "{a}",
          "{fn now()}",
          "${x}",
          "/",
          "//",
          ".",
          "..",
          "a.b",
          "$set",
          ":",
          "::",
          ",",
          ";",
          "&",
          "=",
          "+",
          "a+b",
          "%20",
          "0",
          "00",
          "0.0",
          "1e3",
          "-",
          "null",
          "NULL",
          "true",
          "NaN");

  NameRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("L61 names that databases mangle stay distinct, byte for byte")
  void namesThatDatabasesMangleStayDistinct() {
    Map<LeaseName, Lease> leases = new LinkedHashMap<>();
    for (String text : MANGLED) {
      LeaseName name = name(text);
      leases.put(name, granted(acquire(name, ALICE, LONG), "no other name is '" + text + "'"));
    }

    for (Map.Entry<LeaseName, Lease> each : leases.entrySet()) {
      Optional<LeaseView> view = store().read(each.getKey());
      assertThat(view).as("%s can be read", each.getKey()).isPresent();
      assertThat(view.orElseThrow().name())
          .as("a name comes back as it was given")
          .isEqualTo(each.getKey());
      assertThat(view.orElseThrow().isOf(each.getValue()))
          .as("%s is its own lease", each.getKey())
          .isTrue();
    }
    assertThat(inspectAll(prefix()))
        .as("a listing shows every name as it was given")
        .extracting(LeaseView::name)
        .containsExactlyInAnyOrderElementsOf(leases.keySet());
  }

  @Test
  @DisplayName("L62 names of 255 bytes are kept whole")
  void namesOf255BytesAreKeptWhole() {
    for (String filling : List.of("n", "\u00e9", "\uD83D\uDE00")) {
      LeaseName one = filledTo255Bytes(filling, "1");
      LeaseName two = filledTo255Bytes(filling, "2");
      Lease first = grant(one, ALICE);
      Lease second = granted(acquire(two, BOB, LONG), "the last byte of a name counts");

      LeaseView view = record(one);
      assertThat(view.isOf(first)).as("the first is its own").isTrue();
      assertThat(record(two).isOf(second)).as("the second is its own").isTrue();
      assertThat(inspectAll(one.value())).as("a prefix may be a whole name").hasSize(1);
      renewed(store().renew(first, LONG), "a lease with a long name is renewed");
    }
  }

  private LeaseName filledTo255Bytes(String filling, String last) {
    int used = utf8(prefix()) + utf8(last);
    int width = utf8(filling);
    int whole = (LeaseName.MAX_BYTES - used) / width;
    int rest = LeaseName.MAX_BYTES - used - whole * width;
    return name("x".repeat(rest) + filling.repeat(whole) + last);
  }

  private static int utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  @Test
  @DisplayName("L63 owners and attempts are kept as they are; attempts are compared byte for byte")
  void ownersAndAttemptsAreKept() {
    for (String owner :
        List.of(
            "O'Brien \"x\" \\ %s {0} \uD83D\uDE00",
            "Alice", "o".repeat(LeaseArguments.MAX_OWNER_BYTES))) {
      LeaseName name = name("of " + owner.hashCode());
      granted(acquire(name, owner, LONG), "an owner is any text");
      assertThat(record(name).owner()).as("an owner comes back as it was given").isEqualTo(owner);
    }
    LeaseName name = name("job");
    String attempt = "Try-\u00e9-" + newAttempt();
    String longest = "t".repeat(LeaseArguments.MAX_ATTEMPT_BYTES);
    granted(store().acquire(name("long"), ALICE, longest, LONG), "an attempt may be 64 bytes long");
    assertThat(record(name("long")).attempt())
        .as("an attempt comes back as it was given")
        .isEqualTo(longest);
    Lease lease = granted(store().acquire(name, ALICE, attempt, LONG), "a free name is granted");
    for (String other :
        List.of(
            attempt.replace('T', 't'),
            attempt.replace("\u00e9", "e\u0301"),
            attempt.replace("\u00e9", "e"),
            attempt + "\u200b")) {
      held(store().acquire(name, ALICE, other, LONG), "'" + other + "' is another attempt");
      store().abandon(name, ALICE, other);
      lost(store().renew(withAttempt(lease, other), LONG), "'" + other + "' is another attempt");
    }
    assertThat(record(name).isOf(lease)).as("the grant is as it was").isTrue();
    assertThat(record(name).isLive()).as("the grant is as it was").isTrue();
  }

  private static void expectRefused(String guarantee, ThrowingCallable call) {
    assertThat(catchThrowable(call)).as(guarantee).isInstanceOf(IllegalArgumentException.class);
  }

  /** Texts that no store may take for an owner or an attempt, by what is wrong with them. */
  private static Map<String, String> unusableTexts() {
    return Map.of(
        "empty", "",
        "blank", " ",
        "a leading space", " x",
        "a trailing space", "x ",
        "a no-break space at the end", "x\u00a0",
        "a line feed inside", "x\ny",
        "a NUL inside", "x\u0000y",
        "half of a surrogate pair", "x\uD83D",
        "256 bytes", "x".repeat(256));
  }

  @Test
  @DisplayName("L64 an unusable owner or attempt is refused, and nothing happens")
  void anUnusableOwnerOrAttemptIsRefused() {
    LeaseName free = name("free");
    Lease lease = grant(name("taken"), ALICE);
    LeaseView before = record(lease.name());

    unusableTexts()
        .forEach(
            (what, text) -> {
              expectRefused(
                  "an owner with " + what + " is refused",
                  () -> store().acquire(free, text, newAttempt(), LONG));
              expectRefused(
                  "an attempt with " + what + " is refused",
                  () -> store().acquire(free, ALICE, text, LONG));
              expectRefused(
                  "an owner with " + what + " is refused",
                  () -> store().abandon(lease.name(), text, lease.attempt()));
              expectRefused(
                  "an attempt with " + what + " is refused",
                  () -> store().abandon(lease.name(), ALICE, text));
              assertThat(recordIfAny(free)).as("%s: nothing was taken", what).isEmpty();
            });
    expectRefused(
        "an attempt of 65 bytes is refused",
        () -> store().acquire(free, ALICE, "x".repeat(65), LONG));

    assertThat(recordIfAny(free)).as("nothing was taken").isEmpty();
    expectUnchanged(before, "nothing was given back");
  }

  @Test
  @DisplayName("L65 an unusable duration or prefix is refused, and nothing happens")
  void anUnusableDurationIsRefused() {
    LeaseName free = name("free");
    Lease lease = grant(name("taken"), ALICE);
    LeaseView before = record(lease.name());

    for (Duration ttl :
        List.of(
            Duration.ZERO,
            Duration.ofMillis(-1),
            Duration.ofNanos(999_999),
            LeaseArguments.MAX_TTL.plusNanos(1),
            Duration.ofSeconds(Long.MAX_VALUE))) {
      expectRefused(
          "a TTL of " + ttl + " is refused", () -> store().acquire(free, ALICE, newAttempt(), ttl));
      expectRefused("a TTL of " + ttl + " is refused", () -> store().renew(lease, ttl));
      expectRefused("a TTL of " + ttl + " is refused", () -> store().renewAll(List.of(lease), ttl));
    }
    for (Duration time : List.of(Duration.ofNanos(-1), LeaseArguments.MAX_TTL.plusNanos(1))) {
      expectRefused("a linger of " + time + " is refused", () -> store().release(lease, time));
      expectRefused(
          "a linger of " + time + " is refused", () -> store().releaseAll(List.of(lease), time));
      // Never with a duration that a wrong store could take: others' records may be there.
      expectRefused("reclaiming after " + time + " is refused", () -> reclaimIfMayBe(time));
    }
    expectRefused(
        "a prefix with a control character is refused",
        () -> store().inspect(prefix() + "\n", Page.first(10)));

    assertThat(recordIfAny(free)).as("nothing was taken").isEmpty();
    expectUnchanged(before, "nothing was renewed, nothing was given back");
  }

  private void reclaimIfMayBe(Duration endedFor) {
    if (can(Capability.RECLAIM)) {
      store().reclaim(endedFor);
    } else {
      LeaseArguments.endedFor(endedFor);
    }
  }

  @Test
  @DisplayName("L66 unusable arguments are refused before anything is sent")
  void unusableArgumentsAreRefusedBeforeAnythingIsSent() throws Exception {
    LeaseStore unreachable =
        closedAfterwards(offered(fixture.openUnreachableStore(), "unreachable store"));
    Lease lease = grant(name("job"), ALICE);

    expectRefused(
        "a blank owner is refused, though no store can be reached",
        () -> unreachable.acquire(lease.name(), " ", newAttempt(), LONG));
    expectRefused(
        "an empty attempt is refused, though no store can be reached",
        () -> unreachable.abandon(lease.name(), ALICE, ""));
    expectRefused(
        "a TTL of zero is refused, though no store can be reached",
        () -> unreachable.renew(lease, Duration.ZERO));
    expectRefused(
        "a TTL of zero is refused, though no store can be reached",
        () -> unreachable.renewAll(List.of(lease), Duration.ZERO));
    expectRefused(
        "a negative linger is refused, though no store can be reached",
        () -> unreachable.release(lease, Duration.ofMillis(-1)));
    expectRefused(
        "a negative linger is refused, though no store can be reached",
        () -> unreachable.releaseAll(List.of(lease), Duration.ofMillis(-1)));
    expectRefused(
        "a prefix with a control character is refused, though no store can be reached",
        () -> unreachable.inspect("\n", Page.first(1)));
    expectRefused(
        "a negative time is refused, though no store can be reached",
        () -> unreachable.reclaim(Duration.ofMillis(-1)));
  }

  @Test
  @DisplayName("L67 a store that cannot be reached has no answer, and says that nothing happened")
  void aStoreThatCannotBeReachedHasNoAnswer() throws Exception {
    LeaseStore unreachable =
        closedAfterwards(offered(fixture.openUnreachableStore(), "unreachable store"));
    Lease lease = grant(name("job"), ALICE);

    expectNoAnswer(() -> unreachable.acquire(lease.name(), BOB, newAttempt(), LONG));
    expectNoAnswer(() -> unreachable.renew(lease, LONG));
    expectNoAnswer(() -> unreachable.read(lease.name()));
  }

  private static void expectNoAnswer(ThrowingCallable call) {
    Throwable thrown = catchThrowable(call);
    assertThat(thrown)
        .as("no answer is a LeaseStoreException, never a refusal")
        .isInstanceOf(LeaseStoreException.class);
    assertThat(((LeaseStoreException) thrown).outcome())
        .as("what was never sent certainly did not happen: %s", thrown)
        .isEqualTo(Outcome.NOT_APPLIED);
  }
}
