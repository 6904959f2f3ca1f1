package io.leasehold.http.jdk;

import io.leasehold.http.Lane;
import io.leasehold.http.RequestMeter;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * A {@link HttpClient} whose every request is counted. The JDK's client follows redirects and sends
 * a GET again where nobody can see it; this one does both itself, visibly:
 *
 * <ul>
 *   <li>Hops are followed here, at most {@value Redirects#MAX_HOPS} of them. {@code Authorization},
 *       {@code Cookie} and {@code Proxy-Authorization} are dropped when the next hop has another
 *       scheme, host or port.
 *   <li>The hidden second attempt at a GET or HEAD whose pooled connection was dropped is turned
 *       off, and made here instead, once, counted.
 *   <li>Requests go out as HTTP/1.1: in HTTP/2 a closing connection's unprocessed streams are sent
 *       again below anything an adapter can see.
 * </ul>
 *
 * <pre>{@code
 * HttpClient client = MeteredHttpClient.over(HttpClient.newHttpClient(), meter);
 * }</pre>
 *
 * <p>A request's timeout holds for each hop. A bodyless GET carries {@code Content-Length: 0}, as
 * the JDK's own client sends it up to Java 18. Thread-safe.
 */
public final class MeteredHttpClient extends HttpClient {

  private final HttpClient plain;
  private final RequestMeter meter;
  private final Redirect redirect;

  private MeteredHttpClient(HttpClient plain, RequestMeter meter, Redirect redirect) {
    this.plain = plain;
    this.meter = meter;
    this.redirect = redirect;
  }

  /**
   * A counting client that follows redirects as {@link HttpClient.Redirect#NORMAL} says: always,
   * except from https to http.
   *
   * @param plain sends the requests; built with {@link HttpClient.Redirect#NEVER}, the default, and
   *     without an authenticator
   * @param meter what counts
   * @return the client
   * @throws IllegalArgumentException if {@code plain} would send requests of its own
   */
  public static HttpClient over(HttpClient plain, RequestMeter meter) {
    return over(plain, meter, Redirect.NORMAL);
  }

  /**
   * A counting client.
   *
   * @param plain sends the requests; built with {@link HttpClient.Redirect#NEVER}, the default, and
   *     without an authenticator
   * @param meter what counts
   * @param redirect which redirects are followed
   * @return the client
   * @throws IllegalArgumentException if {@code plain} would send requests of its own
   */
  public static HttpClient over(HttpClient plain, RequestMeter meter, Redirect redirect) {
    if (plain.followRedirects() != Redirect.NEVER) {
      throw new IllegalArgumentException(
          "the client follows redirects (%s), invisibly; build it with Redirect.NEVER and say here"
                  .formatted(plain.followRedirects())
              + " which redirects to follow");
    }
    if (plain.authenticator().isPresent()) {
      throw new IllegalArgumentException(
          "the client has an authenticator, which repeats requests invisibly;"
              + " send an Authorization header instead");
    }
    if (plain instanceof MeteredHttpClient) {
      throw new IllegalArgumentException("the client is metered already; meter it once");
    }
    return new MeteredHttpClient(plain, meter, redirect);
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    Hop<T> hop = Hop.first(meter, redirect, Lane.current(), request, handler);
    while (true) {
      HttpResponse<T> response = attempts(hop);
      Optional<Hop<T>> next = hop.after(response);
      if (next.isEmpty()) {
        return hop.last(response);
      }
      hop = next.get();
    }
  }

  private <T> HttpResponse<T> attempts(Hop<T> hop) throws IOException, InterruptedException {
    try {
      return attempt(hop);
    } catch (IOException e) {
      if (!ResendGuard.refusedIn(e)) {
        throw e;
      }
    }
    try {
      return attempt(hop);
    } catch (IOException e) {
      throw ResendGuard.refusedIn(e) ? ResendGuard.dropped(e) : e;
    }
  }

  private <T> HttpResponse<T> attempt(Hop<T> hop) throws IOException, InterruptedException {
    hop.sent();
    try {
      HttpResponse<T> response = plain.send(hop.guarded(), hop.handler());
      hop.answered(response);
      return response;
    } catch (IOException e) {
      hop.failed(e);
      throw e;
    }
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    AsyncExchange<T> exchange = new AsyncExchange<>(plain);
    exchange.start(Hop.first(meter, redirect, Lane.current(), request, handler));
    return exchange;
  }

  /** HTTP/1.1 has no pushes, so the push handler is never called. */
  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> pushPromiseHandler) {
    return sendAsync(request, handler);
  }

  @Override
  public WebSocket.Builder newWebSocketBuilder() {
    return new MeteredWebSocketBuilder(plain.newWebSocketBuilder(), meter);
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return plain.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return plain.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return redirect;
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return plain.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return plain.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return plain.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return Optional.empty();
  }

  @Override
  public Version version() {
    return Version.HTTP_1_1;
  }

  @Override
  public Optional<Executor> executor() {
    return plain.executor();
  }
}
