package io.leasehold.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Stands between a store and its server, and loses what the server says. */
final class AnswerRelay implements AutoCloseable {

  private enum Mode {
    FORWARD,
    SWALLOW,
    CUT
  }

  /** One connection, on its way through. */
  private final class Pair {
    private final Socket near;
    private final Socket far;
    private volatile Mode mode = Mode.FORWARD;

    Pair(Socket near, Socket far) {
      this.near = near;
      this.far = far;
    }

    void run() {
      thread(() -> pump(near.getInputStream(), far.getOutputStream(), false));
      thread(() -> pump(far.getInputStream(), near.getOutputStream(), true));
    }

    private void pump(InputStream from, OutputStream to, boolean answers) throws IOException {
      byte[] buffer = new byte[64 * 1024];
      for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
        if (answers && latency.toMillis() > 0) {
          byte[] late = Arrays.copyOf(buffer, n);
          Future<?> unused =
              clock.schedule(() -> write(to, late), latency.toMillis(), TimeUnit.MILLISECONDS);
        } else if (mode == Mode.FORWARD || (mode == Mode.CUT && !answers)) {
          to.write(buffer, 0, n);
          to.flush();
        } else if (mode == Mode.CUT) {
          close();
          return;
        }
      }
      close();
    }

    private void write(OutputStream to, byte[] late) {
      try {
        to.write(late);
        to.flush();
      } catch (IOException closed) {
        // The end of the connection, or of the test.
      }
    }

    void close() throws IOException {
      near.close();
      far.close();
    }
  }

  /** What may fail when the other side closes. */
  private interface Step {
    void run() throws IOException;
  }

  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private volatile Duration latency = Duration.ZERO;
  private final ServerSocket listening;
  private final int target;
  private final List<Pair> pairs = new CopyOnWriteArrayList<>();

  AnswerRelay(int target) throws IOException {
    this.target = target;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    thread(
        () -> {
          while (true) {
            Socket near = listening.accept();
            Pair pair = new Pair(near, new Socket(InetAddress.getLoopbackAddress(), target()));
            pairs.add(pair);
            pair.run();
          }
        });
  }

  int port() {
    return listening.getLocalPort();
  }

  /**
   * From now on every answer takes this long; what is on its way side by side comes side by side.
   */
  void delayAnswers(Duration by) {
    latency = by;
  }

  /** How many connections were ever made. */
  int connections() {
    return pairs.size();
  }

  /**
   * From now on nothing passes either way on the connections there are, and none is closed. New
   * ones are forwarded.
   */
  void swallowAll() {
    pairs.forEach(pair -> pair.mode = Mode.SWALLOW);
  }

  /** Requests pass; instead of an answer the connection is closed. New ones are forwarded. */
  void cutInsteadOfAnswering() {
    pairs.forEach(pair -> pair.mode = Mode.CUT);
  }

  @Override
  public void close() throws IOException {
    listening.close();
    clock.shutdownNow();
    for (Pair pair : pairs) {
      pair.close();
    }
  }

  private int target() {
    return target;
  }

  private static void thread(Step step) {
    Thread thread =
        new Thread(
            () -> {
              try {
                step.run();
              } catch (IOException closed) {
                // The end of the connection, or of the test.
              }
            },
            "answer-relay");
    thread.setDaemon(true);
    thread.start();
  }
}
