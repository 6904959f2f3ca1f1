package io.leasehold.cli.guard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;

/**
 * The private directory of one run, readable by its owner only: the two scripts, what they tell
 * each other, and the deadline that the command may read.
 */
final class RunDirectory implements AutoCloseable {

  private static final String GUARD = "guard.sh";
  private static final String START = "start.sh";
  private static final String DEADLINE = "deadline";

  private final Path path;

  private RunDirectory(Path path) {
    this.path = path;
  }

  static RunDirectory create() throws IOException {
    Optional<Path> runtime =
        Optional.ofNullable(System.getenv("XDG_RUNTIME_DIR"))
            .filter(text -> !text.isEmpty())
            .map(Path::of)
            .filter(Files::isWritable);
    Path made =
        runtime.isPresent()
            ? Files.createTempDirectory(runtime.get(), "leasehold-")
            : Files.createTempDirectory("leasehold-");
    RunDirectory directory = new RunDirectory(made);
    directory.copy(GUARD);
    directory.copy(START);
    return directory;
  }

  private void copy(String script) throws IOException {
    try (InputStream in = RunDirectory.class.getResourceAsStream(script)) {
      if (in == null) {
        throw new IOException("the script " + script + " is missing from the class path");
      }
      Files.copy(in, path.resolve(script));
    }
  }

  Path path() {
    return path;
  }

  String guardScript() {
    return path.resolve(GUARD).toString();
  }

  String startScript() {
    return path.resolve(START).toString();
  }

  /** The file of {@code LEASEHOLD_DEADLINE}. */
  Path deadline() {
    return path.resolve(DEADLINE);
  }

  /** Whether the guard has ended the run. */
  boolean isClosed() {
    return Files.exists(path.resolve("closed"));
  }

  /** Replaces the file as a whole, so that a reader sees the old deadline or the new one. */
  void writeDeadline(long epochMillis) throws IOException {
    Path fresh = path.resolve("deadline.new");
    Files.writeString(fresh, epochMillis + "\n");
    Files.move(fresh, deadline(), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void close() {
    try {
      for (String name : List.of("session", "closed", DEADLINE, "deadline.new", GUARD, START)) {
        Files.deleteIfExists(path.resolve(name));
      }
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + path, e);
    }
  }
}
