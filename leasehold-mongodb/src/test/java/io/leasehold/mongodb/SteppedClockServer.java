package io.leasehold.mongodb;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.ServerVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A server in a process of its own whose clock is set by faketime, and only its clock. */
final class SteppedClockServer implements AutoCloseable {

  private static final List<Path> LIBRARIES =
      List.of(
          Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"),
          Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"),
          Path.of("/usr/lib64/faketime/libfaketimeMT.so.1"));

  private final Process process;
  private final Path offset;
  private final int port;

  private SteppedClockServer(Process process, Path offset, int port) {
    this.process = process;
    this.offset = offset;
    this.port = port;
  }

  static Optional<Path> library() {
    return LIBRARIES.stream().filter(Files::exists).findFirst();
  }

  static SteppedClockServer start(Path library, Path directory) throws IOException {
    Path offset = Files.writeString(directory.resolve("faketime"), "+0");
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            SteppedClockServer.class.getName());
    builder
        .environment()
        .putAll(
            Map.of(
                "LD_PRELOAD",
                library.toString(),
                "FAKETIME_TIMESTAMP_FILE",
                offset.toString(),
                "FAKETIME_NO_CACHE",
                "1",
                "FAKETIME_DONT_FAKE_MONOTONIC",
                "1"));
    Process process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    try (Stream<String> lines = output.lines()) {
      int port =
          lines
              .filter(line -> line.startsWith("port "))
              .mapToInt(line -> Integer.parseInt(line.substring("port ".length())))
              .findFirst()
              .orElseThrow(() -> new IOException("the server did not start"));
      return new SteppedClockServer(process, offset, port);
    }
  }

  String uri() {
    return MongoServerUnderTest.uri(port);
  }

  /** Sets the server's clock this many seconds off. */
  void offset(int seconds) throws IOException {
    Path next =
        Files.writeString(offset.resolveSibling("next"), (seconds < 0 ? "" : "+") + seconds);
    Files.move(next, offset, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(5, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }

  /**
   * Serves until its parent is gone.
   *
   * @param args not used
   * @throws IOException never
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    MongoServer server = new MongoServer(new MemoryBackend().version(ServerVersion.MONGO_5_0));
    System.out.println("port " + server.bind().getPort());
    System.out.flush();
    ProcessHandle parent = ProcessHandle.current().parent().orElseThrow();
    parent.onExit().join();
    server.shutdownNow();
  }
}
