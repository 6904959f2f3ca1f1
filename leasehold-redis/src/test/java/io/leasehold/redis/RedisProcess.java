package io.leasehold.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisExecProvider;

/**
 * A real server on a free port of the loopback address, from the binary in the embedded-redis
 * artifact. It ends with the run.
 */
final class RedisProcess implements AutoCloseable {

  private final List<String> command;
  private final Map<String, String> environment;
  private final int port;
  private final Path directory;
  private @Nullable Process process;
  private @Nullable RedisClient admin;
  private @Nullable RedisCommands<String, String> commands;

  private RedisProcess(List<String> command, Map<String, String> environment, int port) {
    this.command = command;
    this.environment = environment;
    this.port = port;
    try {
      this.directory = Files.createTempDirectory("leasehold-redis");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A server that keeps nothing on disk, with further options. */
  static RedisProcess started(String... options) {
    return startedAs(List.of(binary()), Map.of(), options);
  }

  /** A server run by another command than the usual one. */
  static RedisProcess startedAs(
      List<String> binary, Map<String, String> environment, String... options) {
    int port = freePort();
    List<String> command = new ArrayList<>(binary);
    command.addAll(List.of("--port", "" + port, "--bind", "127.0.0.1", "--protected-mode", "no"));
    if (!Arrays.asList(options).contains("--save")) {
      command.addAll(List.of("--save", ""));
    }
    command.addAll(List.of(options));
    RedisProcess server = new RedisProcess(command, environment, port);
    server.start();
    return server;
  }

  /** A Sentinel with a configuration of its own. */
  static RedisProcess sentinel(String configuration) {
    int port = freePort();
    try {
      Path file = Files.createTempFile("leasehold-sentinel", ".conf");
      file.toFile().deleteOnExit();
      Files.writeString(file, "port " + port + "\nbind 127.0.0.1\n" + configuration);
      RedisProcess sentinel =
          new RedisProcess(List.of(binary(), file.toString(), "--sentinel"), Map.of(), port);
      sentinel.start();
      return sentinel;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String binary() {
    try {
      File file = RedisExecProvider.defaultProvider().get();
      return file.getAbsolutePath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts it, again on the same port and with the same files. */
  void start() {
    try {
      ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
      builder.environment().putAll(environment);
      builder.redirectErrorStream(true);
      builder.redirectOutput(
          ProcessBuilder.Redirect.appendTo(directory.resolve("server.log").toFile()));
      Process started = builder.start();
      process = started;
      Runtime.getRuntime().addShutdownHook(new Thread(() -> end(started)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Awaitility.await("server on port " + port)
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofSeconds(30))
        .until(this::answersPing);
  }

  /** Ends it at once, without a chance to save. */
  void kill() {
    end(running());
    join();
  }

  /** Asks it to end, and to save if it is configured to. */
  void stop() {
    running().destroy();
    join();
  }

  /** Stops it in its tracks: it keeps its connections and answers nothing. */
  void pause() {
    signal("-STOP");
  }

  /** Lets it go on after a pause. */
  void resume() {
    signal("-CONT");
  }

  int port() {
    return port;
  }

  RedisURI uri() {
    return RedisURI.create("redis://127.0.0.1:" + port);
  }

  /** A connection of the test's own, which reconnects. */
  RedisCommands<String, String> commands() {
    RedisCommands<String, String> known = commands;
    if (known != null) {
      return known;
    }
    RedisClient client = RedisClient.create(uri());
    RedisCommands<String, String> fresh = client.connect().sync();
    admin = client;
    commands = fresh;
    return fresh;
  }

  /** What it answers to one inline command, as it comes. */
  String answers(String command) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(500);
      socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
      byte[] answer = new byte[64 * 1024];
      int length = socket.getInputStream().read(answer);
      return new String(answer, 0, Math.max(0, length), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
  }

  @Override
  public void close() {
    if (admin != null) {
      admin.shutdown(0, 1, TimeUnit.SECONDS);
    }
    resume();
    kill();
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void signal(String signal) {
    try {
      new ProcessBuilder("kill", signal, "" + running().pid()).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** With what it started: faketime is a parent of the server, and does not take it along. */
  private static void end(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private Process running() {
    return Objects.requireNonNull(process, "not started");
  }

  private void join() {
    try {
      running().waitFor(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean answersPing() {
    if (!running().isAlive()) {
      throw new IllegalStateException("the server ended at once: " + log());
    }
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
      socket.setSoTimeout(500);
      socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
      byte[] answer = socket.getInputStream().readNBytes(5);
      return new String(answer, StandardCharsets.US_ASCII).equals("+PONG");
    } catch (IOException e) {
      return false;
    }
  }

  private String log() {
    try {
      return Files.readString(directory.resolve("server.log"));
    } catch (IOException e) {
      return e.toString();
    }
  }
}
