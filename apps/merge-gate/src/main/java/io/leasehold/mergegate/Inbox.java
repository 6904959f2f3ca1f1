package io.leasehold.mergegate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where events arrive: {@code POST /webhook} for the forge's, signed; {@code POST /runs} for the
 * runs' own, with a bearer token; {@code GET /health}. Every replica takes them, elected or not.
 */
final class Inbox implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);
  private static final int MAX_BODY = 25 * 1024 * 1024;

  private final ObjectMapper json = new ObjectMapper();
  private final Events events;
  private final Optional<String> webhookSecret;
  private final Optional<String> token;
  private final Supplier<String> health;
  private final HttpServer server;
  private final ExecutorService workers;

  Inbox(
      InetSocketAddress address,
      Events events,
      Optional<String> webhookSecret,
      Optional<String> token,
      Supplier<String> health)
      throws IOException {
    this.events = events;
    this.webhookSecret = webhookSecret;
    this.token = token;
    this.health = health;
    this.server = HttpServer.create(address, 50);
    this.workers =
        Executors.newFixedThreadPool(
            4,
            task -> {
              Thread thread = new Thread(task, "leasehold-inbox");
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(workers);
    server.createContext("/", this::serve);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    workers.shutdownNow();
    try {
      if (!workers.awaitTermination(2, TimeUnit.SECONDS)) {
        LOG.debug("An event was still being taken when the inbox closed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      take(exchange);
    }
  }

  /** Answers whatever happens; the exchange is closed after that, not before. */
  private void take(HttpExchange exchange) throws IOException {
    try {
      String call = exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
      if (call.equals("GET /health")) {
        answer(exchange, 200, health.get());
        return;
      }
      byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY + 1);
      if (body.length > MAX_BODY) {
        answer(exchange, 413, "the body is larger than 25 MB");
        return;
      }
      switch (call) {
        case "POST /runs" -> {
          if (tokenIsRight(exchange)) {
            events.report(json.readTree(body));
            answer(exchange, 202, "taken");
          } else {
            answer(exchange, 401, "the bearer token is wrong or missing");
          }
        }
        case "POST /webhook" -> {
          if (signatureIsRight(exchange, body)) {
            String kind = exchange.getRequestHeaders().getFirst("X-GitHub-Event");
            events.webhook(kind == null ? "" : kind, json.readTree(body));
            answer(exchange, 202, "taken");
          } else {
            answer(exchange, 401, "the signature is wrong or missing");
          }
        }
        default -> answer(exchange, 404, "POST /runs, POST /webhook or GET /health");
      }
    } catch (JsonProcessingException e) {
      answer(exchange, 400, "the body is not JSON");
    } catch (Events.BadEventException e) {
      answer(exchange, 400, String.valueOf(e.getMessage()));
    } catch (SQLException e) {
      LOG.warn("An event could not be kept; its sender should send it again", e);
      answer(exchange, 503, "the database is away");
    }
  }

  private boolean tokenIsRight(HttpExchange exchange) {
    String given = exchange.getRequestHeaders().getFirst("Authorization");
    return token.isEmpty() || (given != null && same("Bearer " + token.get(), given));
  }

  private boolean signatureIsRight(HttpExchange exchange, byte[] body) {
    if (webhookSecret.isEmpty()) {
      return true;
    }
    String given = exchange.getRequestHeaders().getFirst("X-Hub-Signature-256");
    return given != null && same("sha256=" + signature(webhookSecret.get(), body), given);
  }

  static String signature(String secret, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }

  private static boolean same(String right, String given) {
    return MessageDigest.isEqual(
        right.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = (text + "\n").getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }
}
