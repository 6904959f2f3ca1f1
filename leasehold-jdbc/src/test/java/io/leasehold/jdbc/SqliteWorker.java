package io.leasehold.jdbc;

import io.leasehold.AcquireAnswer;
import io.leasehold.LeaseName;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A process of its own for {@link SqliteProcessesTest}. It writes a line {@code name token} for
 * every grant it was answered, before it gives the lease back, and lets every exception end it.
 */
final class SqliteWorker {

  private static final Duration TTL = Duration.ofSeconds(60);

  private final JdbcLeaseStore store;
  private final String owner;

  private SqliteWorker(JdbcLeaseStore store, String owner) {
    this.store = store;
    this.owner = owner;
  }

  static Process start(Path output, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                SqliteWorker.class.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
        .redirectError(ProcessBuilder.Redirect.appendTo(new File(output + ".err")))
        .start();
  }

  /**
   * Runs a worker.
   *
   * @param arguments the file, the owner, {@code contend} or {@code alternate}, and the rounds
   */
  public static void main(String[] arguments) {
    int rounds = Integer.parseInt(arguments[3]);
    try (JdbcLeaseStore store = JdbcLeaseStore.embedded(Path.of(arguments[0]))) {
      SqliteWorker worker = new SqliteWorker(store, arguments[1]);
      if (arguments[2].equals("contend")) {
        worker.contend(rounds);
      } else {
        worker.alternate(rounds);
      }
    }
  }

  /** Takes and gives back four names, as often as it can get them. */
  private void contend(int rounds) {
    for (int granted = 0, i = 0; granted < rounds; i++) {
      if (takeAndGiveBack(LeaseName.of("name-" + Math.floorMod(i + owner.hashCode(), 4)), i)) {
        granted++;
      }
    }
  }

  /** Takes the name whenever the other had it last. */
  private void alternate(int rounds) {
    LeaseName name = LeaseName.of("ball");
    for (int granted = 0, i = 0; granted < rounds; ) {
      var last = store.inspect(name.value(), Page.first(1)).leases();
      boolean mine = !last.isEmpty() && last.get(0).owner().equals(owner);
      if (!mine && takeAndGiveBack(name, i++)) {
        granted++;
      } else {
        // Sleeping, not spinning: on a busy machine a spinner uses up the turns of the other.
        LockSupport.parkNanos(100_000);
      }
    }
  }

  private boolean takeAndGiveBack(LeaseName name, int round) {
    String attempt = owner + "-" + ProcessHandle.current().pid() + "-" + round;
    if (!(store.acquire(name, owner, attempt, TTL) instanceof AcquireAnswer.Granted granted)) {
      return false;
    }
    System.out.println(name + " " + granted.lease().token());
    ReleaseAnswer answer = store.release(granted.lease(), Duration.ZERO);
    if (answer != ReleaseAnswer.RELEASED) {
      throw new IllegalStateException(name + " was " + answer + " under its live holder");
    }
    return true;
  }
}
