package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.LeaseView;
import io.leasehold.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes, not threads, on one SQLite file. */
class SqliteProcessesTest {

  @TempDir private Path directory;
  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void endThem() {
    started.forEach(Process::destroyForcibly);
  }

  private Process start(Path output, String owner, String what, int rounds) throws IOException {
    Process process =
        SqliteWorker.start(
            output,
            directory.resolve("leases.db").toString(),
            owner,
            what,
            Integer.toString(rounds));
    started.add(process);
    return process;
  }

  @Test
  void eightProcessesLoseNothingAndSeeNoBusyErrorWhileSomeAreKilled() throws Exception {
    Path output = directory.resolve("grants");
    Files.createFile(output);
    int rounds = 500;
    List<Process> workers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      workers.add(start(output, "worker-" + i, "contend", rounds));
    }
    // Killed in the middle of their work; what they hold then stays taken for the rest of the test,
    // so not more of them than leave a name to the others.
    int killed = 2;
    for (int i = 0; i < killed; i++) {
      int enough = 400 * (i + 1);
      await().atMost(Duration.ofSeconds(60)).until(() -> lines(output).size() > enough);
      workers.get(i).destroyForcibly().waitFor();
    }
    for (Process worker : workers.subList(killed, 8)) {
      assertThat(worker.waitFor(120, TimeUnit.SECONDS)).isTrue();
      assertThat(worker.exitValue()).as(() -> errors(output)).isZero();
    }
    assertThat(errors(output)).isEmpty();

    // A killed process may have cut its last line off, or been killed between grant and line.
    Map<String, List<Long>> answered = new TreeMap<>();
    for (String line : lines(output)) {
      answered
          .computeIfAbsent(line.substring(0, line.indexOf(' ')), name -> new ArrayList<>())
          .add(token(line));
    }
    long unanswered = 0;
    try (JdbcLeaseStore store = JdbcLeaseStore.embedded(directory.resolve("leases.db"))) {
      for (LeaseView record : store.inspect("", Page.first(10)).leases()) {
        List<Long> tokens = answered.getOrDefault(record.name().value(), List.of());
        long first = tokens.stream().mapToLong(Long::longValue).min().orElseThrow();
        assertThat(new HashSet<>(tokens)).as("no token is granted twice").hasSameSizeAs(tokens);
        assertThat(record.token().value())
            .as("no answered grant is taken back")
            .isGreaterThanOrEqualTo(tokens.stream().mapToLong(Long::longValue).max().orElseThrow());
        unanswered += record.token().value() - first + 1 - tokens.size();
      }
    }
    assertThat(unanswered).as("grants without an answer").isBetween(0L, (long) killed);
    assertThat(answered.values().stream().mapToInt(List::size).sum())
        .isGreaterThanOrEqualTo((8 - killed) * rounds);
  }

  @Test
  void tenThousandRoundsBetweenTwoProcessesGiveTenThousandGrowingTokens() throws Exception {
    Path ping = directory.resolve("ping");
    Path pong = directory.resolve("pong");
    int rounds = 5_000;
    List<Process> players =
        List.of(start(ping, "ping", "alternate", rounds), start(pong, "pong", "alternate", rounds));
    for (Process player : players) {
      assertThat(player.waitFor(300, TimeUnit.SECONDS)).isTrue();
      assertThat(player.exitValue()).as(() -> errors(ping) + errors(pong)).isZero();
    }
    List<Long> pings = tokens(ping);
    List<Long> pongs = tokens(pong);
    assertThat(pings).isSorted().hasSize(rounds);
    assertThat(pongs).isSorted().hasSize(rounds);
    long first = Math.min(pings.get(0), pongs.get(0));
    boolean pingBegan = pings.get(0) == first;
    for (int i = 0; i < rounds; i++) {
      assertThat((pingBegan ? pings : pongs).get(i)).isEqualTo(first + 2L * i);
      assertThat((pingBegan ? pongs : pings).get(i)).isEqualTo(first + 2L * i + 1);
    }
  }

  private static List<Long> tokens(Path output) throws IOException {
    return lines(output).stream().map(SqliteProcessesTest::token).toList();
  }

  private static Long token(String line) {
    return Long.valueOf(line.substring(line.indexOf(' ') + 1));
  }

  private static List<String> lines(Path output) throws IOException {
    try (Stream<String> lines = Files.lines(output)) {
      return lines.toList();
    }
  }

  private static String errors(Path output) {
    try {
      return Files.readString(Path.of(output + ".err"));
    } catch (IOException e) {
      return e.toString();
    }
  }
}
