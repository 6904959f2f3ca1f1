package io.leasehold.cli;

import io.leasehold.LeaseStoreException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** The entry of the command line. */
public final class Main {

  /** The command that only has others. */
  @Command(
      name = "leasehold",
      header = "Named leases with fencing tokens, over the database you already run.",
      synopsisSubcommandLabel = "COMMAND",
      mixinStandardHelpOptions = true,
      version = "leasehold 0.1.0-SNAPSHOT",
      footerHeading = "%nExamples:%n",
      footer = {
        "  leasehold run --name nightly -- ./backup.sh",
        "  leasehold lead --name scheduler -- ./scheduler",
        "  leasehold list",
        "",
        "`leasehold COMMAND --help` says more."
      })
  static final class Root implements Runnable {
    @CommandLine.Spec CommandLine.Model.@org.jspecify.annotations.Nullable CommandSpec spec;

    @Override
    public void run() {
      throw new Refusal(
          ExitCodes.USAGE, "which command? one of " + String.join(", ", COMMANDS.keySet()));
    }
  }

  private static final Map<String, Supplier<Object>> COMMANDS = new LinkedHashMap<>();

  static {
    COMMANDS.put("run", RunCommand::new);
    COMMANDS.put("lead", LeadCommand::new);
    COMMANDS.put("status", StatusCommand::new);
    COMMANDS.put("list", ListCommand::new);
    COMMANDS.put("release", ReleaseCommand::new);
    COMMANDS.put("watch", WatchCommand::new);
    COMMANDS.put("reclaim", ReclaimCommand::new);
    COMMANDS.put("verify", VerifyCommand::new);
    COMMANDS.put("doctor", DoctorCommand::new);
  }

  private Main() {}

  /**
   * Runs one call and exits with its code.
   *
   * @param arguments the command line
   */
  public static void main(String[] arguments) {
    int code = call(arguments);
    System.out.flush();
    System.exit(code);
  }

  static int call(String... arguments) {
    System.setProperty("picocli.ansi", "false");
    if (System.getProperty("org.slf4j.simpleLogger.defaultLogLevel") == null) {
      System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
    }
    return commandLine(arguments)
        .setExitCodeExceptionMapper(Main::codeOf)
        .setExecutionExceptionHandler((failure, line, parsed) -> failed(failure))
        .setParameterExceptionHandler(
            (failure, given) -> {
              Console.system().say(sentence(failure));
              return ExitCodes.USAGE;
            })
        .execute(arguments);
  }

  /**
   * Reading the annotations of a command takes longer than a call to a store. So only the command
   * that is asked for is added, where one is.
   */
  private static CommandLine commandLine(String... arguments) {
    CommandLine root = new CommandLine(new Root());
    Supplier<Object> only = arguments.length == 0 ? null : COMMANDS.get(arguments[0]);
    if (only != null) {
      root.addSubcommand(arguments[0], only.get());
    } else {
      COMMANDS.forEach((name, command) -> root.addSubcommand(name, command.get()));
    }
    root.getSubcommands()
        .values()
        .forEach(
            command -> {
              String name = command.getCommandName();
              // What stands behind the program of run and lead is the program's.
              command.setStopAtPositional(name.equals("run") || name.equals("lead"));
            });
    return root;
  }

  private static String sentence(ParameterException failure) {
    String path = failure.getCommandLine().getCommandSpec().qualifiedName();
    return Failures.line(failure) + " (see " + path + " --help)";
  }

  private static int codeOf(Throwable failure) {
    return failure instanceof Refusal refusal ? refusal.code() : ExitCodes.FAILED;
  }

  private static int failed(Exception failure) {
    Console console = Console.system();
    if (failure instanceof Refusal refusal) {
      console.say(Failures.line(refusal));
      return refusal.code();
    }
    if (failure instanceof LeaseStoreException unanswered) {
      console.say(Failures.line(unanswered));
      return ExitCodes.UNAVAILABLE;
    }
    if (failure instanceof IllegalArgumentException unusable) {
      console.say(Failures.line(unusable));
      return ExitCodes.USAGE;
    }
    console.say(failure.getClass().getSimpleName() + ": " + Failures.line(failure));
    return ExitCodes.FAILED;
  }
}
