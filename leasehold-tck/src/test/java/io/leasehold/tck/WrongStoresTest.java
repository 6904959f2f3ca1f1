package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LeaseStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The proof of the suite: each wrong store is caught by the rules it breaks, and by no other. */
final class WrongStoresTest {

  /** Faults about time, which are proved on a clock that runs as well. */
  private static final Set<String> ABOUT_TIME = Set.of("L06", "L13", "L18", "L25", "L33");

  /** Runs wait, for races and for what is never signalled, more than they compute. */
  private static final int AT_ONCE = 4;

  /** The rule that changes the process's time zone, and so a store that depends on it. */
  private static final String TIME_ZONE = "L72";

  private static final TimeZone ZONE = TimeZone.getDefault();

  private static final List<Run> RUNS = new ArrayList<>();

  /** A wrong store on its way through the suite. */
  private record Run(WrongStore wrong, String clock, Future<ConformanceReport> report) {
    @Override
    public String toString() {
      return wrong + ", on a clock that " + clock;
    }
  }

  @BeforeAll
  static void runThemSideBySide() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
    List<WrongStore> alone = new ArrayList<>();
    for (WrongStore wrong : WrongStore.all()) {
      if (wrong.rule().equals(TIME_ZONE)) {
        alone.add(wrong);
        continue;
      }
      RUNS.add(new Run(wrong, "is moved by hand", threads.submit(() -> run(wrong.fixture()))));
      if (ABOUT_TIME.contains(wrong.rule())) {
        RUNS.add(new Run(wrong, "runs", threads.submit(() -> run(wrong.fixtureInRealTime()))));
      }
    }
    threads.shutdown();
    for (Run run : RUNS) {
      run.report().get();
    }
    restoreTimeZone();
    for (WrongStore wrong : alone) {
      ConformanceReport report = run(wrong.fixture());
      RUNS.add(new Run(wrong, "is moved by hand", CompletableFuture.completedFuture(report)));
    }
  }

  /** Runs side by side may restore each other's time zone instead of the first one. */
  @AfterAll
  static void restoreTimeZone() {
    TimeZone.setDefault(ZONE);
  }

  private static ConformanceReport run(LeaseStoreFixture fixture) {
    return StoreVerification.run(fixture, verdict -> {});
  }

  static List<Run> runs() {
    return RUNS;
  }

  @ParameterizedTest
  @MethodSource("runs")
  void aWrongStoreIsRejectedByExactlyTheRulesItBreaks(Run run) throws Exception {
    assertRejected(run.wrong(), run.report().get());
  }

  @Test
  void theStoreThatAllWrongStoresStartFromKeepsEveryRuleInRealTimeToo() {
    ConformanceReport report =
        StoreVerification.run(new WrongStore.PlainFixture(PlainStore::new, true), verdict -> {});

    assertThat(report.rules())
        .allSatisfy(
            rule ->
                assertThat(rule.verdict()).as("%s", rule).isEqualTo(RuleVerdict.Verdict.PASSED));
  }

  @Test
  void aStoreThatTrustsItsCallersClockIsRejected() {
    WrongStore wrong = new WrongStore("the caller's clock is trusted", "L62", "", PlainStore::new);
    LeaseStoreFixture fixture =
        new WrongStore.PlainFixture(wrong.opening()) {
          @Override
          public Optional<LeaseStore> openStoreOnClock(InstantSource callersClock) {
            LeaseStore right = openStore();
            return Optional.of(
                new PlainStore(((PlainStore) right).database) {
                  @Override
                  long now() {
                    return callersClock.millis();
                  }
                });
          }
        };

    assertRejected(wrong, StoreVerification.run(fixture, verdict -> {}));
  }

  @Test
  void theStoreThatAllWrongStoresStartFromKeepsEveryRule() {
    ConformanceReport report =
        StoreVerification.run(new WrongStore.PlainFixture(PlainStore::new), verdict -> {});

    assertThat(report.rules()).hasSizeGreaterThan(60);
    assertThat(report.rules())
        .allSatisfy(
            rule ->
                assertThat(rule.verdict()).as("%s", rule).isEqualTo(RuleVerdict.Verdict.PASSED));
    assertThat(report.conforms()).isTrue();
  }

  @Test
  void everyRuleRejectsSomeWrongStore() {
    TreeSet<String> rejecting = new TreeSet<>(List.of("L62"));
    WrongStore.all().forEach(wrong -> rejecting.addAll(wrong.broken()));

    assertThat(rejecting).isEqualTo(new TreeSet<>(SpecTest.rules().keySet()));
  }

  private static void assertRejected(WrongStore wrong, ConformanceReport report) {
    List<RuleVerdict> failed = report.with(RuleVerdict.Verdict.FAILED);
    assertThat(failed)
        .as("the named rule rejects it by what the store answered, not by a crash")
        .anySatisfy(
            rule -> {
              assertThat(rule.id()).isEqualTo(wrong.rule());
              assertThat(rule.failure()).containsInstanceOf(AssertionError.class);
            });
    assertThat(
            failed.stream()
                .map(RuleVerdict::id)
                .filter(id -> !wrong.mayBreak(id))
                .collect(Collectors.joining(" ")))
        .as("the rules it breaks, and no other; failed: %s", failed)
        .isEqualTo(String.join(" ", wrong.broken()));
    assertThat(report.conforms()).isFalse();
  }
}
