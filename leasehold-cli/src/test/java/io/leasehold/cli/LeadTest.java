package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code leasehold lead}: three candidates on one store, and what becomes of the leader. */
final class LeadTest {

  private static final Duration TTL = Duration.ofSeconds(4);

  /** One start of the command, as it wrote it down itself. */
  private record Served(int candidate, long token, long atMillis) {}

  @TempDir Path directory;
  private final List<Leasehold> candidates = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    for (int i = 0; i < 3; i++) {
      candidates.add(
          Leasehold.start(
              directory,
              Map.of("CANDIDATE", i + "-of-" + directory),
              "lead",
              "--name",
              "leader",
              "--ttl",
              TTL.toMillis() + "ms",
              "--",
              "sh",
              "-c",
              "echo "
                  + i
                  + " $LEASEHOLD_TOKEN $(date +%s%3N) >> "
                  + directory.resolve("served")
                  + "; sleep 1000 & wait"));
    }
    awaitServed(1);
    // The other two must have begun to campaign, or their start-up would count as the hand-over.
    await()
        .atMost(Leasehold.PATIENCE)
        .until(() -> candidates.stream().allMatch(each -> threads(each) > 12));
  }

  /** A JVM that campaigns has more threads than one that is still starting. */
  private static int threads(Leasehold candidate) {
    try (var tasks = Files.list(Path.of("/proc", Long.toString(candidate.pid()), "task"))) {
      return (int) tasks.count();
    } catch (IOException e) {
      return 0;
    }
  }

  @AfterEach
  void stop() throws Exception {
    for (Leasehold each : candidates) {
      each.close();
    }
    for (int i = 0; i < candidates.size(); i++) {
      String mark = mark(i);
      await().atMost(Leasehold.PATIENCE).until(() -> Leasehold.marked(mark).isEmpty());
    }
  }

  @Test
  void afterAKillOfTheWholeGroupExactlyOneTakesOverWithinTheTtlAndASecond() throws Exception {
    Served first = awaitServed(1).get(0);
    long killed = System.currentTimeMillis();
    candidates.get(first.candidate()).signalGroup("KILL");

    Served second = awaitServed(2).get(1);
    // TTL + 1 s, and one more for starting a shell on a machine that builds at the same time.
    assertThat(second.atMillis() - killed).isLessThan(TTL.toMillis() + 2_000);
    assertThat(second.token()).isGreaterThan(first.token());
    String mark = mark(first.candidate());
    assertThat(Leasehold.marked(mark)).as("nothing of the killed leader is left").isEmpty();
    assertOnlyTheLastRuns(second);
  }

  @Test
  void afterACleanStopTheNextTakesOverWithinASecond() throws Exception {
    Served first = awaitServed(1).get(0);
    long stopped = System.currentTimeMillis();
    Leasehold leader = candidates.get(first.candidate());
    leader.signal("TERM");

    Served second = awaitServed(2).get(1);
    // 1 s, and one more for starting a shell on a machine that builds at the same time.
    assertThat(second.atMillis() - stopped).isLessThan(2_000);
    assertThat(leader.exitCode()).isZero();
    assertOnlyTheLastRuns(second);
  }

  @Test
  void whenOnlyTheJvmIsStoppedItsCommandIsGoneBeforeTheLeaseExpires() throws Exception {
    Served first = awaitServed(1).get(0);
    Leasehold leader = candidates.get(first.candidate());
    leader.signal("STOP");

    Served second = awaitServed(2).get(1);
    // The successor starts after the lease's expiry. A process that ended before is not there now.
    assertThat(commandOf(first.candidate())).isEmpty();
    assertThat(second.token()).isGreaterThan(first.token());
    leader.signal("CONT");
    assertOnlyTheLastRuns(second);
  }

  @Test
  void aGroupThatWasStoppedPastItsLeaseIsGoneWithinASecondOfGoingOn() throws Exception {
    Served first = awaitServed(1).get(0);
    Leasehold leader = candidates.get(first.candidate());
    leader.signalGroup("STOP");
    for (long pid : commandOf(first.candidate())) {
      Leasehold.kill("STOP", Long.toString(pid));
    }

    Served second = awaitServed(2).get(1);
    assertThat(second.token()).isGreaterThan(first.token());
    leader.signalGroup("CONT");
    await().atMost(Duration.ofSeconds(1)).until(() -> commandOf(first.candidate()).isEmpty());
    assertOnlyTheLastRuns(second);
  }

  private String mark(int candidate) {
    return "CANDIDATE=" + candidate + "-of-" + directory;
  }

  /** The processes of a candidate's command: those marked that also have a token. */
  private List<Long> commandOf(int candidate) throws IOException {
    List<Long> marked = Leasehold.marked(mark(candidate));
    marked.retainAll(Leasehold.marked("LEASEHOLD_TOKEN="));
    return marked;
  }

  private void assertOnlyTheLastRuns(Served last) throws IOException {
    for (int i = 0; i < candidates.size(); i++) {
      assertThat(commandOf(i).isEmpty()).as("candidate " + i).isEqualTo(i != last.candidate());
    }
  }

  private List<Served> awaitServed(int count) {
    Path file = directory.resolve("served");
    await()
        .atMost(Leasehold.PATIENCE)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> Files.exists(file) && Files.readAllLines(file).size() >= count);
    try {
      List<Served> served = new ArrayList<>();
      for (String line : Files.readAllLines(file)) {
        String[] words = line.split(" ", 3);
        served.add(
            new Served(
                Integer.parseInt(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2])));
      }
      return served;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
