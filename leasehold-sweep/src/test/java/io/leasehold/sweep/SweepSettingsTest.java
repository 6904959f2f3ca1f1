package io.leasehold.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SweepSettingsTest {

  private static final Duration NANO = Duration.ofNanos(1);
  private static final Duration HORIZON = Duration.ofDays(8);

  private static Arguments row(String what, UnaryOperator<SweepSettings.Builder> change) {
    return Arguments.of(what, change);
  }

  @Test
  void theDefaultsAreThoseOfTheManual() {
    assertThat(SweepSettings.ofDefaults())
        .isEqualTo(
            new SweepSettings(
                Duration.ofMinutes(1),
                Duration.ofHours(1),
                HORIZON,
                Duration.ofMinutes(3),
                30,
                200,
                10));
  }

  static Stream<Arguments> justLegal() {
    return Stream.of(
        row("interval 1 s", b -> b.interval(Duration.ofSeconds(1))),
        row(
            "interval just below half the horizon",
            b ->
                b.horizon(Duration.ofHours(2))
                    .interval(Duration.ofHours(1).minus(NANO))
                    .lookback(Duration.ofHours(2).minus(NANO))
                    .deepEvery(1)),
        row(
            "lookback just above interval plus grace",
            b -> b.lookback(Duration.ofMinutes(4).plus(NANO))),
        row("lookback just below the horizon", b -> b.lookback(HORIZON.minus(NANO))),
        row("no grace", b -> b.grace(Duration.ZERO)),
        row("every pass deep", b -> b.deepEvery(1)),
        row("deepEvery just below half the horizon", b -> b.deepEvery(96 * 60 - 1)),
        row("the longest horizon", b -> b.horizon(Duration.ofDays(3_660))),
        row("pages of one", b -> b.pageSize(1).maxPages(1)),
        row("the largest pages", b -> b.pageSize(10_000).maxPages(10_000)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("justLegal")
  void settingsAtTheEdgeAreTaken(String what, UnaryOperator<SweepSettings.Builder> change) {
    assertThat(change.apply(SweepSettings.builder()).build()).isNotNull();
  }

  private static Arguments bad(String setting, UnaryOperator<SweepSettings.Builder> change) {
    return Arguments.of(setting, change);
  }

  static Stream<Arguments> justIllegal() {
    return Stream.of(
        bad("interval", b -> b.interval(Duration.ofSeconds(1).minus(NANO))),
        bad("interval", b -> b.interval(Duration.ZERO)),
        bad("interval", b -> b.interval(Duration.ofMinutes(-1))),
        bad(
            "interval",
            b ->
                b.horizon(Duration.ofHours(2))
                    .interval(Duration.ofHours(1))
                    .lookback(Duration.ofHours(2).minus(NANO))
                    .deepEvery(1)),
        bad("interval", b -> b.interval(Duration.ofSeconds(Long.MAX_VALUE))),
        bad("lookback", b -> b.lookback(Duration.ofMinutes(4))),
        bad("lookback", b -> b.lookback(Duration.ZERO)),
        bad("lookback", b -> b.lookback(HORIZON)),
        bad("grace", b -> b.grace(NANO.negated())),
        bad("grace", b -> b.grace(Duration.ofSeconds(Long.MAX_VALUE))),
        bad("deepEvery", b -> b.deepEvery(0)),
        bad("deepEvery", b -> b.deepEvery(-30)),
        bad("deepEvery", b -> b.deepEvery(96 * 60)),
        bad("deepEvery", b -> b.deepEvery(Integer.MAX_VALUE)),
        bad("horizon", b -> b.horizon(Duration.ZERO)),
        bad("horizon", b -> b.horizon(Duration.ofDays(3_660).plus(NANO))),
        bad("pageSize", b -> b.pageSize(0)),
        bad("pageSize", b -> b.pageSize(10_001)),
        bad("maxPages", b -> b.maxPages(0)),
        bad("maxPages", b -> b.maxPages(10_001)));
  }

  @ParameterizedTest(name = "{0} [{index}]")
  @MethodSource("justIllegal")
  void settingsBeyondTheEdgeAreRefusedByName(
      String setting, UnaryOperator<SweepSettings.Builder> change) {
    SweepSettings.Builder builder = change.apply(SweepSettings.builder());
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("sweep setting " + setting + " ");
  }
}
