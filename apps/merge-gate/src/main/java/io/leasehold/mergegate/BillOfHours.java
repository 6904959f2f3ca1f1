package io.leasehold.mergegate;

import io.leasehold.LeaseStore;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.sweep.SweepSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The measured problem, end to end: ten replicas that each sweep, against a forge with an hourly
 * budget. An hour runs in a minute or so: passes come every second instead of every minute, and the
 * hour is over when the busiest replica has run sixty. So a slow machine makes it longer, not
 * cheaper.
 */
final class BillOfHours {

  private static final String REPOSITORY = "octo/widgets";
  private static final String CONTEXT = "ci/gate";

  /** One way to run it. */
  record Scenario(String name, int replicas, boolean elected, boolean etags) {}

  /** What it cost. Minutes are those of the hour that is played. */
  record Result(
      Scenario scenario,
      long sent,
      long largestSender,
      long charged,
      OptionalLong minutesToEmpty,
      int verdictsLost) {}

  private final int passes;
  private final int backlog;
  private final int deaths;
  private final long budget;

  /** {@code backlog} open runs are looked at by each pass; {@code deaths} happen meanwhile. */
  BillOfHours(int passes, int backlog, int deaths, long budget) {
    this.passes = passes;
    this.backlog = backlog;
    this.deaths = deaths;
    this.budget = budget;
  }

  static boolean compare(PrintStream out) throws IOException, SQLException, InterruptedException {
    BillOfHours hour = new BillOfHours(60, 15, 12, 12_000);
    out.println(
        "Each line takes a minute: it stands for an hour with a budget of 12,000 requests.");
    out.println();
    out.printf(
        "%-34s %10s %14s %10s %14s %9s%n",
        "", "sent/h", "per replica", "charged/h", "budget gone", "lost");
    Result one = hour.print(out, new Scenario("one replica", 1, true, false));
    hour.print(out, new Scenario("ten replicas, each sweeping", 10, false, false));
    Result elected = hour.print(out, new Scenario("ten replicas, elected", 10, true, false));
    Result cheap = hour.print(out, new Scenario("ten replicas, elected, ETags", 10, true, true));
    double ratio = (double) elected.sent() / one.sent();
    double share = (double) cheap.charged() / elected.charged();
    out.printf(
        "%nTen elected replicas send %.3f times what one sends (bar: 1.05).%n"
            + "With ETags %.3f of that is charged (bar: 0.100).%n",
        ratio, share);
    return ratio <= 1.05 && share <= 0.1 && cheap.verdictsLost() == 0;
  }

  private Result print(PrintStream out, Scenario scenario)
      throws IOException, SQLException, InterruptedException {
    Result result = play(scenario);
    out.printf(
        "%-34s %10d %14d %10d %14s %9d%n",
        scenario.name(),
        result.sent(),
        result.largestSender(),
        result.charged(),
        result.minutesToEmpty().isPresent()
            ? "after " + result.minutesToEmpty().getAsLong() + " min"
            : "no",
        result.verdictsLost());
    return result;
  }

  Result play(Scenario scenario) throws IOException, SQLException, InterruptedException {
    Path directory = Files.createTempDirectory("merge-gate-bill");
    List<MergeGate> replicas = new ArrayList<>();
    try (FakeForge forge = new FakeForge(InstantSource.system(), budget, Duration.ofDays(1));
        MemoryLeaseStore shared = new MemoryLeaseStore(InstantSource.system())) {
      for (int n = 1; n <= backlog + deaths; n++) {
        forge.state().put(REPOSITORY, new ForgeState.Pull(n, true, false, head(n)));
        // Somebody else is at it, so that the run stays open: the backlog does not change.
        String by = n <= backlog ? "https://runs.test/somebody-else" : runUrl(n);
        forge
            .state()
            .post(
                REPOSITORY,
                head(n),
                new ForgeState.Status("pending", CONTEXT, "", by, "runner", Instant.now()));
      }
      for (int i = 1; i <= scenario.replicas(); i++) {
        // A store of its own elects every replica: that is how it was before.
        LeaseStore leases =
            scenario.elected() ? shared : new MemoryLeaseStore(InstantSource.system());
        replicas.add(replica(forge, directory.resolve("bill.db"), i, scenario, leases));
      }
      for (int n = 1; n <= backlog; n++) {
        replicas.get(0).runs().died(run(n));
      }
      OptionalLong empty = live(forge, replicas);
      // The elected one last, or its end would elect another.
      replicas.stream().filter(r -> !r.isElected()).forEach(MergeGate::close);
      replicas.forEach(MergeGate::close);
      return result(scenario, forge, empty);
    } finally {
      replicas.forEach(MergeGate::close);
      delete(directory);
    }
  }

  /** Lets the hour pass, with its deaths; the minute in which the budget was found empty. */
  private OptionalLong live(FakeForge forge, List<MergeGate> replicas)
      throws SQLException, InterruptedException {
    OptionalLong empty = OptionalLong.empty();
    int dead = 0;
    for (long minute = 0; minute < passes; minute = minute(replicas)) {
      // The last one early enough to be told of before the hour is over.
      if (dead < deaths && minute * 10 * deaths >= passes * 9L * dead) {
        dead++;
        replicas.get(0).runs().died(run(backlog + dead));
      }
      if (empty.isEmpty() && forge.total().charged() >= budget) {
        empty = OptionalLong.of(minute * 60 / passes);
      }
      Thread.sleep(10);
    }
    return empty;
  }

  private static long minute(List<MergeGate> replicas) {
    return replicas.stream().mapToLong(MergeGate::passes).max().orElse(0);
  }

  private Result result(Scenario scenario, FakeForge forge, OptionalLong empty) {
    long largest = 0;
    for (int i = 1; i <= scenario.replicas(); i++) {
      largest = Math.max(largest, forge.bill(agent(i)).received());
    }
    int lost = 0;
    for (int n = backlog + 1; n <= backlog + deaths; n++) {
      if (forge.state().latest(REPOSITORY, head(n)).stream()
          .noneMatch(s -> s.state().equals("failure"))) {
        lost++;
      }
    }
    FakeForge.Bill total = forge.total();
    return new Result(scenario, total.received(), largest, total.charged(), empty, lost);
  }

  private static MergeGate replica(
      FakeForge forge, Path database, int number, Scenario scenario, LeaseStore leases)
      throws IOException, SQLException {
    Config config =
        new Config(
            "jdbc:sqlite:" + database,
            forge.url(),
            Optional.of("shared"),
            Optional.empty(),
            Optional.empty(),
            "127.0.0.1",
            0,
            Optional.empty(),
            Optional.empty(),
            Set.of(),
            Map.of(),
            Duration.ofHours(6),
            Duration.ofSeconds(30),
            SweepSettings.builder().interval(Duration.ofSeconds(1)).grace(Duration.ZERO).build());
    return MergeGate.open(
        config,
        new MergeGate.Wiring(
            "replica-" + number,
            new ForgeClient.Options(agent(number), scenario.etags(), false),
            Optional.of(leases)));
  }

  private static GatingRun run(int n) {
    return new GatingRun(
        "run-" + n,
        REPOSITORY,
        n,
        head(n),
        CONTEXT,
        runUrl(n),
        GatingRun.State.DEAD,
        "killed",
        Instant.now());
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
