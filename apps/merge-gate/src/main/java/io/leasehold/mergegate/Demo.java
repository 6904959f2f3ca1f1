package io.leasehold.mergegate;

import io.leasehold.http.MeterSnapshot;
import io.leasehold.sweep.SweepSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The demonstration: a fake forge with 40 pull requests, three replicas over one database, runs
 * that are killed. It shows the stuck pull requests turn red within a minute, from one replica, and
 * what each replica sent.
 */
final class Demo {

  private static final int PULLS = 40;
  private static final int KILLED = 12;
  private static final int PASSED = 20;
  private static final String REPOSITORY = "octo/widgets";
  private static final String CONTEXT = "ci/gate";
  private static final Duration BOUND = Duration.ofMinutes(1);

  private final PrintStream out;
  private final HttpClient producer = HttpClient.newHttpClient();

  Demo(PrintStream out) {
    this.out = out;
  }

  /** Whether everything was as promised. */
  boolean run() throws IOException, SQLException, InterruptedException {
    Path directory = Files.createTempDirectory("merge-gate-demo");
    List<MergeGate> replicas = new ArrayList<>();
    try (FakeForge forge = new FakeForge()) {
      for (int i = 1; i <= 3; i++) {
        replicas.add(replica(forge, directory.resolve("demo.db"), i));
      }
      return show(forge, replicas);
    } finally {
      replicas.forEach(MergeGate::close);
      delete(directory);
    }
  }

  private boolean show(FakeForge forge, List<MergeGate> replicas)
      throws IOException, InterruptedException {
    out.printf("A forge at %s, and three replicas of the merge gate.%n", forge.url());
    for (int n = 1; n <= PULLS; n++) {
      forge.state().put(REPOSITORY, new ForgeState.Pull(n, true, false, head(n)));
      forge.state().post(REPOSITORY, head(n), status("pending", n));
      tell(replicas.get(n % 3), n, "running");
    }
    out.printf("%d pull requests wait for %s.%n", PULLS, CONTEXT);
    for (int n = KILLED + 1; n <= KILLED + PASSED; n++) {
      forge.state().post(REPOSITORY, head(n), status("success", n));
      tell(replicas.get(n % 3), n, "verdict");
    }
    out.printf("%d runs give their verdict.%n", PASSED);
    // One of the killed belongs to a pull request that is merged by hand, one to a moved head.
    forge.state().put(REPOSITORY, new ForgeState.Pull(1, false, true, head(1)));
    forge.state().put(REPOSITORY, new ForgeState.Pull(2, true, false, head(9_002)));
    for (int n = 1; n <= KILLED; n++) {
      tell(replicas.get(n % 3), n, "died");
    }
    Instant killed = Instant.now();
    out.printf(
        "%d runs are killed: #1 was merged meanwhile, #2 has a new head; %d are stuck.%n%n",
        KILLED, KILLED - 2);
    while (red(forge) < KILLED - 2 && Instant.now().isBefore(killed.plus(BOUND))) {
      Thread.sleep(100);
    }
    Duration took = Duration.between(killed, Instant.now());
    // Two more passes, to see that nothing is told twice.
    Thread.sleep(3_000);
    return report(forge, replicas, took);
  }

  private boolean report(FakeForge forge, List<MergeGate> replicas, Duration took) {
    Set<String> writers = new java.util.TreeSet<>();
    int posts = 0;
    for (int n = 1; n <= PULLS; n++) {
      for (ForgeState.Status status : forge.state().posted(REPOSITORY, head(n))) {
        if (status.state().equals("failure")) {
          posts++;
          writers.add(status.agent());
          out.printf("  #%-3d red   %s%n", n, status.description());
        }
      }
    }
    out.printf(
        "%n%d of %d stuck pull requests turned red in %.1f s, each told once, by %s.%n%n",
        red(forge), KILLED - 2, took.toMillis() / 1_000.0, String.join(" and ", writers));
    out.printf("%-28s %8s %8s %8s %12s%n", "replica", "sent", "received", "charged", "elected");
    for (int i = 0; i < replicas.size(); i++) {
      String agent = agent(i + 1);
      MeterSnapshot sent = replicas.get(i).meter().snapshot();
      FakeForge.Bill bill = forge.bill(agent);
      out.printf(
          "%-28s %8d %8d %8d %12s%n",
          agent,
          sent.requests(),
          bill.received(),
          bill.charged(),
          replicas.get(i).isElected() ? "yes" : "no");
    }
    return red(forge) == KILLED - 2 && posts == KILLED - 2 && writers.size() == 1;
  }

  private static long red(FakeForge forge) {
    return Stream.iterate(1, n -> n <= PULLS, n -> n + 1)
        .filter(
            n ->
                forge.state().latest(REPOSITORY, head(n)).stream()
                    .anyMatch(s -> s.state().equals("failure")))
        .count();
  }

  private static MergeGate replica(FakeForge forge, Path database, int number)
      throws IOException, SQLException {
    Config config =
        new Config(
            "jdbc:sqlite:" + database,
            forge.url(),
            Optional.of("demo"),
            Optional.empty(),
            Optional.empty(),
            "127.0.0.1",
            0,
            Optional.empty(),
            Optional.empty(),
            Set.of(CONTEXT),
            Map.of(),
            Duration.ofHours(6),
            Duration.ofSeconds(10),
            SweepSettings.builder().interval(Duration.ofSeconds(1)).grace(Duration.ZERO).build());
    return MergeGate.open(
        config,
        new MergeGate.Wiring(
            "replica-" + number,
            new ForgeClient.Options(agent(number), true, true),
            Optional.empty()));
  }

  /** What a run says of itself, over HTTP, to whichever replica the balancer picks. */
  private void tell(MergeGate replica, int n, String state)
      throws IOException, InterruptedException {
    String body =
        """
        {"id": "run-%d", "repository": "%s", "pull": %d, "head": "%s", "context": "%s",
         "url": "%s", "state": "%s", "reason": "worker-%d was killed (signal 9)"}"""
            .formatted(n, REPOSITORY, n, head(n), CONTEXT, runUrl(n), state, n % 5);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + replica.port() + "/runs"))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    int status = producer.send(request, BodyHandlers.discarding()).statusCode();
    if (status != 202) {
      throw new IOException("the replica answered " + status);
    }
  }

  private static ForgeState.Status status(String state, int n) {
    return new ForgeState.Status(state, CONTEXT, "", runUrl(n), "runner", Instant.now());
  }

  private static String runUrl(int n) {
    return "https://runs.test/run-" + n;
  }

  private static String agent(int number) {
    return "leasehold-merge-gate/replica-" + number;
  }

  private static String head(int n) {
    return "%040x".formatted(n);
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
