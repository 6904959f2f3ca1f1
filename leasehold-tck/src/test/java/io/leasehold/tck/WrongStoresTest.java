package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LeaseStore;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The proof of the suite: each wrong store is caught by the rules it breaks, and by no other. */
final class WrongStoresTest {

  static List<WrongStore> wrongStores() {
    return WrongStore.all();
  }

  @ParameterizedTest
  @MethodSource("wrongStores")
  void aWrongStoreIsRejectedByExactlyTheRulesItBreaks(WrongStore wrong) {
    assertRejected(wrong, StoreVerification.run(wrong.fixture(), verdict -> {}));
  }

  /** Faults that are about time, on a clock that runs as a server's does. */
  static List<WrongStore> wrongAboutTime() {
    Set<String> aboutTime = Set.of("L06", "L13", "L18", "L25", "L33");
    return wrongStores().stream().filter(wrong -> aboutTime.contains(wrong.rule())).toList();
  }

  @ParameterizedTest
  @MethodSource("wrongAboutTime")
  void inRealTimeItIsRejectedByTheSameRules(WrongStore wrong) {
    assertRejected(wrong, StoreVerification.run(wrong.fixtureInRealTime(), verdict -> {}));
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
