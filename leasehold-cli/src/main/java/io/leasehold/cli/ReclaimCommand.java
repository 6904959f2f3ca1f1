package io.leasehold.cli;

import io.leasehold.LeaseStore;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Deletes records that ended long ago. */
@Command(
    name = "reclaim",
    header = "Delete the records of leases that ended long ago.",
    description = {
      "",
      "Tokens of reclaimed names still grow: a new record starts from the store's clock."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  leasehold reclaim",
      "  leasehold reclaim --ended-for 1h --json",
      "",
      "Exit codes: 0, 2 bad usage, 69 no answer from the store."
    })
final class ReclaimCommand implements Callable<Integer> {

  @Option(
      names = "--ended-for",
      paramLabel = "TIME",
      defaultValue = "7d",
      converter = TimeSpan.class,
      description = "How long ago they ended at least. Default: ${DEFAULT-VALUE}.")
  Duration endedFor = Duration.ofDays(7);

  @Option(names = "--json", description = "One JSON object on one line.")
  boolean json;

  @Mixin StoreOptions store = new StoreOptions();

  @Override
  public Integer call() {
    Console console = Console.system();
    try (LeaseStore opened = store.open()) {
      long count = opened.reclaim(endedFor);
      console
          .out()
          .println(
              json
                  ? new Json().add("reclaimed", count).toString()
                  : count + (count == 1 ? " record" : " records") + " reclaimed");
    }
    return ExitCodes.OK;
  }
}
