package io.leasehold.tck.net;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One client's connection through the proxy. Requests are pumped by one thread; answers by two, one
 * that reads and one that writes when an answer is due, so that a delay adds to each answer but not
 * to the answers behind it.
 */
final class ProxiedConnection {

  private static final int CONNECT_MILLIS = 5_000;
  private static final int BUFFER = 64 * 1024;

  /** Bytes of an answer, or its end when there are none, and when to pass them on. */
  private record Chunk(ByteBuffer bytes, long dueNanos) {}

  private final Socket client;
  private final Socket server = new Socket();
  private final Faults faults;
  private final AtomicLong roundTrips;
  private final BlockingQueue<Chunk> answers = new LinkedBlockingQueue<>();

  /** Whether the client's next bytes start a round trip: nothing was sent since the last answer. */
  private final AtomicBoolean answered = new AtomicBoolean(true);

  private volatile boolean lostBytes;
  private volatile boolean over;

  private volatile List<Thread> pumps = List.of();

  ProxiedConnection(Socket client, Faults faults, AtomicLong roundTrips) {
    this.client = client;
    this.faults = faults;
    this.roundTrips = roundTrips;
  }

  /** Connects to the server and starts pumping; cuts the client when the server is not there. */
  void run(InetSocketAddress to) {
    try {
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      server.connect(to, CONNECT_MILLIS);
    } catch (IOException e) {
      cut();
      return;
    }
    String id = client.getLocalPort() + "-" + client.getPort();
    pumps =
        List.of(
            ProxyThreads.start("requests-" + id, () -> pump(this::passRequests)),
            ProxyThreads.start("answers-" + id, () -> pump(this::readAnswers)),
            ProxyThreads.start("delay-" + id, () -> pump(this::passAnswers)));
    if (over) {
      // One pump failed before the others could be interrupted by cut().
      interruptPumps();
    }
  }

  void awaitEnd() {
    try {
      for (Thread pump : pumps) {
        pump.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      cut();
    }
  }

  /** Resets both ends: whoever reads or writes fails at once. Idempotent. */
  void cut() {
    over = true;
    reset(client);
    reset(server);
    interruptPumps();
  }

  private void interruptPumps() {
    pumps.forEach(Thread::interrupt);
  }

  void cutIfBytesWereLost() {
    if (lostBytes) {
      cut();
    }
  }

  private interface Pump {
    void run() throws IOException, InterruptedException;
  }

  /** A pump that fails ends the connection; one that comes to its end leaves the others be. */
  private void pump(Pump work) {
    try {
      work.run();
    } catch (IOException e) {
      cut();
    } catch (InterruptedException e) {
      // Only cut() interrupts a pump; the connection is over.
      Thread.currentThread().interrupt();
    }
  }

  private void passRequests() throws IOException, InterruptedException {
    byte[] buffer = new byte[BUFFER];
    InputStream in = client.getInputStream();
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      faults.awaitMovement();
      // Counted before the server can see the request, so an answer cannot overtake the count.
      if (answered.compareAndSet(true, false)) {
        roundTrips.incrementAndGet();
      }
      server.getOutputStream().write(buffer, 0, n);
    }
    server.shutdownOutput();
  }

  private void readAnswers() throws IOException {
    byte[] buffer = new byte[BUFFER];
    InputStream in = server.getInputStream();
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      enqueue(Arrays.copyOf(buffer, n));
    }
    enqueue(new byte[0]);
  }

  private void enqueue(byte[] bytes) {
    answers.add(new Chunk(ByteBuffer.wrap(bytes), System.nanoTime() + faults.delay().toNanos()));
  }

  private void passAnswers() throws IOException, InterruptedException {
    for (Chunk chunk = nextDue(); chunk.bytes().hasRemaining(); chunk = nextDue()) {
      switch (faults.awaitMovement()) {
        case CUTTING -> {
          cut();
          return;
        }
        case SWALLOWING -> lostBytes = true;
        default -> {
          // The same order as for requests: the client cannot ask again before this is noted.
          answered.set(true);
          client.getOutputStream().write(chunk.bytes().array());
        }
      }
    }
    client.shutdownOutput();
  }

  private Chunk nextDue() throws InterruptedException {
    Chunk chunk = answers.take();
    for (long left = chunk.dueNanos() - System.nanoTime();
        left > 0;
        left = chunk.dueNanos() - System.nanoTime()) {
      TimeUnit.NANOSECONDS.sleep(left);
    }
    return chunk;
  }

  private static void reset(Socket socket) {
    try {
      // Close without lingering sends a reset instead of an orderly end.
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // Closed already, or never connected: nothing to reset.
    }
    try {
      socket.close();
    } catch (IOException e) {
      // As good as closed.
    }
  }
}
