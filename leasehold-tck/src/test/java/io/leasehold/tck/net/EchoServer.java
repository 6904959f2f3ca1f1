package io.leasehold.tck.net;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Answers each line with the same line, and remembers the lines it has seen. */
final class EchoServer implements AutoCloseable {

  final List<String> seen = new CopyOnWriteArrayList<>();
  private final ServerSocket listener;
  private final Thread acceptor;

  EchoServer() throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    acceptor = daemon(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        daemon(() -> echo(client));
      } catch (IOException e) {
        // Closed: the loop ends.
      }
    }
  }

  private void echo(Socket client) {
    try (client;
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        seen.add(line);
        Writer out =
            new java.io.OutputStreamWriter(client.getOutputStream(), StandardCharsets.UTF_8);
        out.write(line + "\n");
        out.flush();
      }
    } catch (IOException e) {
      // The client is gone.
    }
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "echo-server");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    try {
      acceptor.join(10_000); // the port listens until the thread in accept has let go of it
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
