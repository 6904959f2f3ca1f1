package io.leasehold.cli;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A call of the command line: a JVM of its own, which leads a process group of its own as it does
 * when a shell starts it.
 */
final class Leasehold implements AutoCloseable {

  /** For a machine on which everything else builds at the same time. */
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Process process;
  private final Path out;
  private final Path err;

  private Leasehold(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  static Leasehold start(Path directory, String... arguments) throws IOException {
    return start(directory, Map.of(), arguments);
  }

  static Leasehold start(Path directory, Map<String, String> environment, String... arguments)
      throws IOException {
    Path out = Files.createTempFile(directory, "out", ".txt");
    Path err = Files.createTempFile(directory, "err", ".txt");
    List<String> line = new ArrayList<>();
    line.addAll(
        List.of(
            "setsid",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xshare:auto",
            "-cp",
            System.getProperty("java.class.path"),
            "io.leasehold.cli.Main"));
    line.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().put("LEASEHOLD_STORE", "sqlite:" + directory.resolve("leases.db"));
    builder.environment().putAll(environment);
    return new Leasehold(builder.start(), out, err);
  }

  /** Runs a call to its end. */
  static Leasehold call(Path directory, String... arguments)
      throws IOException, InterruptedException {
    Leasehold call = start(directory, arguments);
    call.exitCode();
    return call;
  }

  int exitCode() throws InterruptedException {
    if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("leasehold has not ended within " + PATIENCE);
    }
    return process.exitValue();
  }

  String out() throws IOException {
    return Files.readString(out);
  }

  String err() throws IOException {
    return Files.readString(err);
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Signals the JVM alone. */
  void signal(String signal) throws IOException, InterruptedException {
    kill(signal, Long.toString(pid()));
  }

  /** Signals the JVM's whole process group, as a terminal or an operator does. */
  void signalGroup(String signal) throws IOException, InterruptedException {
    kill(signal, "-" + pid());
  }

  static void kill(String signal, String target) throws IOException, InterruptedException {
    new ProcessBuilder("sh", "-c", "kill -s " + signal + " -- " + target)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  /** The processes that have a text in their environment, which is how a command is marked. */
  static List<Long> marked(String mark) throws IOException {
    List<Long> found = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path each : processes) {
        try {
          if (Files.readString(
                  each.resolve("environ"), java.nio.charset.StandardCharsets.ISO_8859_1)
              .contains(mark)) {
            found.add(Long.valueOf(each.getFileName().toString()));
          }
        } catch (IOException e) {
          found.remove(
              Long.valueOf(each.getFileName().toString())); // ended, or dead and not yet seen
        }
      }
    }
    return found;
  }

  /** Waits for a file's text, written whole by one echo. */
  static String text(Path file) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> Files.exists(file) && Files.readString(file).endsWith("\n"));
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() throws InterruptedException {
    try {
      signalGroup("CONT");
      signalGroup("KILL");
    } catch (IOException e) {
      process.destroyForcibly();
    }
    process.waitFor();
  }
}
