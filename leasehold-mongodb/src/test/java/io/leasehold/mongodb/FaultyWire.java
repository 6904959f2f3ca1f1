package io.leasehold.mongodb;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What stands between a client and its server, and fails on demand. */
final class FaultyWire implements AutoCloseable {

  /** What happens to what is sent. */
  enum Mode {
    PASS,
    /** Nothing passes, and nothing is closed. */
    STALL,
    /** Requests pass; where an answer would pass the connection is closed. */
    CUT_ANSWERS
  }

  private final InetSocketAddress server;
  private final ServerSocket listening;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private volatile Mode mode = Mode.PASS;

  FaultyWire(InetSocketAddress server) {
    this.server = server;
    try {
      listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start("accept", this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  void mode(Mode next) {
    mode = next;
  }

  /** Closes every connection there is. */
  void cut() {
    sockets.forEach(FaultyWire::close);
    sockets.clear();
  }

  private void accept() throws IOException {
    while (true) {
      Socket near = listening.accept();
      Socket far = new Socket(server.getAddress(), server.getPort());
      sockets.addAll(List.of(near, far));
      start("requests", () -> pump(near, far, false));
      start("answers", () -> pump(far, near, true));
    }
  }

  private void pump(Socket from, Socket to, boolean answers) throws IOException {
    byte[] buffer = new byte[64 * 1024];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        switch (mode) {
          case PASS -> out.write(buffer, 0, n);
          case STALL -> {
            // Swallowed: a connection that was stalled once is of no use again.
          }
          case CUT_ANSWERS -> {
            if (answers) {
              return;
            }
            out.write(buffer, 0, n);
          }
        }
      }
    } finally {
      close(from);
      close(to);
    }
  }

  /** What may fail when the other side closes. */
  private interface Step {
    void run() throws IOException;
  }

  private static void start(String name, Step step) {
    Thread thread =
        new Thread(
            () -> {
              try {
                step.run();
              } catch (IOException closed) {
                // The end of the connection, or of the test.
              }
            },
            "faulty-wire-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      listening.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cut();
  }
}
