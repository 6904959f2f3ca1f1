package io.leasehold.tck.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A TCP proxy on loopback between a client under test and a real server, with the faults of a
 * network on command. A fault holds for all connections, present and future, until the next
 * command; {@link #restore()} ends every fault.
 *
 * <pre>{@code
 * try (TcpProxy proxy = TcpProxy.to("127.0.0.1", server.port())) {
 *   LeaseStore store = open("127.0.0.1", proxy.port());
 *   proxy.cutAtAnswer();
 *   assertThatThrownBy(() -> store.read(name)).isInstanceOf(LeaseStoreException.class);
 * }
 * }</pre>
 *
 * <p>Thread-safe. The threads are daemons named {@code leasehold-tck-proxy-…} and end by {@link
 * #close()}.
 */
public final class TcpProxy implements AutoCloseable {

  private static final Duration REBIND = Duration.ofSeconds(5);

  private final InetSocketAddress server;
  private final int port;
  private final Faults faults = new Faults();
  private final AtomicLong roundTrips = new AtomicLong();
  private final AtomicLong accepted = new AtomicLong();
  private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();

  /** Guards the listening socket: it comes and goes with {@link #refuse()}. */
  private final Object listening = new Object();

  private ServerSocket listener;
  private boolean closed;

  private TcpProxy(InetSocketAddress server) throws IOException {
    this.server = server;
    this.listener = bind(0);
    this.port = listener.getLocalPort();
    acceptFrom(listener);
  }

  /**
   * A proxy to a server, on a free port of loopback.
   *
   * @param host the server's host
   * @param port the server's port
   * @return the proxy, forwarding
   * @throws UncheckedIOException if no port can be had
   */
  public static TcpProxy to(String host, int port) {
    try {
      return new TcpProxy(new InetSocketAddress(host, port));
    } catch (IOException e) {
      throw new UncheckedIOException("no port for the proxy to " + host + ":" + port, e);
    }
  }

  /**
   * Where the client connects to.
   *
   * @return the loopback address
   */
  public String host() {
    return loopback().getHostAddress();
  }

  /**
   * Where the client connects to.
   *
   * @return the port; the same after {@link #refuse()} and {@link #restore()}
   */
  public int port() {
    return port;
  }

  /**
   * Holds every answer back this long, as a slow network would: what follows it is not slowed down
   * further. Requests pass at once.
   *
   * @param each how late an answer arrives; zero for not at all
   */
  public void delay(Duration each) {
    faults.delay(each);
  }

  /**
   * Accepts connections and requests, and passes nothing on in either direction. After {@link
   * #restore()} what was held goes on.
   */
  public void stall() {
    faults.mode(Faults.Mode.STALLED);
  }

  /**
   * Passes requests on and throws the answers away, so that a client waits for the answer of a call
   * that happened. After {@link #restore()} a connection that lost bytes is cut.
   */
  public void swallowAnswers() {
    faults.mode(Faults.Mode.SWALLOWING);
  }

  /**
   * Passes requests on and cuts a connection at the first byte of an answer, so that a client sees
   * the connection reset after the call has happened.
   */
  public void cutAtAnswer() {
    faults.mode(Faults.Mode.CUTTING);
  }

  /** Resets all connections there are. New ones are treated as before. */
  public void cutAll() {
    connections.forEach(ProxiedConnection::cut);
  }

  /** Refuses new connections, as a server that is down, and resets those there are. */
  public void refuse() {
    synchronized (listening) {
      closeQuietly(listener);
    }
    cutAll();
  }

  /**
   * Ends every fault: forwards, and accepts connections.
   *
   * @throws UncheckedIOException if the port was taken by somebody else while refusing
   */
  public void restore() {
    faults.clear();
    connections.forEach(ProxiedConnection::cutIfBytesWereLost);
    synchronized (listening) {
      if (!closed && listener.isClosed()) {
        listener = bindAgain();
        acceptFrom(listener);
      }
    }
  }

  /**
   * How many round trips clients have made through this proxy: bursts of requests that followed the
   * connection's start or an answer. Requests sent together without waiting count as one. Exact for
   * a protocol in which a client waits for its answer; handshakes, pings and messages that a server
   * sends by itself are counted too, so compare two readings around the call that is measured.
   *
   * @return the count since the proxy was made
   */
  public long roundTrips() {
    return roundTrips.get();
  }

  /**
   * How many connections were accepted.
   *
   * @return the count since the proxy was made
   */
  public long accepted() {
    return accepted.get();
  }

  /** Refuses, cuts, and ends the threads. Idempotent. */
  @Override
  public void close() {
    synchronized (listening) {
      closed = true;
    }
    refuse();
  }

  private void acceptFrom(ServerSocket from) {
    ProxyThreads.start("accept-" + port, () -> accept(from));
  }

  private void accept(ServerSocket from) {
    while (!from.isClosed()) {
      try {
        Socket client = from.accept();
        accepted.incrementAndGet();
        // Connecting to the server may take long; it must not keep the next client waiting.
        ProxyThreads.start("connect-" + port, () -> connect(client, from));
      } catch (IOException e) {
        // Closed by refuse() or close(): the loop ends. Anything else concerns one client.
      }
    }
  }

  private void connect(Socket client, ServerSocket from) {
    ProxiedConnection connection = new ProxiedConnection(client, faults, roundTrips);
    connections.add(connection);
    try {
      connection.run(server);
      if (from.isClosed()) {
        // refuse() looked through the connections before this one was among them.
        connection.cut();
      }
      connection.awaitEnd();
    } finally {
      connections.remove(connection);
    }
  }

  private ServerSocket bindAgain() {
    long until = System.nanoTime() + REBIND.toNanos();
    while (true) {
      try {
        return bind(port);
      } catch (BindException e) {
        if (System.nanoTime() > until) {
          throw new UncheckedIOException("port " + port + " was taken while refusing", e);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot listen on port " + port + " again", e);
      }
    }
  }

  private static ServerSocket bind(int port) throws IOException {
    ServerSocket socket = new ServerSocket();
    // Connections that were cut may linger in the system; they do not keep the port.
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(loopback(), port));
    return socket;
  }

  private static InetAddress loopback() {
    return InetAddress.getLoopbackAddress();
  }

  private static void closeQuietly(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close a listening socket", e);
    }
  }
}
