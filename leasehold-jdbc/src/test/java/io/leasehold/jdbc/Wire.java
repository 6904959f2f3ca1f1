package io.leasehold.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A wire to a server on this host that can be stalled and cut, and counts round trips. */
final class Wire implements AutoCloseable {

  private final ServerSocket listening;
  private final int server;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final AtomicInteger roundTrips = new AtomicInteger();
  private final Object gate = new Object();
  private boolean stalled;
  private volatile boolean losingAnswers;

  Wire(int server) {
    this.server = server;
    try {
      listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  /** From now on nothing arrives, on connections that are and connections to come. */
  void stall(boolean on) {
    synchronized (gate) {
      stalled = on;
      gate.notifyAll();
    }
  }

  /** From now on what the client sends arrives, and the answer cuts its connection. */
  void loseAnswers(boolean on) {
    losingAnswers = on;
  }

  /** How often the client sent something and then had to wait for an answer. */
  int roundTrips() {
    return roundTrips.get();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        Socket far = new Socket(InetAddress.getLoopbackAddress(), server);
        client.setTcpNoDelay(true);
        far.setTcpNoDelay(true);
        sockets.addAll(List.of(client, far));
        boolean[] waiting = {false};
        start(() -> pump(client, far, waiting, true));
        start(() -> pump(far, client, waiting, false));
      } catch (IOException e) {
        // The server is down, or this is closed; the client sees a closed connection.
        Thread.onSpinWait();
      }
    }
  }

  private void pump(Socket from, Socket to, boolean[] waiting, boolean request) {
    byte[] buffer = new byte[64 * 1024];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n; (n = in.read(buffer)) >= 0; ) {
        passGate();
        if (!request && losingAnswers) {
          return;
        }
        synchronized (waiting) {
          if (request && !waiting[0]) {
            roundTrips.incrementAndGet();
          }
          waiting[0] = request;
        }
        out.write(buffer, 0, n);
      }
    } catch (IOException e) {
      // One side is gone; closing the other is all there is to do.
      return;
    }
  }

  private void passGate() {
    synchronized (gate) {
      while (stalled) {
        try {
          gate.wait();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "wire");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    stall(false);
    try {
      listening.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
