package io.leasehold.jdbc;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * A real database server on a loopback port of its own, started from a Maven artifact. It can be
 * stopped, started again, and given a clock that steps. It ends with this JVM.
 */
abstract class ServerProcess implements AutoCloseable {

  final Path directory;
  final int port;
  private final Path log;
  private final Path clock;
  private boolean movableClock;
  private @Nullable Process process;

  ServerProcess(String kind) {
    try {
      // Short, and not below the build directory: a socket's path has at most 107 bytes.
      directory = Files.createTempDirectory("lh-" + kind);
      log = directory.resolve("server.log");
      clock = directory.resolve("clock");
      Files.writeString(clock, "+0\n");
      try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        port = socket.getLocalPort();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(this::close));
  }

  abstract List<String> command();

  abstract String url();

  abstract String cleanStop();

  /** Has the server read its clock from a file, so that {@link #stepClock} can move it. */
  final ServerProcess withMovableClock() {
    fakeTimeLibrary();
    movableClock = true;
    return this;
  }

  private static Path fakeTimeLibrary() {
    for (Path root : List.of(Path.of("/usr/lib"), Path.of("/usr/local/lib"), Path.of("/lib"))) {
      if (Files.isDirectory(root)) {
        try (Stream<Path> files =
            Files.find(root, 4, (path, is) -> path.endsWith("faketime/libfaketime.so.1"))) {
          Path found = files.findFirst().orElse(null);
          if (found != null) {
            return found;
          }
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    throw absent("libfaketime (Debian: faketime) is not installed");
  }

  /** Steps the server's clock, counted from the true time. */
  final void stepClock(Duration offset) throws IOException {
    Files.writeString(clock, String.format("%+d%n", offset.toSeconds()));
  }

  final ServerProcess start() {
    ProcessBuilder builder =
        new ProcessBuilder(asServerUser(command()))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().put("TZ", "America/New_York");
    builder.environment().put("LC_ALL", "C.UTF-8");
    if (movableClock) {
      builder.environment().put("LD_PRELOAD", fakeTimeLibrary().toString());
      builder.environment().put("FAKETIME_TIMESTAMP_FILE", clock.toString());
      builder.environment().put("FAKETIME_NO_CACHE", "1");
      builder.environment().put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }
    Process started;
    try {
      started = builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    process = started;
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> answers(started));
    return this;
  }

  private boolean answers(Process started) {
    if (!started.isAlive()) {
      throw new AssertionFailedError("the server ended at its start:\n" + logText());
    }
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      return statement.execute("SELECT 1");
    } catch (SQLException e) {
      return false;
    }
  }

  /** Ends the server as an administrator would, and waits until it is gone. */
  final void stop() {
    signal(cleanStop());
  }

  /** Ends the server as a power cut would. */
  final void kill() {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
    }
    signal("KILL");
  }

  final void signal(String name) {
    if (process != null && process.isAlive()) {
      run("kill", "-" + name, Long.toString(process.pid()));
      try {
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  final String logText() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  final void execute(String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  final void run(String... command) {
    try {
      Process once =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      if (!once.waitFor(120, TimeUnit.SECONDS) || once.exitValue() != 0) {
        throw new AssertionFailedError(List.of(command) + " failed:\n" + logText());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Servers refuse to run as root. In a user namespace of its own a process is nobody. */
  static List<String> asServerUser(List<String> command) {
    if (!System.getProperty("user.name").equals("root")) {
      return command;
    }
    List<String> wrapped = new ArrayList<>(List.of("unshare", "-U"));
    wrapped.addAll(command);
    return wrapped;
  }

  /** What skips the test by name; where CI is set, nothing may be missing. */
  static RuntimeException absent(String what) {
    if (System.getenv("CI") != null) {
      throw new AssertionFailedError(what + ", and CI is set");
    }
    return new TestAbortedException(what);
  }

  static Path binaries(String name) {
    File target = new File("target/servers/" + name);
    return target.toPath().toAbsolutePath();
  }

  @Override
  public void close() {
    if (process != null && process.isAlive()) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      try {
        process.waitFor();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.deleteIfExists(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, IOException e)
                throws IOException {
              Files.deleteIfExists(visited);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      // A file that the dying server still wrote; the directory is temporary.
      directory.toFile().deleteOnExit();
    }
  }
}
