package io.leasehold.cli.guard;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** This JVM's end of the guard: the shell outside, and the pipe that feeds it deadlines. */
final class Guard implements AutoCloseable {

  private final Process shell;
  private final OutputStream pipe;

  private Guard(Process shell) {
    this.shell = shell;
    this.pipe = shell.getOutputStream();
  }

  static Guard start(RunDirectory directory, Duration grace) throws IOException {
    Process shell =
        new ProcessBuilder(
                "setsid",
                "sh",
                directory.guardScript(),
                directory.path().toString(),
                Long.toString(Math.max(1, grace.toMillis() / 10)))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    return new Guard(shell);
  }

  /** Tells it a deadline, in hundredths of a second of {@link BootClock}. */
  void until(long deadline) throws IOException {
    write("until " + deadline);
  }

  boolean isAlive() {
    return shell.isAlive();
  }

  private void write(String line) throws IOException {
    pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    pipe.flush();
  }

  /** Nothing is left to be guarded. */
  @Override
  public void close() throws IOException {
    try {
      write("done");
      shell.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      // It died before; there is nobody to tell.
      shell.destroyForcibly();
    } finally {
      pipe.close();
    }
  }
}
