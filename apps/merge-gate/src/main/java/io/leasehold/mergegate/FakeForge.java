package io.leasehold.mergegate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * A forge to test against and to play with: the part of GitHub's REST API that the merge gate uses,
 * over real HTTP, with what makes the real one hard to talk to. It counts what each client sent,
 * and what of that was charged to the budget of its credential.
 */
final class FakeForge implements AutoCloseable {

  static {
    // Without it each answer on a kept-alive connection waits 40 ms for an acknowledgement.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  /** What went wrong, for one request. */
  record Fault(int status, Map<String, String> headers, boolean applied) {
    /** The connection is dropped before anything happens. */
    static final Fault DROPPED = new Fault(0, Map.of(), false);

    /** The request is carried out, and its answer lost. */
    static final Fault ANSWER_LOST = new Fault(0, Map.of(), true);

    static Fault answer(int status, String... headers) {
      Map<String, String> map = new HashMap<>();
      for (int i = 0; i + 1 < headers.length; i += 2) {
        map.put(headers[i], headers[i + 1]);
      }
      return new Fault(status, map, false);
    }
  }

  /** What one client sent: received, of that charged, of that statuses posted. */
  record Bill(long received, long charged, long posted) {}

  private record Answer(int status, JsonNode body, Map<String, String> headers) {}

  private record Planned(String call, Fault fault) {}

  private static final class Account {
    final LongAdder received = new LongAdder();
    final LongAdder charged = new LongAdder();
    final LongAdder posted = new LongAdder();
  }

  private static final class Window {
    private Instant reset = Instant.MIN;
    private long used;
  }

  private final ObjectMapper json = new ObjectMapper();
  private final InstantSource clock;
  private final long limit;
  private final java.time.Duration windowLength;
  private final ForgeState state = new ForgeState();
  private final Map<String, Account> accounts = new ConcurrentHashMap<>();
  private final Map<String, Window> windows = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Planned> faults = new ConcurrentLinkedQueue<>();
  private final AtomicLong minted = new AtomicLong();
  private final HttpServer server;
  private final ExecutorService workers = Executors.newFixedThreadPool(16);

  FakeForge(InstantSource clock, long limit, java.time.Duration window) throws IOException {
    this.clock = clock;
    this.limit = limit;
    this.windowLength = window;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    server.setExecutor(workers);
    server.createContext("/", this::serve);
    server.start();
  }

  FakeForge() throws IOException {
    this(InstantSource.system(), 5_000, java.time.Duration.ofHours(1));
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  ForgeState state() {
    return state;
  }

  /** The next request of this kind, such as {@code POST /repos/a/b/statuses}, goes wrong so. */
  void plan(String callPrefix, Fault... planned) {
    for (Fault fault : planned) {
      faults.add(new Planned(callPrefix, fault));
    }
  }

  Bill bill(String agent) {
    Account account = accounts.getOrDefault(agent, new Account());
    return new Bill(account.received.sum(), account.charged.sum(), account.posted.sum());
  }

  Bill total() {
    return accounts.keySet().stream()
        .map(this::bill)
        .reduce(
            new Bill(0, 0, 0),
            (a, b) ->
                new Bill(
                    a.received() + b.received(),
                    a.charged() + b.charged(),
                    a.posted() + b.posted()));
  }

  long tokensMinted() {
    return minted.get();
  }

  @Override
  public void close() {
    server.stop(0);
    workers.shutdownNow();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      String method = exchange.getRequestMethod();
      String path = exchange.getRequestURI().getPath();
      String agent = header(exchange, "User-Agent");
      Account account = accounts.computeIfAbsent(agent, ignored -> new Account());
      account.received.increment();
      Optional<Fault> fault = faultFor(method + " " + path);
      if (fault.isPresent() && !fault.get().applied() && fault.get().status() == 0) {
        return; // closing the exchange without an answer drops the connection
      }
      Map<String, String> limits = new HashMap<>();
      boolean allowed = charge(header(exchange, "Authorization"), limits, account, 1);
      Answer answer;
      if (!allowed) {
        answer = problem(403, "API rate limit exceeded");
      } else if (fault.isPresent() && !fault.get().applied()) {
        answer = new Answer(fault.get().status(), message("a fault"), fault.get().headers());
      } else {
        answer = answer(method, path, body, agent, account);
      }
      if (fault.isPresent() && fault.get().applied()) {
        return;
      }
      send(exchange, answer, limits, account);
    }
  }

  private Optional<Fault> faultFor(String call) {
    for (Planned planned : faults) {
      if (call.startsWith(planned.call()) && faults.remove(planned)) {
        return Optional.of(planned.fault());
      }
    }
    return Optional.empty();
  }

  private boolean charge(
      String credential, Map<String, String> limits, Account account, int requests) {
    Window window = windows.computeIfAbsent(credential, ignored -> new Window());
    synchronized (window) {
      Instant now = clock.instant();
      if (!now.isBefore(window.reset)) {
        window.reset = now.plus(windowLength);
        window.used = 0;
      }
      boolean allowed = requests < 0 || window.used < limit;
      if (allowed) {
        window.used += requests;
        account.charged.add(requests);
      }
      limits.put("X-RateLimit-Limit", Long.toString(limit));
      limits.put("X-RateLimit-Remaining", Long.toString(limit - window.used));
      limits.put("X-RateLimit-Used", Long.toString(window.used));
      limits.put("X-RateLimit-Reset", Long.toString(window.reset.getEpochSecond()));
      limits.put("X-RateLimit-Resource", "core");
      return allowed;
    }
  }

  private void send(
      HttpExchange exchange, Answer answer, Map<String, String> limits, Account account)
      throws IOException {
    byte[] body = json.writeValueAsBytes(answer.body());
    String etag = "\"" + Integer.toHexString(Arrays.hashCode(body)) + "-" + body.length + "\"";
    boolean unchanged =
        answer.status() == 200
            && etag.equals(exchange.getRequestHeaders().getFirst("If-None-Match"));
    if (unchanged) {
      charge(header(exchange, "Authorization"), limits, account, -1); // a 304 costs nothing
    }
    limits.forEach(exchange.getResponseHeaders()::set);
    answer.headers().forEach(exchange.getResponseHeaders()::set);
    if (answer.status() == 200) {
      exchange.getResponseHeaders().set("ETag", etag);
    }
    if (unchanged) {
      exchange.sendResponseHeaders(304, -1);
      return;
    }
    exchange.getResponseHeaders().set("Content-Type", "application/json; charset=utf-8");
    exchange.sendResponseHeaders(answer.status(), body.length);
    exchange.getResponseBody().write(body);
  }

  private Answer answer(String method, String path, byte[] body, String agent, Account account)
      throws IOException {
    String[] parts = path.substring(1).split("/", -1);
    if (parts.length >= 4 && parts[0].equals("app") && method.equals("POST")) {
      return token();
    }
    if (parts.length < 4 || !parts[0].equals("repos")) {
      return problem(404, "Not Found");
    }
    String repository = parts[1] + "/" + parts[2];
    Optional<String> renamed = state.renamed(repository);
    if (renamed.isPresent()) {
      String target = url() + path.replaceFirst(repository, renamed.get());
      return new Answer(
          method.equals("GET") ? 301 : 307,
          message("Moved Permanently"),
          Map.of("Location", target));
    }
    List<String> rest = List.of(parts).subList(3, parts.length);
    return switch (method + " " + rest.get(0)) {
      case "GET installation" -> new Answer(200, json.createObjectNode().put("id", 77), Map.of());
      case "GET pulls" -> pull(repository, Long.parseLong(rest.get(1)));
      case "GET commits" -> commit(repository, rest.get(1), rest.get(2));
      case "POST statuses" -> post(repository, rest.get(1), json.readTree(body), agent, account);
      default -> problem(404, "Not Found");
    };
  }

  private Answer token() {
    ObjectNode token =
        json.createObjectNode()
            .put("token", "ghs_" + minted.incrementAndGet())
            .put("expires_at", clock.instant().plusSeconds(3_600).toString());
    return new Answer(201, token, Map.of());
  }

  private Answer pull(String repository, long number) {
    return state
        .pull(repository, number)
        .map(pull -> new Answer(200, node(pull), Map.of()))
        .orElseGet(() -> problem(404, "Not Found"));
  }

  private ObjectNode node(ForgeState.Pull pull) {
    ObjectNode node =
        json.createObjectNode()
            .put("number", pull.number())
            .put("state", pull.open() ? "open" : "closed")
            .put("merged", pull.merged());
    node.putObject("head").put("sha", pull.head());
    return node;
  }

  private Answer commit(String repository, String sha, String what) {
    switch (what) {
      case "status" -> {
        ObjectNode combined = json.createObjectNode().put("sha", sha);
        ArrayNode statuses = combined.putArray("statuses");
        state
            .latest(repository, sha)
            .forEach(
                s ->
                    statuses
                        .addObject()
                        .put("state", s.state())
                        .put("context", s.context())
                        .put("description", s.description())
                        .put("target_url", s.url()));
        combined.put("total_count", statuses.size());
        return new Answer(200, combined, Map.of());
      }
      case "check-runs" -> {
        ObjectNode checks = json.createObjectNode();
        ArrayNode runs = checks.putArray("check_runs");
        state
            .checks(repository, sha)
            .forEach(
                c ->
                    runs.addObject()
                        .put("id", c.id())
                        .put("status", c.status())
                        .put("conclusion", c.conclusion())
                        .put("html_url", "https://forge.test/checks/" + c.id()));
        checks.put("total_count", runs.size());
        return new Answer(200, checks, Map.of());
      }
      case "pulls" -> {
        ArrayNode pulls = json.createArrayNode();
        state.pullsOf(repository, sha).forEach(p -> pulls.add(node(p)));
        return new Answer(200, pulls, Map.of());
      }
      default -> {
        return problem(404, "Not Found");
      }
    }
  }

  private Answer post(String repository, String sha, JsonNode body, String agent, Account account) {
    String description = body.path("description").asText();
    if (description.codePointCount(0, description.length()) > 140) {
      return problem(422, "description is too long (maximum is 140 characters)");
    }
    String context = body.path("context").asText("default");
    if (state.count(repository, sha, context) >= 1_000) {
      return problem(422, "This SHA and context has reached the maximum number of statuses");
    }
    state.post(
        repository,
        sha,
        new ForgeState.Status(
            body.path("state").asText(),
            context,
            description,
            body.path("target_url").asText(""),
            agent,
            clock.instant()));
    account.posted.increment();
    return new Answer(201, body, Map.of());
  }

  private Answer problem(int status, String text) {
    return new Answer(status, message(text), Map.of());
  }

  private ObjectNode message(String text) {
    return json.createObjectNode().put("message", text);
  }

  private static String header(HttpExchange exchange, String name) {
    String value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "" : value;
  }
}
