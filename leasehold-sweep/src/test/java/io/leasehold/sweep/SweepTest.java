package io.leasehold.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.election.Term;
import io.leasehold.sweep.FakeBacklog.Row;
import io.leasehold.sweep.PassReport.Depth;
import io.leasehold.sweep.PassReport.End;
import io.leasehold.sweep.SweepHandler.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class SweepTest {

  private static final Instant NOW = VirtualClock.START;

  private final VirtualClock clock = new VirtualClock();
  private final FakeBacklog backlog = new FakeBacklog();
  private final FakeTerm term = new FakeTerm(clock);
  private final List<Row> handled = new ArrayList<>();
  private final Recorder news = new Recorder();
  private SweepHandler<Row> handler = (row, ignored) -> Outcome.SETTLED;

  /** Small pages, so that a handful of rows is many. */
  private SweepSettings settings =
      SweepSettings.builder().deepEvery(4).pageSize(3).maxPages(2).build();

  private static final class Recorder implements SweepListener<Row> {
    final List<PassReport> passes = new ArrayList<>();
    final List<Position> stalls = new ArrayList<>();
    final List<String> failures = new ArrayList<>();
    final List<String> lastChances = new ArrayList<>();
    final List<Duration> traversals = new ArrayList<>();

    @Override
    public void passed(PassReport report) {
      passes.add(report);
    }

    @Override
    public void stalled(Position before) {
      stalls.add(before);
    }

    @Override
    public void pageFailed(Position before, Exception failure) {
      failures.add("page: " + failure.getMessage());
    }

    @Override
    public void itemFailed(Row item, Exception failure) {
      failures.add(item.id() + ": " + failure.getMessage());
    }

    @Override
    public void lastChance(Row item) {
      lastChances.add(item.id());
    }

    @Override
    public void traversed(Duration took) {
      traversals.add(took);
    }

    List<Depth> depths() {
      return passes.stream().map(PassReport::depth).toList();
    }

    PassReport last() {
      return passes.get(passes.size() - 1);
    }
  }

  private SweepHandler<Row> recording() {
    return (row, t) -> {
      handled.add(row);
      return handler.handle(row, t);
    };
  }

  private SweepTerm<Row> sweeping() {
    return new SweepTerm<>(
        new SweepPlan<>(settings, backlog, recording(), new SafeListener<>(news)), clock, term);
  }

  /** One tick, and then the clock moves on by an interval. */
  private void tick(SweepTerm<Row> sweeping) throws InterruptedException {
    sweeping.tick();
    clock.advance(settings.interval());
  }

  private void ticks(SweepTerm<Row> sweeping, int times) throws InterruptedException {
    for (int i = 0; i < times; i++) {
      tick(sweeping);
    }
  }

  /** Rows one minute apart, the newest this old. */
  private void rows(int count, Duration newest) {
    for (int i = 0; i < count; i++) {
      backlog.add(NOW.minus(newest).minus(Duration.ofMinutes(i)), "r%03d".formatted(i));
    }
  }

  private List<String> handledIds() {
    return handled.stream().map(Row::id).toList();
  }

  @Nested
  class Windows {

    @Test
    void ofADeepPassReachFromTheHorizonToTheGraceAndHoldTheirOlderEnd() throws Exception {
      Row young = backlog.add(NOW.minus(settings.grace()), "young");
      Row newest = backlog.add(NOW.minus(settings.grace()).minusMillis(1), "newest");
      Row oldest = backlog.add(NOW.minus(settings.horizon()), "oldest");
      Row gone = backlog.add(NOW.minus(settings.horizon()).minusMillis(1), "gone");

      tick(sweeping());

      assertThat(handled).containsExactly(newest, oldest).doesNotContain(young, gone);
    }

    @Test
    void ofAnOrdinaryPassReachFromTheLookbackToTheGrace() throws Exception {
      SweepTerm<Row> sweeping = sweeping();
      tick(sweeping);
      Instant now = clock.instant();
      backlog.add(now.minus(settings.grace()), "young");
      Row newest = backlog.add(now.minus(settings.grace()).minusMillis(1), "newest");
      Row oldest = backlog.add(now.minus(settings.lookback()), "oldest");
      backlog.add(now.minus(settings.lookback()).minusMillis(1), "old");

      tick(sweeping);

      assertThat(handled).containsExactly(newest, oldest);
    }
  }

  @Nested
  class Depths {

    @Test
    void theFirstPassOfEveryTermAndThenEveryNthGoesDeep() throws Exception {
      ticks(sweeping(), 9);
      ticks(sweeping(), 1);
      assertThat(news.depths())
          .containsExactly(
              Depth.DEEP,
              Depth.ORDINARY,
              Depth.ORDINARY,
              Depth.ORDINARY,
              Depth.DEEP,
              Depth.ORDINARY,
              Depth.ORDINARY,
              Depth.ORDINARY,
              Depth.DEEP,
              Depth.DEEP);
    }

    @Test
    void everyPassGoesDeepWhenToldSo() throws Exception {
      settings = SweepSettings.builder().deepEvery(1).build();
      ticks(sweeping(), 3);
      assertThat(news.depths()).containsOnly(Depth.DEEP);
    }
  }

  @Nested
  class Pages {

    @Test
    void ofOneInstantAreReadToTheLastItem() throws Exception {
      Set<String> ids = new LinkedHashSet<>();
      for (int i = 0; i < 5; i++) {
        ids.add(backlog.add(NOW.minus(Duration.ofHours(1)), "tie" + i).id());
      }
      tick(sweeping());
      assertThat(handledIds()).containsExactlyInAnyOrderElementsOf(ids);
      assertThat(news.last().end()).isEqualTo(End.COVERED);
    }

    @Test
    void thatAreExactlyFullAreFollowedByALookForMore() throws Exception {
      rows(3, Duration.ofHours(1));
      tick(sweeping());
      assertThat(backlog.queries).hasSize(2);
      assertThat(news.last().end()).isEqualTo(End.COVERED);
    }

    @Test
    void thatLeadNowhereAreReportedAndNotLoopedOn() throws Exception {
      rows(5, Duration.ofHours(1));
      backlog.ignoresThePosition = true;
      settings = SweepSettings.builder().deepEvery(4).pageSize(3).maxPages(10).build();
      SweepTerm<Row> sweeping = sweeping();

      tick(sweeping);

      assertThat(backlog.queries).hasSize(2);
      assertThat(news.stalls).hasSize(1);
      assertThat(news.last().end()).isEqualTo(End.STALLED);

      tick(sweeping);
      assertThat(news.depths()).as("no resume point").containsExactly(Depth.DEEP, Depth.ORDINARY);
    }

    @Test
    void thatGoInCirclesWithinOneInstantAreReportedAndNotLoopedOn() throws Exception {
      Instant at = NOW.minus(Duration.ofHours(1));
      List<Row> circle = List.of(new Row(at, "a"), new Row(at, "b"));
      Backlog<Row> circling =
          new Backlog<>() {
            private int next;

            @Override
            public List<Row> page(Instant since, Position before, int limit) {
              return List.of(circle.get(next++ % 2));
            }

            @Override
            public Position position(Row item) {
              return new Position(item.at(), item.id());
            }
          };
      settings = SweepSettings.builder().pageSize(1).maxPages(100).build();
      new SweepTerm<>(new SweepPlan<>(settings, circling, recording(), news), clock, term).tick();

      assertThat(handled).hasSize(3);
      assertThat(news.stalls).hasSize(1);
    }

    @Test
    void ofItemsOlderThanTheWindowEndThePass() throws Exception {
      List<Row> paused =
          List.of(
              new Row(NOW.minus(Duration.ofDays(20)), "c"),
              new Row(NOW.minus(Duration.ofDays(21)), "b"),
              new Row(NOW.minus(Duration.ofDays(22)), "a"));
      List<Position> asked = new ArrayList<>();
      Backlog<Row> withPaused =
          new Backlog<>() {
            @Override
            public List<Row> page(Instant since, Position before, int limit) {
              asked.add(before);
              return paused;
            }

            @Override
            public Position position(Row item) {
              return new Position(item.at(), item.id());
            }
          };
      new SweepTerm<>(new SweepPlan<>(settings, withPaused, recording(), news), clock, term).tick();

      assertThat(asked).hasSize(1);
      assertThat(handledIds()).containsExactly("c", "b", "a");
      assertThat(news.last().end()).isEqualTo(End.COVERED);
    }
  }

  @Nested
  class ATraversal {

    @Test
    void thatRanOutOfPagesGoesOnBesideTheOrdinaryPassOfEachTickAndAfterIt() throws Exception {
      rows(15, Duration.ofHours(2));
      SweepTerm<Row> sweeping = sweeping();

      tick(sweeping);
      assertThat(news.last().end()).isEqualTo(End.OUT_OF_PAGES);
      assertThat(handled).hasSize(6);
      Row fresh = backlog.add(clock.instant().minus(Duration.ofMinutes(4)), "fresh");
      tick(sweeping);

      assertThat(news.depths()).containsExactly(Depth.DEEP, Depth.ORDINARY, Depth.DEEP);
      assertThat(handled.get(6)).isEqualTo(fresh);
      assertThat(handled).hasSize(13);

      tick(sweeping);
      assertThat(handledIds()).contains("r014");
      assertThat(news.traversals).containsExactly(settings.interval().multipliedBy(2));
      tick(sweeping);
      assertThat(news.depths())
          .containsExactly(
              Depth.DEEP, Depth.ORDINARY, Depth.DEEP, Depth.ORDINARY, Depth.DEEP, Depth.ORDINARY);
    }

    @Test
    void offersEveryOldItemOnceHoweverManyPassesItTakes() throws Exception {
      rows(40, Duration.ofHours(2));
      ticks(sweeping(), 12);
      assertThat(handledIds().subList(0, 40)).doesNotHaveDuplicates().hasSize(40);
    }

    @Test
    void longerThanADeepPeriodIsNotStartedAnewBeforeItIsDone() throws Exception {
      rows(40, Duration.ofHours(2));
      ticks(sweeping(), 7);
      assertThat(news.traversals).hasSize(1);
      assertThat(news.passes.stream().filter(p -> p.depth() == Depth.DEEP))
          .allSatisfy(p -> assertThat(p.from().instant()).isBeforeOrEqualTo(NOW));
    }

    @Test
    void keepsTheGroundItCoveredWhenAPageFails() throws Exception {
      rows(9, Duration.ofHours(2));
      backlog.failOnly(1);
      SweepTerm<Row> sweeping = sweeping();

      tick(sweeping);

      assertThat(news.failures).containsExactly("page: the database is away");
      assertThat(news.last().end()).isEqualTo(End.PAGE_FAILED);
      assertThat(handledIds()).containsExactly("r000", "r001", "r002");

      tick(sweeping);
      assertThat(handledIds()).startsWith("r000", "r001", "r002", "r003", "r004", "r005", "r006");
      assertThat(handledIds()).doesNotHaveDuplicates();
    }

    @Test
    void thatGotNowhereOnceTriesAgainOnTheNextTick() throws Exception {
      rows(2, Duration.ofHours(2));
      backlog.failOnly(0);
      SweepTerm<Row> sweeping = sweeping();
      ticks(sweeping, 2);
      assertThat(handledIds()).containsExactly("r000", "r001");
    }

    @Test
    void thatGotNowhereTwiceWaitsForTheNextDeepPass() throws Exception {
      rows(2, Duration.ofHours(2));
      backlog.failFrom(0);
      SweepTerm<Row> sweeping = sweeping();
      ticks(sweeping, 2);
      backlog.recover();
      ticks(sweeping, 2);
      assertThat(handled).isEmpty();
      assertThat(news.depths())
          .containsExactly(Depth.DEEP, Depth.ORDINARY, Depth.DEEP, Depth.ORDINARY, Depth.ORDINARY);

      tick(sweeping);
      assertThat(handledIds()).containsExactly("r000", "r001");
    }

    @Test
    void isForgottenAtTheEndOfTheTerm() throws Exception {
      rows(15, Duration.ofHours(2));
      tick(sweeping());
      handled.clear();
      tick(sweeping());
      assertThat(handledIds()).startsWith("r000");
    }
  }

  @Nested
  class TheLastChance {

    /** Every fourth pass deep: the next visit is 4 min away, and a tick may be 1 min late. */
    private final Duration band = Duration.ofMinutes(5);

    @Test
    void isReportedForOpenItemsInTheBandBeforeTheHorizonAndForNoOthers() throws Exception {
      handler = (row, t) -> row.id().startsWith("open") ? Outcome.OPEN : Outcome.SETTLED;
      Instant horizon = NOW.minus(settings.horizon());
      backlog.add(horizon.plus(band), "open-just-outside");
      backlog.add(horizon.plus(band).minusMillis(1), "open-just-inside");
      backlog.add(horizon.plusMillis(1), "settled");

      tick(sweeping());

      assertThat(news.lastChances).containsExactly("open-just-inside");
    }

    @Test
    void isReportedOncePerTerm() throws Exception {
      settings = SweepSettings.builder().deepEvery(1).build();
      handler = (row, t) -> Outcome.OPEN;
      Row row = backlog.add(NOW.minus(settings.horizon()).plusSeconds(100), "open");
      SweepTerm<Row> sweeping = sweeping();
      ticks(sweeping, 2);
      assertThat(handled).containsExactly(row, row);
      assertThat(news.lastChances).containsExactly("open");

      backlog.remove(row);
      backlog.add(clock.instant().minus(settings.horizon()).plusSeconds(100), "open");
      ticks(sweeping(), 1);
      assertThat(news.lastChances).as("in the next term").containsExactly("open", "open");
    }

    @Test
    void isReportedForAnItemThatCouldNotBeLookedAt() throws Exception {
      handler =
          (row, t) -> {
            throw new IllegalStateException("forge away");
          };
      backlog.add(NOW.minus(settings.horizon()).plusSeconds(1), "failing");
      tick(sweeping());
      assertThat(news.failures).containsExactly("failing: forge away");
      assertThat(news.lastChances).containsExactly("failing");
    }

    @Test
    void hasABandAsWideAsATraversalReallyTakes() throws Exception {
      rows(40, Duration.ofHours(2));
      SweepTerm<Row> sweeping = sweeping();
      assertThat(sweeping.band(clock.instant())).isEqualTo(band);

      ticks(sweeping, 6);
      assertThat(sweeping.band(clock.instant()))
          .as("it widens while a traversal is under way")
          .isEqualTo(band.plusMinutes(6));

      tick(sweeping);
      assertThat(news.traversals).containsExactly(Duration.ofMinutes(6));
      assertThat(sweeping.band(clock.instant())).isEqualTo(band.plusMinutes(6));

      List.copyOf(handled).forEach(backlog::remove);
      ticks(sweeping, 2);
      assertThat(sweeping.band(clock.instant())).as("it shrinks again").isEqualTo(band);
    }

    @Test
    void missesNoItemThatLeavesTheHorizonWhateverItsAge() throws Exception {
      handler = (row, t) -> Outcome.OPEN;
      for (int i = 0; i < 200; i++) {
        backlog.add(
            NOW.minus(settings.horizon()).plus(Duration.ofMinutes(40 + i)), "r%03d".formatted(i));
      }
      // A traversal takes 33 ticks at first; what leaves before the first one is done is unseen.
      ticks(sweeping(), 260);
      assertThat(news.lastChances).doesNotHaveDuplicates().hasSize(200);
    }

    @Test
    void isNeverWiderThanHalfTheHorizon() throws Exception {
      settings =
          SweepSettings.builder()
              .horizon(Duration.ofHours(2))
              .deepEvery(59)
              .pageSize(1)
              .maxPages(1)
              .build();
      for (int i = 0; i < 110; i++) {
        backlog.add(NOW.minus(Duration.ofMinutes(4)).minusSeconds(i), "r%03d".formatted(i));
      }
      SweepTerm<Row> sweeping = sweeping();
      ticks(sweeping, 20);
      assertThat(sweeping.band(clock.instant())).isEqualTo(Duration.ofHours(1));
    }
  }

  @Nested
  class TheEndOfTheTerm {

    @Test
    void stopsThePassWithinOneItem() throws Exception {
      rows(6, Duration.ofHours(2));
      handler =
          (row, t) -> {
            if (handled.size() == 2) {
              term.end();
            }
            return Outcome.SETTLED;
          };
      tick(sweeping());
      assertThat(handled).hasSize(2);
      assertThat(news.last().end()).isEqualTo(End.TERM_ENDED);
    }

    @Test
    void isNotReportedAsTheFailureOfTheItemOrPageItInterrupted() throws Exception {
      rows(6, Duration.ofHours(2));
      handler =
          (row, t) -> {
            term.end();
            throw new IllegalStateException("interrupted");
          };
      tick(sweeping());
      assertThat(handled).hasSize(1);
      assertThat(news.failures).isEmpty();
    }

    @Test
    void letsNoPassBegin() throws Exception {
      rows(6, Duration.ofHours(2));
      term.end();
      sweep(settings).run(term);
      assertThat(backlog.queries).isEmpty();
    }
  }

  private Sweep<Row> sweep(SweepSettings with) {
    return Sweep.builder("test", backlog, recording())
        .settings(with)
        .listener(news)
        .clock(clock)
        .build();
  }

  @Nested
  class TheRunner {

    @Test
    void runsTheFirstPassAtOnceAndThenOneAnInterval() throws Exception {
      sweep(settings).run(term.endAfterWaits(3));
      assertThat(news.passes).hasSize(3);
      assertThat(term.waits())
          .containsExactly(
              Duration.ZERO, settings.interval(), settings.interval(), settings.interval());
    }

    @Test
    void countsTheIntervalFromStartToStartAndDoesNotMakeUpForMissedPasses() throws Exception {
      backlog.add(NOW.minus(Duration.ofMinutes(30)), "slow");
      handler =
          (row, t) -> {
            clock.advance(Duration.ofSeconds(handled.size() == 1 ? 20 : 150));
            return Outcome.SETTLED;
          };
      sweep(settings).run(term.endAfterWaits(2));
      assertThat(term.waits().get(1)).isEqualTo(Duration.ofSeconds(40));
      assertThat(term.waits().get(2)).isNegative();
      assertThat(news.passes).hasSize(2);
    }

    @Test
    void waitsAnIntervalAtMostWhenTheClockIsSteppedBack() throws Exception {
      backlog.add(NOW.minus(Duration.ofMinutes(30)), "stepping");
      handler =
          (row, t) -> {
            clock.advance(Duration.ofHours(-5));
            return Outcome.SETTLED;
          };
      sweep(settings).run(term.endAfterWaits(1));
      assertThat(term.waits().get(1)).isEqualTo(settings.interval());
    }

    @Test
    void survivesAListenerThatThrows() throws Exception {
      rows(2, Duration.ofHours(2));
      Sweep.builder("test", backlog, recording())
          .settings(settings)
          .clock(clock)
          .listener(
              new SweepListener<>() {
                @Override
                public void passed(PassReport report) {
                  throw new IllegalStateException("broken listener");
                }
              })
          .build()
          .run(term.endAfterWaits(2));
      assertThat(handled).hasSize(2);
    }

    @Test
    void endsTheTermOnAnErrorOfTheHandler() {
      rows(2, Duration.ofHours(2));
      handler =
          (row, t) -> {
            throw new StackOverflowError();
          };
      assertThatThrownBy(() -> sweep(settings).run(term)).isInstanceOf(StackOverflowError.class);
    }

    @Test
    void givesTheHandlerTheTermAndSoItsToken() throws Exception {
      rows(1, Duration.ofHours(2));
      List<Term> terms = new ArrayList<>();
      handler =
          (row, t) -> {
            terms.add(t);
            return Outcome.SETTLED;
          };
      sweep(settings).run(term.endAfterWaits(1));
      assertThat(terms).containsExactly(term);
    }
  }
}
