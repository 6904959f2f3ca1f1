package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContractTest {

  private static final LeaseName NAME = LeaseName.of("job");
  private static final Instant T0 = Instant.parse("2026-12-01T00:00:00Z");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "Job",
        "order/42",
        "a:b{c}*%_?[x]'\"\\",
        "zwei Worte",
        "😀",
        "ключ",
        "é",
        "a b",
        "~"
      })
  void anythingPrintableIsAName(String text) {
    assertThat(LeaseName.of(text).value()).isEqualTo(text);
    assertThat(LeaseName.of(text)).hasToString(text);
  }

  @Test
  void aNameMayHave255BytesOfUtf8AndNoMore() {
    assertThat(LeaseName.of("x".repeat(255)).value()).hasSize(255);
    assertThat(LeaseName.of("é".repeat(127) + "x").value()).hasSize(128);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LeaseName.of("x".repeat(256)))
        .withMessage("lease name has 256 bytes of UTF-8; at most 255 are allowed");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LeaseName.of("é".repeat(128)))
        .withMessageContaining("256 bytes");
  }

  @Test
  void anEmptyNameIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LeaseName.of(""))
        .withMessage("lease name is empty; give it at least one character");
  }

  @ParameterizedTest
  @ValueSource(strings = {" ", " a", "a ", "\u00a0a", "a\u2003", "\u2028a", "\u3000"})
  void whiteSpaceAtAnEndIsRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LeaseName.of(text))
        .withMessageContaining("white space at an end; trim it");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\u0000b", "a\nb", "\t", "a\u007fb", "\u0085x"})
  void aControlCharacterIsRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LeaseName.of(text))
        .withMessageContaining("control character U+00");
  }

  @Test
  void theMessageSaysWhereTheControlCharacterIs() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LeaseName.of("😀\n"))
        .withMessage("lease name has the control character U+000A at 2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\ud83d", "\ude00a", "x\ud83dy"})
  void halfOfASurrogatePairIsRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LeaseName.of(text))
        .withMessageContaining("surrogate pair");
  }

  @Test
  void namesAreOrderedByTheirText() {
    assertThat(List.of(LeaseName.of("b"), LeaseName.of("a")).stream().sorted())
        .containsExactly(LeaseName.of("a"), LeaseName.of("b"));
  }

  @Test
  void tokensAreFrom1ToWhatADoubleHoldsExactly() {
    assertThat(new FencingToken(1)).hasToString("1");
    assertThat(new FencingToken(9_007_199_254_740_991L).value()).isEqualTo(FencingToken.MAX_VALUE);
    for (long wrong : new long[] {0, -1, FencingToken.MAX_VALUE + 1}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new FencingToken(wrong))
          .withMessage(
              "fencing token " + wrong + " is out of range: 1 to " + FencingToken.MAX_VALUE);
    }
  }

  @Test
  void aGreaterTokenSupersedes() {
    FencingToken seven = new FencingToken(7);
    assertThat(new FencingToken(8).supersedes(seven)).isTrue();
    assertThat(seven.supersedes(seven)).isFalse();
    assertThat(new FencingToken(6).supersedes(seven)).isFalse();
    assertThat(seven).isGreaterThan(new FencingToken(6)).isLessThan(new FencingToken(8));
  }

  @Test
  void aTtlIsFrom1MsTo366DaysInWholeMilliseconds() {
    assertThat(LeaseArguments.ttl(Duration.ofNanos(1_999_999))).isEqualTo(Duration.ofMillis(1));
    assertThat(LeaseArguments.ttl(Duration.ofDays(366))).isEqualTo(Duration.ofDays(366));
    for (Duration wrong :
        List.of(
            Duration.ZERO,
            Duration.ofNanos(999_999),
            Duration.ofSeconds(-1),
            Duration.ofDays(366).plusNanos(1),
            Duration.ofSeconds(Long.MAX_VALUE))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> LeaseArguments.ttl(wrong))
          .withMessage("ttl " + wrong + " is out of range: at least 1 ms and at most 366 days");
    }
  }

  @Test
  void aLingerAndAnEndedForMayBeZero() {
    assertThat(LeaseArguments.linger(Duration.ZERO)).isZero();
    assertThat(LeaseArguments.linger(Duration.ofDays(366))).isEqualTo(Duration.ofDays(366));
    assertThat(LeaseArguments.endedFor(Duration.ofNanos(1_500_000)))
        .isEqualTo(Duration.ofMillis(1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LeaseArguments.linger(Duration.ofNanos(-1)))
        .withMessageContaining("linger PT-0.000000001S is out of range");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LeaseArguments.endedFor(Duration.ofDays(367)))
        .withMessageContaining("endedFor");
  }

  @Test
  void ownersAttemptsAndPrefixesHaveTheirOwnLimits() {
    assertThat(LeaseArguments.owner("x".repeat(255))).hasSize(255);
    assertThat(LeaseArguments.attempt("x".repeat(64))).hasSize(64);
    assertThat(LeaseArguments.prefix("")).isEmpty();
    assertThat(LeaseArguments.prefix(" a")).isEqualTo(" a");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LeaseArguments.owner(" "))
        .withMessageContaining("owner ' ' is blank");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LeaseArguments.attempt("x".repeat(65)))
        .withMessageContaining("attempt has 65 bytes");
    assertThatIllegalArgumentException().isThrownBy(() -> LeaseArguments.prefix("a\nb"));
  }

  @Test
  void aRequestChecksEverythingAndCutsItsTtl() {
    AcquireRequest request = new AcquireRequest(NAME, "me", "a1", Duration.ofNanos(2_500_000));
    assertThat(request.ttl()).isEqualTo(Duration.ofMillis(2));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new AcquireRequest(NAME, "", "a1", Duration.ofSeconds(1)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new AcquireRequest(NAME, "me", "", Duration.ofSeconds(1)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new AcquireRequest(NAME, "me", "a1", Duration.ZERO));
  }

  private static LeaseView view(long expiresIn, boolean released) {
    return LeaseView.of(
        NAME, "me", "a1", new FencingToken(7), T0, T0, T0.plusMillis(expiresIn), released, T0);
  }

  @Test
  void aRecordsStateFollowsFromItsExpiryAndItsRelease() {
    assertThat(view(1, false).state()).isEqualTo(LeaseView.State.LIVE);
    assertThat(view(1, true).state()).isEqualTo(LeaseView.State.LINGERING);
    assertThat(view(0, false).state()).isEqualTo(LeaseView.State.EXPIRED);
    assertThat(view(0, true).state()).isEqualTo(LeaseView.State.RELEASED);
    assertThat(view(1, false).remaining()).isEqualTo(Duration.ofMillis(1));
    assertThat(view(-5, false).remaining()).isZero();
    assertThat(view(1, false).isLive()).isTrue();
    assertThat(view(1, true).isLive()).isFalse();
  }

  @Test
  void aViewWhoseRemainingDoesNotFitItsStateIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new LeaseView(
                    NAME,
                    "me",
                    "a1",
                    new FencingToken(7),
                    T0,
                    T0,
                    T0,
                    Duration.ZERO,
                    LeaseView.State.LIVE));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new LeaseView(
                    NAME,
                    "me",
                    "a1",
                    new FencingToken(7),
                    T0,
                    T0,
                    T0,
                    Duration.ofMillis(1),
                    LeaseView.State.EXPIRED));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new LeaseView(
                    NAME,
                    "me",
                    "a1",
                    new FencingToken(7),
                    T0,
                    T0,
                    T0,
                    Duration.ofMillis(-1),
                    LeaseView.State.LINGERING));
  }

  @Test
  void aGrantIsRecognisedByNameTokenAndAttempt() {
    LeaseView view = view(5, false);
    Lease lease = view.asLease();
    assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(5));
    assertThat(view.isOf(lease)).isTrue();
    assertThat(
            view.isOf(
                new Lease(NAME, "me", "a2", lease.token(), T0, lease.expiresAt(), Duration.ZERO)))
        .isFalse();
    assertThat(
            view.isOf(
                new Lease(
                    NAME, "me", "a1", new FencingToken(8), T0, lease.expiresAt(), Duration.ZERO)))
        .isFalse();
    assertThat(
            view.isOf(
                new Lease(
                    LeaseName.of("Job"),
                    "me",
                    "a1",
                    lease.token(),
                    T0,
                    lease.expiresAt(),
                    Duration.ZERO)))
        .isFalse();
  }

  @Test
  void aLeaseChecksItsOwnerAttemptAndRemaining() {
    FencingToken token = new FencingToken(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Lease(NAME, "", "a", token, T0, T0, Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Lease(NAME, "me", "", token, T0, T0, Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Lease(NAME, "me", "a", token, T0, T0, Duration.ofMillis(-1)));
  }

  @Test
  void aPageHas1To10000Records() {
    assertThat(Page.first(1).cursor()).isEmpty();
    assertThat(Page.at("x", 10_000).cursor()).contains("x");
    assertThatIllegalArgumentException().isThrownBy(() -> Page.first(0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Page.at("x", 10_001))
        .withMessage("page size 10001 is out of range: 1 to 10000");
  }

  @Test
  void aListingIsACopy() {
    List<LeaseView> found = new java.util.ArrayList<>(List.of(view(1, false)));
    LeasePage page = new LeasePage(found, Optional.empty());
    found.clear();
    assertThat(page.leases()).hasSize(1);
  }

  @Test
  void anExceptionSaysWhetherTheCallMayHaveHappened() {
    Throwable cause = new IllegalStateException("x");
    LeaseStoreException one =
        new LeaseStoreException(LeaseStoreException.Outcome.UNKNOWN, "reset", cause);
    assertThat(one.outcome()).isEqualTo(LeaseStoreException.Outcome.UNKNOWN);
    assertThat(one).hasMessage("reset").hasCause(cause);
    assertThat(
            new LeaseStoreException(LeaseStoreException.Outcome.NOT_APPLIED, "refused").outcome())
        .isEqualTo(LeaseStoreException.Outcome.NOT_APPLIED);
  }

  @Test
  void anOwnerIsTheHostAndARandomSuffix() {
    assertThat(Owner.random()).matches(".+-[0-9a-f]{12}").isNotEqualTo(Owner.random());
    assertThat(Owner.host(Map.of("HOSTNAME", "web-1.example"))).isEqualTo("web-1.example");
    assertThat(Owner.host(Map.of("HOSTNAME", "we b\n"))).isEqualTo("web");
    assertThat(Owner.host(Map.of("HOSTNAME", "***"))).isEqualTo("host");
    assertThat(Owner.host(Map.of("HOSTNAME", "h".repeat(300)))).hasSize(100);
    assertThat(Owner.host(Map.of())).isNotEmpty();
    assertThat(LeaseArguments.owner(Owner.random())).isNotEmpty();
  }

  @Test
  void theSystemTickerRuns() {
    Ticker ticker = Ticker.system();
    long first = ticker.nanos();
    assertThat(ticker.nanos() - first).isNotNegative();
    assertThat(first).isNotZero();
  }

  /** A store that has only the single calls. */
  private static final class Plain implements LeaseStore {
    private final io.leasehold.memory.MemoryLeaseStore memory =
        new io.leasehold.memory.MemoryLeaseStore(() -> T0);

    @Override
    public AcquireAnswer acquire(LeaseName name, String owner, String attempt, Duration ttl) {
      return memory.acquire(name, owner, attempt, ttl);
    }

    @Override
    public RenewAnswer renew(Lease lease, Duration ttl) {
      return memory.renew(lease, ttl);
    }

    @Override
    public ReleaseAnswer release(Lease lease, Duration linger) {
      return memory.release(lease, linger);
    }

    @Override
    public void abandon(LeaseName name, String owner, String attempt) {
      memory.abandon(name, owner, attempt);
    }

    @Override
    public Optional<LeaseView> read(LeaseName name) {
      return memory.read(name);
    }

    @Override
    public LeasePage inspect(String prefix, Page page) {
      return memory.inspect(prefix, page);
    }

    @Override
    public long reclaim(Duration endedFor) {
      return memory.reclaim(endedFor);
    }

    @Override
    public void close() {
      memory.close();
    }
  }

  @Test
  void aStoreWithoutBatchesAnswersEachForItself() {
    try (Plain store = new Plain()) {
      LeaseName other = LeaseName.of("other");
      Duration ttl = Duration.ofSeconds(1);
      List<AcquireAnswer> answers =
          store.acquireAll(
              List.of(
                  new AcquireRequest(NAME, "me", "a1", ttl),
                  new AcquireRequest(NAME, "me", "a2", ttl),
                  new AcquireRequest(other, "me", "a3", ttl)));
      assertThat(answers).hasSize(3);
      assertThat(answers.get(1)).isInstanceOf(AcquireAnswer.Held.class);
      Lease first = ((AcquireAnswer.Granted) answers.get(0)).lease();
      Lease third = ((AcquireAnswer.Granted) answers.get(2)).lease();
      assertThat(store.renewAll(List.of(first, third), ttl))
          .allMatch(RenewAnswer.Renewed.class::isInstance)
          .hasSize(2);
      assertThat(store.releaseAll(List.of(first, third), Duration.ZERO))
          .containsExactly(ReleaseAnswer.RELEASED, ReleaseAnswer.RELEASED);
      assertThat(store.renewAll(List.of(first), ttl))
          .allMatch(RenewAnswer.Lost.class::isInstance)
          .hasSize(1);
      assertThatThrownBy(() -> store.renewAll(List.of(), Duration.ZERO))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> store.releaseAll(List.of(), Duration.ofDays(-1)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(store.subscribe(NAME, () -> {})).isSameAs(LeaseStore.Subscription.NONE);
      store.subscribe(NAME, () -> {}).close();
    }
  }
}
