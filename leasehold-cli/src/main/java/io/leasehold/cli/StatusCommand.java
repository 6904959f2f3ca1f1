package io.leasehold.cli;

import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseView;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says who holds a name. */
@Command(
    name = "status",
    header = "Say who holds a name.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  leasehold status nightly",
      "  leasehold status nightly --json",
      "  leasehold status scheduler >/dev/null || alert 'nobody leads'",
      "",
      "Exit codes: 0 somebody holds it, 1 nobody does, 2 bad usage, 69 no answer from the store."
    })
final class StatusCommand implements Callable<Integer> {

  @Parameters(paramLabel = "NAME", converter = Names.class, description = "The name.")
  LeaseName name = LeaseName.of("unset");

  @Option(names = "--json", description = "One JSON object on one line.")
  boolean json;

  @Mixin StoreOptions store = new StoreOptions();

  @Override
  public Integer call() {
    Console console = Console.system();
    try (LeaseStore opened = store.open()) {
      Optional<LeaseView> found = Records.find(opened, name);
      if (json) {
        console
            .out()
            .println(
                found
                    .map(Json::of)
                    .orElseGet(() -> new Json().add("name", name.value()).add("state", "unknown")));
      } else {
        console.out().println(found.map(Records::line).orElse(name + "  free, no record of it"));
      }
      return found.filter(LeaseView::isLive).isPresent() ? ExitCodes.OK : ExitCodes.NO;
    }
  }
}
