package io.leasehold.cli;

import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a command once, under a lease: like flock, for any number of hosts. */
@Command(
    name = "run",
    header = "Run a command under a lease: acquire, run, release.",
    description = {
      "",
      "Waits until the name is free, runs the command, and gives the name back. The command finds"
          + " LEASEHOLD_NAME, LEASEHOLD_OWNER and LEASEHOLD_TOKEN in its environment, and in"
          + " LEASEHOLD_DEADLINE the path of a file with the time, in milliseconds since 1970, when"
          + " it must be gone unless the file then says a later one.",
      "",
      "When the lease is lost, the command gets TERM, and KILL before another may start; so it does"
          + " when leasehold is killed or stopped. Signals are passed on."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  leasehold run --name nightly -- ./backup.sh",
      "  leasehold run --name nightly --no-wait --at-least 1m -- ./report.sh   # a cron job on each host",
      "  leasehold run --name deploy --wait 5m --ttl 1m -- make deploy",
      "",
      "Exit codes: the command's; 2 bad usage, 69 no answer from the store, 75 the name is taken,",
      "76 the lease was lost while the command ran, 126/127 the command cannot be run."
    })
final class RunCommand implements Callable<Integer> {

  /** How long to wait. */
  static final class Patience {
    @Option(
        names = "--wait",
        paramLabel = "TIME",
        converter = TimeSpan.class,
        description = "Wait at most so long; then exit 75. Default: for ever.")
    @Nullable Duration wait;

    @Option(
        names = "--no-wait",
        description = "Do not wait: exit 75 at once when the name is taken.")
    boolean noWait;
  }

  @Option(
      names = {"-n", "--name"},
      required = true,
      paramLabel = "NAME",
      converter = Names.class,
      description = "The name to lease.")
  LeaseName name = LeaseName.of("unset");

  @ArgGroup @Nullable Patience patience;

  @Option(
      names = "--at-least",
      paramLabel = "TIME",
      defaultValue = "0s",
      converter = TimeSpan.class,
      description = {
        "Keep the name taken at least so long from the start, so that another host whose clock is"
            + " behind does not run it again."
      })
  Duration atLeast = Duration.ZERO;

  @Mixin LeaseTimes times = new LeaseTimes();
  @Mixin StoreOptions store = new StoreOptions();

  @Parameters(
      arity = "1..*",
      paramLabel = "COMMAND",
      description = "The program and its arguments, after --.")
  List<String> command = List.of();

  @Override
  public Integer call() throws InterruptedException {
    Candidate candidate = new Candidate(name, command, times, true, Console.system());
    try (LeaseStore opened = store.open()) {
      return candidate.campaign(opened, wait(patience), atLeast);
    }
  }

  private static Optional<Duration> wait(@Nullable Patience patience) {
    if (patience == null) {
      return Optional.empty();
    }
    return patience.noWait ? Optional.of(Duration.ZERO) : Optional.ofNullable(patience.wait);
  }
}
