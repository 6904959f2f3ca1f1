package io.leasehold.cli;

import io.leasehold.LeaseStore;
import io.leasehold.Page;
import io.leasehold.tck.RuleVerdict;
import io.leasehold.tck.RuleVerdict.Verdict;
import io.leasehold.tck.StoreVerification;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the conformance suite against the store. */
@Command(
    name = "verify",
    header = "Run the conformance suite against the store, and say what holds.",
    description = {
      "",
      "Uses names under a throw-away prefix and nothing else; may run against a store in use. The"
          + " records it leaves are ended; `leasehold reclaim` deletes them in time. SPEC.md says"
          + " under each rule's id what it demands."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  leasehold verify",
      "  leasehold verify --store postgresql://app@db/ops --json",
      "",
      "Exit codes: 0 every rule that could be tried holds, 1 one does not, 2 bad usage,",
      "69 no answer from the store."
    })
final class VerifyCommand implements Callable<Integer> {

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      defaultValue = "200ms",
      converter = TimeSpan.class,
      description = {
        "For how long leases are taken whose expiry is awaited; more for a store that is far away."
            + " Default: ${DEFAULT-VALUE}."
      })
  Duration ttl = Duration.ofMillis(200);

  @Option(names = "--json", description = "One JSON object a line.")
  boolean json;

  @Mixin StoreOptions store = new StoreOptions();

  private final Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);

  @Override
  public Integer call() {
    Console console = Console.system();
    VerifiedUrl verified = new VerifiedUrl(store.url(), ttl);
    try (LeaseStore opened = store.open()) {
      // One call that must be answered, before all of the rules fail for the same reason.
      opened.inspect(verified.prefix(), Page.first(1));
      verified.knowing(opened);
    }
    StoreVerification.run(verified, verdict -> show(console, verdict));
    int broken = counts.getOrDefault(Verdict.FAILED, 0);
    int held = counts.getOrDefault(Verdict.PASSED, 0);
    if (!json) {
      console
          .out()
          .println(
              held
                  + " hold, "
                  + broken
                  + " broken, "
                  + counts.getOrDefault(Verdict.NOT_CLAIMED, 0)
                  + " not shown");
    }
    return broken == 0 && held > 0 ? ExitCodes.OK : ExitCodes.NO;
  }

  private void show(Console console, RuleVerdict rule) {
    counts.merge(rule.verdict(), 1, Integer::sum);
    String word =
        switch (rule.verdict()) {
          case PASSED -> "holds";
          case FAILED -> "broken";
          case NOT_CLAIMED -> "not shown";
        };
    String reason = rule.message().replaceAll("\\s*\\R\\s*", " ").strip();
    if (json) {
      Json line = new Json().add("rule", rule.id()).add("title", rule.title()).add("verdict", word);
      console.out().println(reason.isEmpty() ? line : line.add("reason", reason));
    } else {
      String verdict = rule.verdict() == Verdict.FAILED ? word.toUpperCase(Locale.ROOT) : word;
      console
          .out()
          .println(
              String.format("%-9s  %s %s", verdict, rule.id(), rule.title())
                  + (reason.isEmpty() ? "" : ": " + reason));
    }
  }
}
