package io.leasehold.cli;

import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Keeps a command running on one of many hosts: a supervisor. */
@Command(
    name = "lead",
    header = "Keep a command running while elected; stand by while another host leads.",
    description = {
      "",
      "Campaigns for the name, runs the command while it holds it, stops the command when it loses"
          + " it, and campaigns again. When the command ends by itself, the name is given back, so"
          + " that another candidate may try; this one campaigns again after --retry. Ends by a"
          + " signal, with 0.",
      "",
      "Environment, signals and the stop are those of `leasehold run`."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  leasehold lead --name scheduler -- ./scheduler",
      "  leasehold lead --name feed --ttl 10s --grace 3s --store redis://cache -- ./poll-feed",
      "",
      "Exit codes: 0 stopped by a signal, 2 bad usage, 126/127 the command cannot be run."
    })
final class LeadCommand implements Callable<Integer> {

  @Option(
      names = {"-n", "--name"},
      required = true,
      paramLabel = "NAME",
      converter = Names.class,
      description = "The name to lease.")
  LeaseName name = LeaseName.of("unset");

  @Mixin LeaseTimes times = new LeaseTimes();
  @Mixin StoreOptions store = new StoreOptions();

  @Parameters(
      arity = "1..*",
      paramLabel = "COMMAND",
      description = "The program and its arguments, after --.")
  List<String> command = List.of();

  @Override
  public Integer call() throws InterruptedException {
    Candidate candidate = new Candidate(name, command, times, false, Console.system());
    try (LeaseStore opened = store.open()) {
      return candidate.campaign(opened, Optional.empty(), Duration.ZERO);
    }
  }
}
