package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.tck.RuleResult.Verdict;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The suite is proved: each wrong store is rejected by the rules it breaks, and by no other. */
final class WrongStoresTest {

  /** Runs wait for signals and races more than they compute, so more than there are processors. */
  private static final int AT_ONCE = 6;

  /** Rules that need a clock that is moved by hand. */
  private static final Set<String> STEPPED = Set.of("L10");

  /** Faults that are about time, which are proved on a clock that runs as well. */
  private static final Set<String> IN_REAL_TIME = Set.of("L05", "L08", "L14", "L24", "L34", "L48");

  private static final TimeZone ZONE = TimeZone.getDefault();

  private static final Map<WrongStore, Future<ConformanceReport>> STEPPED_RUNS =
      new LinkedHashMap<>();
  private static final Map<WrongStore, Future<ConformanceReport>> REAL_TIME_RUNS =
      new LinkedHashMap<>();

  static List<WrongStore> all() {
    return Stream.of(
            WrongHolders.acquiring(),
            WrongEndings.counting(),
            WrongHolders.renewing(),
            WrongEndings.releasing(),
            WrongEndings.abandoning(),
            WrongEndings.showing(),
            WrongEndings.reclaiming(),
            WrongEdges.batching(),
            WrongEdges.naming(),
            WrongEdges.racing(),
            WrongEdges.sharing(),
            WrongEdges.living())
        .flatMap(List::stream)
        .toList();
  }

  /** All runs side by side, but the one that suffers when another changes the time zone. */
  @BeforeAll
  static void run() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
    for (WrongStore wrong : all()) {
      if (!wrong.named().equals("L75")) {
        STEPPED_RUNS.put(wrong, pool.submit(wrong::report));
      }
      if (IN_REAL_TIME.contains(wrong.named())) {
        REAL_TIME_RUNS.put(wrong, pool.submit(wrong::reportInRealTime));
      }
    }
    pool.shutdown();
    for (Future<ConformanceReport> run : STEPPED_RUNS.values()) {
      run.get();
    }
    for (Future<ConformanceReport> run : REAL_TIME_RUNS.values()) {
      run.get();
    }
    restoreTimeZone();
    ExecutorService alone = Executors.newSingleThreadExecutor();
    for (WrongStore wrong : all()) {
      if (wrong.named().equals("L75")) {
        STEPPED_RUNS.put(wrong, alone.submit(wrong::report));
      }
    }
    alone.shutdown();
  }

  /** Runs side by side may restore each other's zone instead of the first one. */
  @AfterAll
  static void restoreTimeZone() {
    TimeZone.setDefault(ZONE);
  }

  @TestFactory
  Stream<DynamicTest> aStoreIsRejectedByTheRulesItBreaksAndByNoOther() {
    return STEPPED_RUNS.entrySet().stream()
        .map(
            run ->
                DynamicTest.dynamicTest(
                    run.getKey().fault(),
                    () -> expectRejected(run.getKey().broken(), run.getValue().get())));
  }

  @TestFactory
  Stream<DynamicTest> inRealTimeItIsTheSame() {
    return REAL_TIME_RUNS.entrySet().stream()
        .map(
            run ->
                DynamicTest.dynamicTest(
                    run.getKey().fault(),
                    () -> {
                      Set<String> broken = new TreeSet<>(run.getKey().broken());
                      broken.removeAll(STEPPED);
                      expectRejected(broken, run.getValue().get());
                    }));
  }

  private static void expectRejected(Set<String> broken, ConformanceReport report) {
    assertThat(ids(report.with(Verdict.BROKEN)))
        .as("rejected by the rules it breaks, and by no other: %s", report.with(Verdict.BROKEN))
        .isEqualTo(broken);
    assertThat(report.with(Verdict.FAILED))
        .as("a rule rejects by its own assertion, not by a crash")
        .isEmpty();
    assertThat(report.conforms()).as("the report rejects the store").isFalse();
    for (RuleResult result : report.with(Verdict.BROKEN)) {
      assertThat(result.detail())
          .as("the failure names the rule and its guarantee")
          .startsWith(result.rule() + " " + result.title());
    }
  }

  @Test
  void theRightStoreKeepsEveryRule() {
    ConformanceReport report = Conformance.check(new WrongStore.Fixture(OpenStore::new, false));

    assertThat(report.results())
        .as("every rule is shown and kept")
        .allMatch(result -> result.verdict() == Verdict.HOLDS);
    assertThat(report.conforms()).isTrue();
  }

  @Test
  void theRightStoreKeepsEveryRuleInRealTime() {
    ConformanceReport report = Conformance.check(new WrongStore.Fixture(OpenStore::new, true));

    assertThat(report.with(Verdict.BROKEN)).isEmpty();
    assertThat(report.with(Verdict.FAILED)).isEmpty();
    assertThat(ids(report.with(Verdict.NOT_SHOWN)))
        .as("only what needs a clock that is moved by hand is not shown")
        .isEqualTo(STEPPED);
  }

  @Test
  void everyRuleIsProvedByAStoreThatItIsNamedFor() {
    Set<String> named =
        all().stream().map(WrongStore::named).collect(Collectors.toCollection(TreeSet::new));

    assertThat(named).isEqualTo(RuleIds.ofTheSuite());
  }

  private static Set<String> ids(List<RuleResult> results) {
    return results.stream().map(RuleResult::rule).collect(Collectors.toCollection(TreeSet::new));
  }
}
