package io.leasehold.cli.guard;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * The processes of one session, which is a command and all that it started, double forks included.
 * Only a process that makes a session of its own ({@code setsid}) leaves it.
 *
 * @param id the session's number, which is its first process's
 */
record Session(long id) {

  private static final Path PROC = Path.of("/proc");

  /** The processes that are not dead, whatever group they are in. */
  List<Long> members() throws IOException {
    List<Long> members = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        String stat = read(process.resolve("stat"));
        // The name, in parentheses, may contain anything. After it: state, parent, group, session.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", 5);
        if (fields.length == 5
            && fields[3].equals(Long.toString(id))
            && !fields[0].equals("Z")
            && !fields[0].equals("X")) {
          members.add(Long.valueOf(process.getFileName().toString()));
        }
      }
    }
    return members;
  }

  /** A process that ended meanwhile reads as nothing. */
  private static String read(Path stat) {
    try {
      return new String(Files.readAllBytes(stat), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }

  /**
   * Sends a signal to every process of the session.
   *
   * @param signal its name without SIG
   * @param others processes that may not have joined the session yet
   */
  void send(String signal, List<Long> others) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>();
    // The group first, in one step, then whoever has another group.
    line.addAll(
        List.of(
            "/bin/sh",
            "-c",
            "s=$1; g=$2; shift 2; kill -s \"$s\" -- \"-$g\"; [ $# = 0 ] || kill -s \"$s\" \"$@\"",
            "kill",
            signal,
            Long.toString(id)));
    Set<Long> besides = new TreeSet<>(others);
    besides.addAll(outsiders());
    for (long pid : besides) {
      line.add(Long.toString(pid));
    }
    new ProcessBuilder(line)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  /** Members with a group of their own. */
  private List<Long> outsiders() throws IOException {
    List<Long> outsiders = new ArrayList<>();
    for (long pid : members()) {
      String stat = read(PROC.resolve(Long.toString(pid)).resolve("stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", 5);
      if (fields.length == 5 && !fields[2].equals(Long.toString(id))) {
        outsiders.add(pid);
      }
    }
    return outsiders;
  }

  /**
   * Waits until no process is left.
   *
   * @param ended what must hold besides
   * @return whether none is
   */
  boolean awaitGone(Duration patience, BooleanSupplier ended)
      throws IOException, InterruptedException {
    long until = System.nanoTime() + patience.toNanos();
    long pause = 2;
    while (!ended.getAsBoolean() || !members().isEmpty()) {
      long left = until - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      Thread.sleep(Math.max(1, Math.min(pause, left / 1_000_000)));
      pause = Math.min(50, pause * 2);
    }
    return true;
  }
}
