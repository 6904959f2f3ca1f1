package io.leasehold.mergegate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.http.RequestMeter;
import io.leasehold.mergegate.FakeForge.Fault;
import io.leasehold.sweep.Position;
import io.leasehold.sweep.SweepHandler.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a dead run owes, against a forge over real HTTP. */
class ReconcilerTest {

  private static final String REPOSITORY = "octo/widgets";
  private static final String CONTEXT = "ci/gate";
  private static final String HEAD = "a".repeat(40);
  private static final String MOVED = "b".repeat(40);
  private static final String RUN_URL = "https://runs.test/1";

  private final MovableClock clock = new MovableClock();
  private final RequestMeter meter = RequestMeter.builder("forge").clock(clock).build();
  private final HeldTerm term = new HeldTerm(100);
  private final HikariDataSource database = new HikariDataSource();
  private final FakeForge forge;
  private final ForgeClient client;

  ReconcilerTest(@TempDir Path directory) throws IOException {
    database.setJdbcUrl("jdbc:sqlite:" + directory.resolve("gate.db"));
    database.setMaximumPoolSize(1);
    forge = new FakeForge(clock, 200, Duration.ofHours(1));
    client =
        new ForgeClient(
            forge.url(), meter, clock, new ForgeClient.Options("merge-gate", true, true));
  }

  @BeforeEach
  void anOpenPullRequestWaits() {
    forge.state().put(REPOSITORY, new ForgeState.Pull(7, true, false, HEAD));
    post("pending", RUN_URL);
  }

  @AfterEach
  void close() {
    client.close();
    forge.close();
    database.close();
  }

  private GatingRuns runs() throws SQLException {
    return new GatingRuns(database, clock);
  }

  private GatingRun run(String id) {
    return new GatingRun(
        id,
        REPOSITORY,
        7,
        HEAD,
        CONTEXT,
        RUN_URL,
        GatingRun.State.DEAD,
        "worker killed",
        clock.instant().minusSeconds(60));
  }

  private void post(String state, String url) {
    forge
        .state()
        .post(
            REPOSITORY,
            HEAD,
            new ForgeState.Status(state, CONTEXT, "", url, "runner", clock.instant()));
  }

  private Outcome repair(GatingRun run) throws Exception {
    GatingRuns runs = runs();
    runs.died(run);
    return reconciler(runs).handle(run, term);
  }

  private Reconciler reconciler(GatingRuns runs) {
    return new Reconciler(runs, new Forge(client, Credentials.token("secret")), clock);
  }

  private List<ForgeState.Status> failures() {
    return forge.state().posted(REPOSITORY, HEAD).stream()
        .filter(s -> s.state().equals("failure"))
        .toList();
  }

  private List<GatingRun> open() throws SQLException {
    return runs().page(Instant.EPOCH, Position.before(clock.instant().plusSeconds(1)), 10);
  }

  @Test
  void aDeadRunIsToldOfOnceWithItsReasonItsPageAndWhatToDo() throws Exception {
    assertThat(repair(run("1"))).isEqualTo(Outcome.SETTLED);

    assertThat(failures())
        .singleElement()
        .satisfies(
            status -> {
              assertThat(status.context()).isEqualTo(CONTEXT);
              assertThat(status.url()).isEqualTo(RUN_URL);
              assertThat(status.description())
                  .isEqualTo("worker killed. No verdict was given; run it again.");
            });
    assertThat(open()).isEmpty();
    assertThat(meter.snapshot().requests()).isEqualTo(forge.total().received());
    assertThat(meter.snapshot().counts())
        .allSatisfy(c -> assertThat(c.series().lane()).isEqualTo("merge-gate-sweeper"));
  }

  @Test
  void aSecondLookAtTheSameDeathWritesNothingMore() throws Exception {
    GatingRun run = run("1");
    repair(run);
    assertThat(reconciler(runs()).handle(run, term)).isEqualTo(Outcome.SETTLED);
    assertThat(failures()).hasSize(1);
  }

  @Test
  void anAnswerThatWasLostIsNotRepeatedButRead() throws Exception {
    forge.plan("POST /repos/" + REPOSITORY + "/statuses", Fault.ANSWER_LOST);
    GatingRun run = run("1");

    assertThatThrownBy(() -> repair(run)).isInstanceOf(ForgeException.class);
    assertThat(failures()).hasSize(1);
    assertThat(open()).as("left alone until it can have shown").isEmpty();

    clock.advance(Duration.ofMinutes(3));
    assertThat(open()).hasSize(1);
    assertThat(reconciler(runs()).handle(run, term)).isEqualTo(Outcome.SETTLED);
    assertThat(failures()).hasSize(1);
  }

  @Test
  void aDroppedPostIsNotResentByTheClient() throws Exception {
    forge.plan("POST /repos/" + REPOSITORY + "/statuses", Fault.DROPPED);
    assertThatThrownBy(() -> repair(run("1"))).isInstanceOf(ForgeException.class);
    assertThat(failures()).isEmpty();
    assertThat(meter.snapshot().requests()).isEqualTo(forge.total().received()).isEqualTo(4);
  }

  @Test
  void aDroppedGetIsRepeatedOnceVisibly() throws Exception {
    forge.plan("GET /repos/" + REPOSITORY + "/pulls", Fault.DROPPED);
    assertThat(repair(run("1"))).isEqualTo(Outcome.SETTLED);
    assertThat(failures()).hasSize(1);
    assertThat(meter.snapshot().requests()).isEqualTo(forge.total().received()).isEqualTo(5);
  }

  @Nested
  class NothingIsWritten {

    @Test
    void onAMergedPullRequest() throws Exception {
      forge.state().put(REPOSITORY, new ForgeState.Pull(7, false, true, HEAD));
      assertThat(repair(run("1"))).isEqualTo(Outcome.SETTLED);
      assertThat(failures()).isEmpty();
    }

    @Test
    void onAClosedPullRequestButItIsLookedAtAgainLater() throws Exception {
      forge.state().put(REPOSITORY, new ForgeState.Pull(7, false, false, HEAD));
      GatingRun run = run("1");
      repair(run);
      assertThat(failures()).isEmpty();
      assertThat(open()).isEmpty();

      forge.state().put(REPOSITORY, new ForgeState.Pull(7, true, false, HEAD));
      clock.advance(Duration.ofHours(6));
      assertThat(open()).hasSize(1);
      reconciler(runs()).handle(run, term);
      assertThat(failures()).hasSize(1);
    }

    @Test
    void onAHeadThatMoved() throws Exception {
      forge.state().put(REPOSITORY, new ForgeState.Pull(7, true, false, MOVED));
      repair(run("1"));
      assertThat(failures()).isEmpty();
      assertThat(forge.state().posted(REPOSITORY, MOVED)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"success", "failure", "error"})
    void overAVerdict(String verdict) throws Exception {
      post(verdict, "https://runs.test/other");
      int before = failures().size();
      assertThat(repair(run("1"))).isEqualTo(Outcome.SETTLED);
      assertThat(failures()).hasSize(before);
    }

    @Test
    void overTheVerdictOfACheckRun() throws Exception {
      forge.state().put(REPOSITORY, HEAD, new ForgeState.Check(5, "completed", "success"));
      assertThat(repair(run("1"))).isEqualTo(Outcome.SETTLED);
      assertThat(failures()).isEmpty();
    }

    @Test
    void whileAnotherRunIsAtItOnTheForge() throws Exception {
      post("pending", "https://runs.test/other");
      assertThat(repair(run("1"))).isEqualTo(Outcome.OPEN);
      assertThat(failures()).isEmpty();
    }

    @Test
    void whileAnotherCheckRunIsAtIt() throws Exception {
      forge.state().put(REPOSITORY, HEAD, new ForgeState.Check(5, "in_progress", ""));
      assertThat(repair(run("1"))).isEqualTo(Outcome.OPEN);
      assertThat(failures()).isEmpty();
    }

    @Test
    void whileAnotherRunIsAtItInTheTableAndThenTheForgeIsNotEvenAsked() throws Exception {
      GatingRun other = run("2");
      runs()
          .started(
              new GatingRun(
                  other.id(),
                  other.repository(),
                  other.pull(),
                  other.head(),
                  other.context(),
                  "https://runs.test/2",
                  GatingRun.State.RUNNING,
                  "",
                  clock.instant().plus(Duration.ofHours(6))));
      assertThat(repair(run("1"))).isEqualTo(Outcome.OPEN);
      assertThat(forge.total().received()).isZero();
    }

    @Test
    void onAPullRequestThatIsGone() throws Exception {
      GatingRun run =
          new GatingRun(
              "1",
              REPOSITORY,
              999,
              HEAD,
              CONTEXT,
              RUN_URL,
              GatingRun.State.DEAD,
              "killed",
              clock.instant());
      assertThat(repair(run)).isEqualTo(Outcome.SETTLED);
      assertThat(failures()).isEmpty();
    }

    @Test
    void onceTheTermHasEnded() throws Exception {
      term.end();
      assertThat(repair(run("1"))).isEqualTo(Outcome.OPEN);
      assertThat(failures()).isEmpty();
    }

    @Test
    void byATermThatALaterOneHasSuperseded() throws Exception {
      GatingRun run = run("1");
      runs().died(run);
      assertThat(runs().claim("1", new HeldTerm(101).token())).isTrue();
      assertThat(repair(run)).isEqualTo(Outcome.OPEN);
      assertThat(failures()).isEmpty();
    }

    @Test
    void aThousandAndFirstTimeAndNotEveryMinuteEither() throws Exception {
      for (int i = 0; i < 999; i++) {
        post("pending", RUN_URL);
      }
      GatingRun run = run("1");
      assertThatThrownBy(() -> repair(run)).isInstanceOf(ForgeException.Refused.class);
      assertThat(open()).isEmpty();
    }
  }

  @Test
  void aCheckRunThatDiedIsNoVerdict() throws Exception {
    forge.state().put(REPOSITORY, HEAD, new ForgeState.Check(5, "completed", "cancelled"));
    assertThat(repair(run("1"))).isEqualTo(Outcome.SETTLED);
    assertThat(failures()).hasSize(1);
  }

  @Test
  void aRunWhosePullRequestIsUnknownIsFoundByItsHead() throws Exception {
    GatingRun run =
        new GatingRun(
            "1",
            REPOSITORY,
            0,
            HEAD,
            CONTEXT,
            RUN_URL,
            GatingRun.State.DEAD,
            "killed",
            clock.instant());
    assertThat(repair(run)).isEqualTo(Outcome.SETTLED);
    assertThat(failures()).hasSize(1);
  }

  @Test
  void aRenamedRepositoryIsFollowedForReadingAndForWriting() throws Exception {
    forge.state().rename("octo/old", REPOSITORY);
    GatingRun run =
        new GatingRun(
            "1",
            "octo/old",
            7,
            HEAD,
            CONTEXT,
            RUN_URL,
            GatingRun.State.DEAD,
            "killed",
            clock.instant());
    assertThat(repair(run)).isEqualTo(Outcome.SETTLED);
    assertThat(failures()).hasSize(1);
    assertThat(meter.snapshot().requests()).isEqualTo(forge.total().received());
  }

  @Test
  void anOverdueRunIsToldOfAsNotHeardFrom() throws Exception {
    GatingRun overdue =
        new GatingRun(
            "1",
            REPOSITORY,
            7,
            HEAD,
            CONTEXT,
            RUN_URL,
            GatingRun.State.RUNNING,
            "",
            clock.instant().minusSeconds(1));
    runs().started(overdue);
    assertThat(open()).hasSize(1);
    reconciler(runs()).handle(open().get(0), term);
    assertThat(failures().get(0).description()).startsWith("not heard from in time");
  }

  @Test
  void anUnchangedBacklogCostsNoBudget() throws Exception {
    post("pending", "https://runs.test/other");
    GatingRun run = run("1");
    repair(run);
    long charged = forge.total().charged();
    assertThat(charged).isEqualTo(2);
    for (int i = 0; i < 20; i++) {
      reconciler(runs()).handle(run, term);
    }
    assertThat(forge.total().charged()).isEqualTo(charged);
    assertThat(meter.snapshot().answers(304)).isEqualTo(40);
  }

  @Nested
  class TheForgeAsks {

    @ParameterizedTest
    @ValueSource(ints = {403, 429, 503})
    void forAPauseAndGetsIt(int status) throws Exception {
      forge.plan("GET /repos/" + REPOSITORY, Fault.answer(status, "Retry-After", "30"));
      GatingRun run = run("1");
      assertThat(repair(run)).isEqualTo(Outcome.OPEN);
      long received = forge.total().received();

      clock.advance(Duration.ofSeconds(29));
      assertThat(reconciler(runs()).handle(run, term)).isEqualTo(Outcome.OPEN);
      assertThat(forge.total().received()).isEqualTo(received);

      clock.advance(Duration.ofSeconds(1));
      assertThat(reconciler(runs()).handle(run, term)).isEqualTo(Outcome.SETTLED);
      assertThat(failures()).hasSize(1);
    }

    @Test
    void nothingMoreOnceABudgetIsNearlyGone() throws Exception {
      ForgeClient plain =
          new ForgeClient(
              forge.url(), meter, clock, new ForgeClient.Options("other", false, false));
      for (int i = 0; i < 190; i++) {
        assertThat(plain.get("Bearer secret", "repos/" + REPOSITORY + "/pulls/7")).isPresent();
      }
      plain.close();
      assertThat(repair(run("1"))).isEqualTo(Outcome.OPEN);
      assertThat(forge.bill("merge-gate").received()).isZero();

      clock.advance(Duration.ofHours(1).plusSeconds(1));
      assertThat(reconciler(runs()).handle(run("1"), term)).isEqualTo(Outcome.SETTLED);
    }

    @Test
    void withAServerErrorForNothingAndTheRunStaysOpen() throws Exception {
      forge.plan("GET /repos/" + REPOSITORY, Fault.answer(502));
      assertThatThrownBy(() -> repair(run("1")))
          .isInstanceOf(ForgeException.class)
          .hasMessageContaining("502");
      assertThat(open()).hasSize(1);
    }

    @Test
    void toBeLeftAloneByWhoIsNotAllowedToWrite() throws Exception {
      forge.plan("POST /repos/" + REPOSITORY + "/statuses", Fault.answer(403));
      assertThatThrownBy(() -> repair(run("1"))).isInstanceOf(ForgeException.Refused.class);
      assertThat(open()).as("not again every minute").isEmpty();
    }
  }

  @Test
  void aLongReasonIsCutBetweenCharacters() {
    String description = Forge.description("🔥".repeat(200));
    assertThat(description.codePointCount(0, description.length())).isEqualTo(140);
    assertThat(description).endsWith("…. No verdict was given; run it again.");
    assertThat(description).doesNotContain("\ud83d…");
  }
}
