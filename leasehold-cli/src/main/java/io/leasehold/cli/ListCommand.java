package io.leasehold.cli;

import io.leasehold.LeaseStore;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists names that are taken. */
@Command(
    name = "list",
    header = "List the names that are taken, and by whom.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  leasehold list",
      "  leasehold list order/ --json",
      "  leasehold list --all      # also those that ended and were not reclaimed",
      "",
      "Exit codes: 0, 2 bad usage, 69 no answer from the store."
    })
final class ListCommand implements Callable<Integer> {

  @Parameters(
      arity = "0..1",
      paramLabel = "PREFIX",
      defaultValue = "",
      description = "What the names start with, byte for byte. Default: every name.")
  String prefix = "";

  @Option(
      names = {"-a", "--all"},
      description = "Also names whose lease has ended.")
  boolean all;

  @Option(names = "--json", description = "One JSON object a line.")
  boolean json;

  @Mixin StoreOptions store = new StoreOptions();

  @Override
  public Integer call() {
    Console console = Console.system();
    try (LeaseStore opened = store.open()) {
      Records.sorted(opened, prefix, all)
          .values()
          .forEach(view -> console.out().println(json ? Json.of(view) : Records.line(view)));
    }
    return ExitCodes.OK;
  }
}
