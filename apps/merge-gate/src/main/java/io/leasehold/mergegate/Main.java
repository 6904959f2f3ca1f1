package io.leasehold.mergegate;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;

/** The command line of the merge gate. */
public final class Main {

  private static final String USAGE =
      """
      leasehold-merge-gate: no required check blocks a pull request for ever because its run died

        serve FILE    runs one replica, configured by FILE; run three for safety
        demo          shows it: a fake forge, 40 pull requests, three replicas, killed runs
        bill          compares what one replica, ten, and ten elected send to the forge (4 minutes)
      """;

  private Main() {}

  /**
   * Runs a command.
   *
   * @param args the command and its arguments
   * @throws Exception if it fails
   */
  public static void main(String[] args) throws Exception {
    System.exit(run(args));
  }

  private static int run(String[] args) throws Exception {
    String command = args.length == 0 ? "" : args[0];
    switch (command) {
      case "serve" -> {
        return args.length == 2 ? serve(Path.of(args[1])) : misused("serve takes one file");
      }
      case "demo" -> {
        return new Demo(System.out).run() ? 0 : 1;
      }
      case "bill" -> {
        return BillOfHours.compare(System.out) ? 0 : 1;
      }
      default -> {
        return misused(command.isEmpty() ? "a command is missing" : "no command " + command);
      }
    }
  }

  private static int serve(Path file) throws IOException, SQLException, InterruptedException {
    Config config;
    try {
      config = Config.read(file);
    } catch (IllegalArgumentException e) {
      return misused(file + ": " + e.getMessage());
    }
    CountDownLatch stopped = new CountDownLatch(1);
    MergeGate gate = MergeGate.open(config, MergeGate.Wiring.ofDefaults());
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  gate.close();
                  stopped.countDown();
                },
                "leasehold-merge-gate-stop"));
    stopped.await();
    return 0;
  }

  private static int misused(String why) {
    System.err.println(why);
    System.err.println();
    System.err.print(USAGE);
    return 2;
  }
}
