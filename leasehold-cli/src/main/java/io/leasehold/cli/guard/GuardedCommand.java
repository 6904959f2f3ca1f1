package io.leasehold.cli.guard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A command that runs in a session of its own under a guard outside this JVM. Whoever started it
 * moves the deadline; when this JVM dies, or stops moving it, the guard kills the whole session, at
 * the last deadline it was given at the latest.
 *
 * <p>Thread-safe: signals may be sent from anywhere; the rest is one thread's.
 */
public final class GuardedCommand implements AutoCloseable {

  /**
   * How long before a deadline the guard is told to act: a shell's start, and 10 ms of rounding.
   */
  private static final long SAFETY_CENTIS = 1;

  private final RunDirectory directory;
  private final Guard guard;
  private final Process process;
  private final Session session;
  private final InstantSource clock;

  private GuardedCommand(
      RunDirectory directory, Guard guard, Process process, InstantSource clock) {
    this.directory = directory;
    this.guard = guard;
    this.process = process;
    this.session = new Session(process.pid());
    this.clock = clock;
  }

  /**
   * What this machine lacks to guard a command.
   *
   * @return one line, or nothing if it lacks nothing
   */
  public static Optional<String> lack() {
    if (!BootClock.exists()) {
      return Optional.of("run and lead need Linux: there is no /proc/uptime here");
    }
    if (find("setsid").isEmpty()) {
      return Optional.of("run and lead need the program setsid (package util-linux) on the PATH");
    }
    return Optional.empty();
  }

  /**
   * Finds a program as a shell does.
   *
   * @param program its path, or its name to be looked up on the PATH
   * @return where it is, if it can be run
   */
  public static Optional<Path> find(String program) {
    if (program.contains("/")) {
      return Optional.of(Path.of(program)).filter(GuardedCommand::isProgram);
    }
    String path = System.getenv().getOrDefault("PATH", "/usr/local/bin:/usr/bin:/bin");
    for (String directory : path.split(":", -1)) {
      Path candidate = Path.of(directory.isEmpty() ? "." : directory, program);
      if (isProgram(candidate)) {
        return Optional.of(candidate);
      }
    }
    return Optional.empty();
  }

  private static boolean isProgram(Path path) {
    return Files.isRegularFile(path) && Files.isExecutable(path);
  }

  /**
   * Starts a guard and then the command. Input, output and errors are this JVM's.
   *
   * @param command the program and its arguments
   * @param environment what to add to the environment; {@code LEASEHOLD_DEADLINE} is added besides
   * @param grace how long after TERM the guard kills, if this JVM dies
   * @param left how long until the command must be gone, unless it is moved
   * @param clock the wall clock of the deadline that the command reads
   * @return the running command
   * @throws IOException if it cannot be started; then nothing runs
   */
  public static GuardedCommand start(
      List<String> command,
      Map<String, String> environment,
      Duration grace,
      Supplier<Duration> left,
      InstantSource clock)
      throws IOException {
    long boot = BootClock.now();
    long wall = clock.millis();
    Duration rest = left.get();
    RunDirectory directory = RunDirectory.create();
    try {
      Guard guard = Guard.start(directory, grace);
      try {
        guard.until(deadline(boot, rest));
        directory.writeDeadline(wall + rest.toMillis());
        List<String> line = new ArrayList<>();
        line.addAll(List.of("setsid", "sh", directory.startScript(), directory.path().toString()));
        line.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(line).inheritIO();
        builder.environment().putAll(environment);
        builder.environment().put("LEASEHOLD_DEADLINE", directory.deadline().toString());
        return new GuardedCommand(directory, guard, builder.start(), clock);
      } catch (IOException e) {
        guard.close();
        throw e;
      }
    } catch (IOException e) {
      directory.close();
      throw e;
    }
  }

  private static long deadline(long now, Duration left) {
    return now + left.toMillis() / 10 - SAFETY_CENTIS;
  }

  /**
   * Moves the deadline.
   *
   * @param left how long until the command must be gone, unless it is moved again
   * @throws IOException if the guard cannot be told
   */
  public void extend(Supplier<Duration> left) throws IOException {
    // The clocks first: if this thread is held up in between, the deadline comes out too early.
    long boot = BootClock.now();
    long wall = clock.millis();
    Duration rest = left.get();
    guard.until(deadline(boot, rest));
    directory.writeDeadline(wall + rest.toMillis());
  }

  /**
   * Whether the guard does its duty.
   *
   * @return whether it is alive
   */
  public boolean isGuarded() {
    return guard.isAlive();
  }

  /**
   * Whether the guard has ended the command at its deadline.
   *
   * @return whether it has
   */
  public boolean wasClosed() {
    return directory.isClosed();
  }

  /**
   * Waits for the command's own process.
   *
   * @param patience at most how long
   * @return its exit code, if it has ended; 128 and the signal's number if a signal ended it
   * @throws InterruptedException if interrupted
   */
  public Optional<Integer> await(Duration patience) throws InterruptedException {
    return process.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS)
        ? Optional.of(process.exitValue())
        : Optional.empty();
  }

  /**
   * Sends a signal to all of the command's session.
   *
   * @param signal its name without SIG
   * @throws IOException if no process can be started for it
   * @throws InterruptedException if interrupted
   */
  public void send(String signal) throws IOException, InterruptedException {
    session.send(signal, process.isAlive() ? List.of(process.pid()) : List.of());
  }

  /**
   * Ends all of the session: TERM, and KILL to whatever is left then.
   *
   * @param patience how long from TERM to KILL
   * @throws IOException if the processes cannot be looked at
   * @throws InterruptedException if interrupted; then something may be left
   */
  public void end(Duration patience) throws IOException, InterruptedException {
    if (awaitGone(Duration.ZERO)) {
      return;
    }
    if (!patience.isZero()) {
      send("TERM");
      send("CONT"); // a stopped process does not see TERM
      if (awaitGone(patience)) {
        return;
      }
    }
    do {
      send("KILL");
    } while (!awaitGone(Duration.ofMillis(100)));
  }

  /** The command's own process counts from its start, before it has made its session. */
  private boolean awaitGone(Duration patience) throws IOException, InterruptedException {
    return session.awaitGone(patience, () -> !process.isAlive());
  }

  /**
   * Lets the guard go and removes the run's directory. The session must be gone.
   *
   * @throws IOException if the directory cannot be removed
   */
  @Override
  public void close() throws IOException {
    try {
      guard.close();
    } finally {
      directory.close();
    }
  }
}
