package io.leasehold.journal.servers;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A server that is started when it is first asked for. Where it cannot be had, the test that asked
 * is skipped by name; with the environment variable CI set it fails.
 *
 * @param <T> what the test gets
 */
final class Server<T> {

  private final String name;
  private final Callable<T> start;
  private @Nullable T running;
  private @Nullable Throwable failure;

  Server(String name, Callable<T> start) {
    this.name = name;
    this.start = start;
  }

  synchronized T get() {
    if (running == null && failure == null) {
      try {
        running = start.call();
      } catch (Exception | LinkageError e) {
        failure = e;
      }
    }
    if (running != null) {
      return running;
    }
    if (System.getenv("CI") != null) {
      throw new IllegalStateException(name + " cannot be started", failure);
    }
    return Assumptions.abort(name + " cannot be started: " + failure);
  }
}
