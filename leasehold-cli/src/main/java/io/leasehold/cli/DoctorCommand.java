package io.leasehold.cli;

import io.leasehold.spi.Finding;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Says what the store will and will not hold to. */
@Command(
    name = "doctor",
    header = "Say what the store will and will not hold to, and what to do about it.",
    description = {
      "",
      "Looks at the server, its clock, its rights and its settings. Changes nothing."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  leasehold doctor",
      "  leasehold doctor --store redis://cache/0 --json",
      "",
      "Exit codes: 0 nothing fails, 1 something does, 2 bad usage."
    })
final class DoctorCommand implements Callable<Integer> {

  @Option(names = "--json", description = "One JSON object a line.")
  boolean json;

  @Mixin StoreOptions store = new StoreOptions();

  @Override
  public Integer call() {
    Console console = Console.system();
    List<Finding> findings = store.examine();
    for (Finding finding : findings) {
      console.out().println(json ? jsonOf(finding) : lineOf(finding));
    }
    boolean fails = findings.stream().anyMatch(each -> each.level() == Finding.Level.FAIL);
    return fails ? ExitCodes.NO : ExitCodes.OK;
  }

  private static String lineOf(Finding finding) {
    String level =
        switch (finding.level()) {
          case OK -> "ok   ";
          case WARN -> "warn ";
          case FAIL -> "FAIL ";
        };
    String remedy = finding.remedy().map(text -> "; " + text).orElse("");
    return level + " " + finding.subject() + ": " + finding.text() + remedy;
  }

  private static String jsonOf(Finding finding) {
    Json line =
        new Json()
            .add("level", finding.level().name().toLowerCase(Locale.ROOT))
            .add("subject", finding.subject())
            .add("text", finding.text());
    finding.remedy().ifPresent(text -> line.add("remedy", text));
    return line.toString();
  }
}
