package io.leasehold.http.jdk;

import io.leasehold.http.OutgoingRequest;
import io.leasehold.http.RequestMeter;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscribers;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLHandshakeException;

/**
 * One request of a chain of redirects, and how it got here.
 *
 * @param hops how many hops came before
 * @param before the answer that led here, if any
 */
record Hop<T>(
    RequestMeter meter,
    Redirect policy,
    HttpRequest request,
    OutgoingRequest outgoing,
    BodyHandler<T> userHandler,
    int hops,
    Optional<HttpResponse<T>> before) {

  static <T> Hop<T> first(
      RequestMeter meter,
      Redirect policy,
      String lane,
      HttpRequest request,
      BodyHandler<T> handler) {
    return new Hop<>(
        meter,
        policy,
        request,
        OutgoingRequest.of(request.method(), request.uri(), lane),
        handler,
        0,
        Optional.empty());
  }

  /** The request as it is handed to the JDK's client: it can be sent once. */
  HttpRequest guarded() {
    return ResendGuard.guard(request);
  }

  /** The caller's handler, unless the answer is a redirect that will be followed. */
  BodyHandler<T> handler() {
    return info ->
        next(info.statusCode(), info.headers()).isPresent()
            ? BodySubscribers.mapping(BodySubscribers.discarding(), Hop::noBody)
            : userHandler.apply(info);
  }

  void sent() {
    meter.sent(outgoing);
  }

  void answered(HttpResponse<T> response) {
    meter.answered(
        outgoing,
        response.statusCode(),
        name -> response.headers().firstValue(name),
        request.headers().firstValue("Authorization"));
  }

  void failed(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof ConnectException
        || cause instanceof HttpConnectTimeoutException
        || cause instanceof UnknownHostException
        || cause instanceof SSLHandshakeException) {
      meter.unconnected(outgoing);
    }
  }

  Optional<Hop<T>> after(HttpResponse<T> response) {
    return next(response.statusCode(), response.headers())
        .map(
            next ->
                new Hop<>(
                    meter,
                    policy,
                    next,
                    OutgoingRequest.of(next.method(), next.uri(), outgoing.lane()),
                    userHandler,
                    hops + 1,
                    Optional.of(last(response))));
  }

  /** The answer as the caller sees it: with its own request, and the answers that led here. */
  HttpResponse<T> last(HttpResponse<T> response) {
    return new FollowedResponse<>(response, request, before);
  }

  private Optional<HttpRequest> next(int status, HttpHeaders headers) {
    return hops < Redirects.MAX_HOPS
        ? Redirects.next(policy, request, status, headers.firstValue("Location"))
        : Optional.empty();
  }

  // The body of an answer that was followed is never shown but through previousResponse(), where
  // the JDK's client has null as well.
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T noBody(Void nothing) {
    return null;
  }
}
