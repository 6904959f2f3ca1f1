package io.leasehold.journal.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP proxy that counts round trips: how often the client spoke after the server had spoken. It
 * stands between the driver and a real server.
 */
final class CountingProxy implements AutoCloseable {

  private final ServerSocket listener;
  private final int target;
  private final AtomicInteger roundTrips = new AtomicInteger();

  CountingProxy(int target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    thread(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** The round trips since the last time this was asked. */
  int roundTrips() {
    return roundTrips.getAndSet(0);
  }

  private void accept() {
    try {
      while (!listener.isClosed()) {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        AtomicBoolean serverSpokeLast = new AtomicBoolean(true);
        thread(
            () ->
                copy(
                    client,
                    server,
                    () -> {
                      if (serverSpokeLast.compareAndSet(true, false)) {
                        roundTrips.incrementAndGet();
                      }
                    }));
        thread(() -> copy(server, client, () -> serverSpokeLast.set(true)));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private static void copy(Socket from, Socket to, Runnable spoke) {
    byte[] buffer = new byte[1 << 16];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        spoke.run();
        out.write(buffer, 0, n);
        out.flush();
      }
    } catch (IOException e) {
      // One side has gone; the other goes too.
    }
  }

  private static void thread(Runnable work) {
    Thread thread = new Thread(work, "counting-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
