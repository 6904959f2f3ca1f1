package io.leasehold.mergegate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.leasehold.http.RequestMeter;
import io.leasehold.http.okhttp.MeteredOkHttp;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/**
 * Sends single requests to the forge, metered: conditional where it has asked before, within the
 * budget, and each at most once on the wire. OkHttp's own resend is off: it would repeat a POST. A
 * GET is repeated here, once, when its connection broke.
 */
final class ForgeClient implements AutoCloseable {

  private static final MediaType JSON = MediaType.get("application/json");
  private static final Duration DEFAULT_PAUSE = Duration.ofMinutes(1);

  private final ObjectMapper json = new ObjectMapper();
  private final HttpUrl base;
  private final String agent;
  private final boolean conditional;
  private final InstantSource clock;
  private final OkHttpClient http;
  private final Pace pace;
  private final AnswerCache cache = new AnswerCache();

  /** Options that only comparisons change. */
  record Options(String agent, boolean conditional, boolean paced) {}

  ForgeClient(String baseUrl, RequestMeter meter, InstantSource clock, Options options) {
    this.base = HttpUrl.get(baseUrl.endsWith("/") ? baseUrl : baseUrl + "/");
    this.agent = options.agent();
    this.conditional = options.conditional();
    this.clock = clock;
    this.pace = new Pace(meter, clock, base.host(), options.paced());
    this.http =
        MeteredOkHttp.install(
                new OkHttpClient.Builder()
                    .retryOnConnectionFailure(false)
                    .connectionPool(new ConnectionPool(4, 20, TimeUnit.SECONDS))
                    .callTimeout(Duration.ofSeconds(30)),
                meter)
            .build();
  }

  /** The answer, or empty where the forge knows no such thing. */
  Optional<JsonNode> get(String authorization, String path)
      throws ForgeException, InterruptedException {
    HttpUrl url = url(path);
    AnswerCache.Key key = new AnswerCache.Key(authorization, url.toString());
    Optional<AnswerCache.Answer> known = conditional ? cache.get(key) : Optional.empty();
    Request.Builder request = request(authorization, url);
    known.ifPresent(answer -> request.header("If-None-Match", answer.etag()));
    try (Response response = sendGet(authorization, request.build())) {
      int status = response.code();
      if (status == 304 && known.isPresent()) {
        return Optional.of(known.get().body());
      }
      if (status == 404 || status == 410) {
        return Optional.empty();
      }
      JsonNode body = success(authorization, "GET " + path, response);
      String etag = response.header("ETag");
      if (etag != null) {
        cache.put(key, new AnswerCache.Answer(etag, body));
      }
      return Optional.of(body);
    } catch (IOException e) {
      throw new ForgeException("GET " + path + " got no answer", e);
    }
  }

  /**
   * Posts, once.
   *
   * @throws ForgeException if it was refused or got no answer; then it may have happened
   */
  JsonNode post(String authorization, String path, JsonNode body)
      throws ForgeException, InterruptedException {
    pace.await(authorization);
    Request request =
        request(authorization, url(path)).post(RequestBody.create(body.toString(), JSON)).build();
    try (Response response = http.newCall(request).execute()) {
      return success(authorization, "POST " + path, response);
    } catch (IOException e) {
      throw new ForgeException("POST " + path + " got no answer; it may have happened", e);
    }
  }

  String host() {
    return base.host();
  }

  @Override
  public void close() {
    http.dispatcher().executorService().shutdown();
    http.connectionPool().evictAll();
  }

  private Response sendGet(String authorization, Request request)
      throws IOException, ForgeException, InterruptedException {
    pace.await(authorization);
    try {
      return http.newCall(request).execute();
    } catch (IOException e) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while the forge was asked");
      }
      pace.await(authorization);
      return http.newCall(request).execute();
    }
  }

  private JsonNode success(String authorization, String what, Response response)
      throws IOException, ForgeException {
    String text = response.body().string();
    int status = response.code();
    if (status >= 200 && status < 300) {
      return parse(what, text);
    }
    Optional<Instant> pause = pauseAskedFor(status, response, text);
    if (pause.isPresent()) {
      throw pace.pause(authorization, pause.get());
    }
    if (status >= 500 || status == 408) {
      throw new ForgeException("%s: the forge answered %d".formatted(what, status));
    }
    throw new ForgeException.Refused(what, status, message(text));
  }

  private JsonNode parse(String what, String text) throws ForgeException {
    try {
      return text.isBlank() ? MissingNode.getInstance() : json.readTree(text);
    } catch (JsonProcessingException e) {
      throw new ForgeException(what + ": the answer is not JSON", e);
    }
  }

  /** 403 and 429 mean a pause if they say how long, or that the budget is gone. */
  private Optional<Instant> pauseAskedFor(int status, Response response, String text) {
    String retryAfter = response.header("Retry-After");
    Instant now = clock.instant();
    if (status != 403 && status != 429 && (status != 503 || retryAfter == null)) {
      return Optional.empty();
    }
    if (retryAfter != null && retryAfter.matches("\\d{1,6}")) {
      return Optional.of(now.plusSeconds(Long.parseLong(retryAfter)));
    }
    String reset = response.header("X-RateLimit-Reset");
    if ("0".equals(response.header("X-RateLimit-Remaining"))
        && reset != null
        && reset.matches("\\d{1,12}")) {
      return Optional.of(Instant.ofEpochSecond(Long.parseLong(reset)));
    }
    return status == 429 || text.contains("rate limit")
        ? Optional.of(now.plus(DEFAULT_PAUSE))
        : Optional.empty();
  }

  private String message(String text) {
    try {
      return json.readTree(text).path("message").asText("no reason given");
    } catch (JsonProcessingException e) {
      return "no reason given";
    }
  }

  private HttpUrl url(String path) {
    HttpUrl url = base.resolve(path);
    if (url == null) {
      throw new IllegalArgumentException("not a path: " + path);
    }
    return url;
  }

  private Request.Builder request(String authorization, HttpUrl url) {
    return new Request.Builder()
        .url(url)
        .header("Authorization", authorization)
        .header("Accept", "application/vnd.github+json")
        .header("X-GitHub-Api-Version", "2022-11-28")
        .header("User-Agent", agent);
  }
}
