package io.leasehold.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * An HTTP/1.1 server on bare sockets: it counts every request whose head it has read in full, and
 * can drop a connection at any moment, which no ready-made server lets one do.
 */
public final class CountingServer implements AutoCloseable {

  /** What it has read of a request. */
  public record Seen(String method, String path, Map<String, String> headers, String body) {
    public String header(String name) {
      return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    }
  }

  private final ServerSocket listening;
  private final Map<String, Function<Seen, String>> answers = new ConcurrentHashMap<>();
  private final List<Seen> seen = Collections.synchronizedList(new ArrayList<>());
  private final List<Socket> open = new CopyOnWriteArrayList<>();

  public CountingServer() {
    try {
      listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start("accept", this::accept);
  }

  public int port() {
    return listening.getLocalPort();
  }

  public String url(String path) {
    return "http://127.0.0.1:" + port() + path;
  }

  /** Answers the path with what the function returns; an empty text drops the connection. */
  public CountingServer on(String path, Function<Seen, String> answer) {
    answers.put(path, answer);
    return this;
  }

  public CountingServer ok(String path, String... headers) {
    return on(path, request -> answer("200 OK", headers));
  }

  public CountingServer redirect(String path, int status, String location) {
    return on(path, request -> answer(status + " Moved", "Location: " + location));
  }

  /** Drops the connection under the first request for the path; later ones are answered. */
  public CountingServer dropOnce(String path) {
    List<Seen> dropped = new CopyOnWriteArrayList<>();
    return on(
        path,
        request -> {
          if (dropped.isEmpty()) {
            dropped.add(request);
            return "";
          }
          return answer("200 OK");
        });
  }

  public static String answer(String status, String... headers) {
    StringBuilder text = new StringBuilder("HTTP/1.1 " + status + "\r\nContent-Length: 2\r\n");
    for (String header : headers) {
      text.append(header).append("\r\n");
    }
    return text.append("\r\nok").toString();
  }

  public List<Seen> seen() {
    synchronized (seen) {
      return List.copyOf(seen);
    }
  }

  /** How often each method and path was requested. */
  public Map<String, Long> counts() {
    Map<String, Long> counts = new TreeMap<>();
    seen().forEach(s -> counts.merge(s.method() + " " + s.path(), 1L, Long::sum));
    return counts;
  }

  /** Closes every open connection, as a server does with those that have been idle too long. */
  public void closeConnections() {
    open.forEach(CountingServer::close);
    open.clear();
  }

  @Override
  public void close() {
    try {
      listening.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    closeConnections();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listening.accept();
        open.add(socket);
        start("serve", () -> serve(socket));
      }
    } catch (IOException e) {
      // Closed: the test is over.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      while (true) {
        String request = line(in);
        if (request.isEmpty()) {
          return;
        }
        Map<String, String> headers = headers(in);
        String body = body(in, headers);
        String[] parts = request.split(" ", -1);
        Seen now = new Seen(parts[0], parts[1], headers, body);
        seen.add(now);
        String answer = answers.getOrDefault(parts[1], s -> answer("404 Not Found")).apply(now);
        if (answer.isEmpty()) {
          return;
        }
        String sent = parts[0].equals("HEAD") ? answer.replaceFirst("ok$", "") : answer;
        socket.getOutputStream().write(sent.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
      }
    } catch (IOException e) {
      // The client went away, or the test closed the connection.
    }
  }

  private static Map<String, String> headers(InputStream in) throws IOException {
    Map<String, String> headers = new TreeMap<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).trim());
    }
    return headers;
  }

  private static String body(InputStream in, Map<String, String> headers) throws IOException {
    if ("chunked".equals(headers.get("transfer-encoding"))) {
      StringBuilder body = new StringBuilder();
      for (int size = Integer.parseInt(line(in), 16); size > 0; ) {
        body.append(new String(in.readNBytes(size), StandardCharsets.UTF_8));
        line(in);
        size = Integer.parseInt(line(in), 16);
      }
      line(in);
      return body.toString();
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    return new String(in.readNBytes(length), StandardCharsets.UTF_8);
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      if (c != '\r') {
        line.write(c);
      }
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void start(String role, Runnable work) {
    Thread thread = new Thread(work, "counting-server-" + role);
    thread.setDaemon(true);
    thread.start();
  }
}
