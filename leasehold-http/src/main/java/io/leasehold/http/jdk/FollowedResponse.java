package io.leasehold.http.jdk;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import javax.net.ssl.SSLSession;

/** An answer that knows the caller's request and the redirects before it. */
record FollowedResponse<T>(
    HttpResponse<T> answer, HttpRequest request, Optional<HttpResponse<T>> previousResponse)
    implements HttpResponse<T> {

  @Override
  public int statusCode() {
    return answer.statusCode();
  }

  @Override
  public HttpHeaders headers() {
    return answer.headers();
  }

  @Override
  public T body() {
    return answer.body();
  }

  @Override
  public Optional<SSLSession> sslSession() {
    return answer.sslSession();
  }

  @Override
  public URI uri() {
    return answer.uri();
  }

  @Override
  public HttpClient.Version version() {
    return answer.version();
  }
}
