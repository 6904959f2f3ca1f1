package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code leasehold run}: one command under one lease. */
final class RunTest {

  @TempDir Path directory;

  @Test
  void theCommandsExitCodeIsPassedOn() throws Exception {
    Leasehold run = Leasehold.call(directory, "run", "-n", "job", "--", "sh", "-c", "exit 42");

    assertThat(run.exitCode()).isEqualTo(42);
    assertThat(run.err()).as("quiet in a pipe").isEmpty();
  }

  @Test
  void theCommandFindsItsLeaseInTheEnvironment() throws Exception {
    String script =
        "echo $LEASEHOLD_NAME $LEASEHOLD_OWNER $LEASEHOLD_TOKEN $(cat $LEASEHOLD_DEADLINE)"
            + " $(date +%s%3N)";
    Leasehold run =
        Leasehold.call(directory, "run", "-n", "job", "--ttl", "30s", "--", "sh", "-c", script);

    String[] words = run.out().strip().split(" ", -1);
    assertThat(words).hasSize(5);
    assertThat(words[0]).isEqualTo("job");
    assertThat(words[1]).isNotEmpty();
    assertThat(Long.parseLong(words[2])).isPositive();
    // Five sixths of 30 s, from when the acquire was sent; the rest is this machine's slowness.
    assertThat(Long.parseLong(words[3]) - Long.parseLong(words[4])).isBetween(5_000L, 25_000L);
  }

  @Test
  void theDeadlineMovesWhileTheLeaseIsRenewed() throws Exception {
    String script = "cat $LEASEHOLD_DEADLINE; sleep 4; cat $LEASEHOLD_DEADLINE";
    Leasehold run =
        Leasehold.call(directory, "run", "-n", "job", "--ttl", "6s", "--", "sh", "-c", script);

    String[] deadlines = run.out().strip().split("\n", -1);
    assertThat(Long.parseLong(deadlines[1])).isGreaterThan(Long.parseLong(deadlines[0]));
  }

  @Test
  void aSecondRunWaitsItsTurnAndHasAGreaterToken() throws Exception {
    Path started = directory.resolve("started");
    String first = "echo $LEASEHOLD_TOKEN; echo x > " + started + "; sleep 2; date +%s%N";
    try (Leasehold one = Leasehold.start(directory, "run", "-n", "job", "--", "sh", "-c", first)) {
      Leasehold.text(started);
      Leasehold two =
          Leasehold.call(
              directory, "run", "-n", "job", "--", "sh", "-c", "date +%s%N; echo $LEASEHOLD_TOKEN");

      assertThat(one.exitCode()).isZero();
      String[] before = one.out().strip().split("\n", -1);
      String[] after = two.out().strip().split("\n", -1);
      assertThat(Long.parseLong(after[0])).isGreaterThan(Long.parseLong(before[1]));
      assertThat(Long.parseLong(after[1])).isGreaterThan(Long.parseLong(before[0]));
    }
  }

  @Test
  void aNameThatIsTakenIsExit75WithoutAWaitAndAfterIt() throws Exception {
    Path started = directory.resolve("started");
    try (Leasehold holder =
        Leasehold.start(
            directory, "run", "-n", "job", "--", "sh", "-c", "echo x >" + started + "; sleep 60")) {
      Leasehold.text(started);

      Leasehold refused = Leasehold.call(directory, "run", "-n", "job", "--no-wait", "--", "true");
      assertThat(refused.exitCode()).isEqualTo(75);
      assertThat(refused.err()).contains("job is taken").hasLineCount(1);
      Leasehold waited =
          Leasehold.call(directory, "run", "-n", "job", "--wait", "300ms", "--", "true");
      assertThat(waited.exitCode()).isEqualTo(75);
      assertThat(holder.isAlive()).isTrue();
    }
  }

  @Test
  void atLeastKeepsTheNameTakenAfterAShortCommand() throws Exception {
    Leasehold.call(directory, "run", "-n", "job", "--at-least", "1h", "--", "true");

    Leasehold status = Leasehold.call(directory, "status", "job", "--json");
    assertThat(status.out()).contains("\"state\":\"lingering\"");
    assertThat(status.exitCode()).isEqualTo(1);
  }

  @Test
  void aForcedReleaseStopsTheCommandAndIsExit76BeforeTheNameIsFree() throws Exception {
    Path started = directory.resolve("started");
    try (Leasehold holder =
        Leasehold.start(
            directory,
            Map.of("MARK", "forced-" + directory),
            "run",
            "-n",
            "job",
            "--ttl",
            "6s",
            "--",
            "sh",
            "-c",
            "echo x >" + started + "; sleep 60")) {
      Leasehold.text(started);
      Leasehold release = Leasehold.call(directory, "release", "job", "--force");
      assertThat(release.exitCode()).isZero();
      assertThat(release.out()).contains("free in ");

      assertThat(holder.exitCode()).isEqualTo(76);
      assertThat(holder.err()).contains("FORCED");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TERM", "HUP", "KILL"})
  void aSignalToTheWrapperLeavesNothingOfAChildThatForksTwice(String signal) throws Exception {
    String mark = "MARK=fork-" + signal + "-" + directory;
    Path ready = directory.resolve("ready");
    // The grandchild ignores what it can; its parents are gone when the signal comes.
    String grandchild =
        "trap '' TERM HUP INT QUIT; echo x >" + ready + "; while :; do sleep 1; done";
    String command = "( (" + grandchild + ") & ) & wait; sleep 60";
    try (Leasehold run =
        Leasehold.start(
            directory,
            Map.of("MARK", mark.substring(5)),
            "run",
            "-n",
            "job",
            "--ttl",
            "6s",
            "--kill-after",
            "1s",
            "--",
            "sh",
            "-c",
            command)) {
      Leasehold.text(ready);
      run.signal(signal);

      await()
          .atMost(Duration.ofSeconds(6).plus(Leasehold.PATIENCE))
          .until(() -> Leasehold.marked(mark).isEmpty());
      Leasehold next = Leasehold.call(directory, "run", "-n", "job", "--wait", "30s", "--", "true");
      assertThat(next.exitCode()).as("the name is free within the TTL").isZero();
    }
  }

  @Test
  void aCommandMayTakeItsTimeAfterASignalAndItsCodeCounts() throws Exception {
    Path ready = directory.resolve("ready");
    String command =
        "trap 'sleep 1; exit 7' TERM; echo x >" + ready + "; while :; do sleep 0.1; done";
    try (Leasehold run =
        Leasehold.start(directory, "run", "-n", "job", "--", "sh", "-c", command)) {
      Leasehold.text(ready);
      run.signal("TERM");

      assertThat(run.exitCode()).isEqualTo(7);
    }
  }

  @Test
  void whatTheCommandLeavesBehindIsEndedBeforeTheNameIsFree() throws Exception {
    String mark = "MARK=left-" + directory;
    try (Leasehold run =
        Leasehold.start(
            directory,
            Map.of("MARK", mark.substring(5)),
            "run",
            "-n",
            "job",
            "--",
            "sh",
            "-c",
            "sleep 300 & exit 0")) {
      assertThat(run.exitCode()).isZero();
      assertThat(Leasehold.marked(mark)).isEmpty();
    }
  }

  @Test
  void nothingIsLeftInTheDirectoryOfRuns() throws Exception {
    Path runtime = Files.createDirectory(directory.resolve("runtime"));
    try (Leasehold run =
        Leasehold.start(
            directory,
            Map.of("XDG_RUNTIME_DIR", runtime.toString()),
            "run",
            "-n",
            "a",
            "--",
            "true")) {
      assertThat(run.exitCode()).isZero();
      assertThat(runtime).isEmptyDirectory();
    }
  }
}
