package io.leasehold.http.apache;

import io.leasehold.http.OutgoingRequest;
import io.leasehold.http.RequestMeter;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Optional;
import javax.net.ssl.SSLHandshakeException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpMessage;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;

/** What both kinds of client have in common: Apache's messages in the meter's terms. */
final class Exchanges {

  private Exchanges() {}

  static OutgoingRequest outgoing(HttpRequest request, HttpRoute route, String lane) {
    HttpHost host = route.getTargetHost();
    int port = host.getPort() > 0 ? host.getPort() : "http".equals(host.getSchemeName()) ? 80 : 443;
    return new OutgoingRequest(
        request.getMethod(), host.getHostName(), port, path(request.getPath()), lane);
  }

  static void answered(
      RequestMeter meter, OutgoingRequest outgoing, HttpRequest request, HttpResponse response) {
    meter.answered(
        outgoing,
        response.getCode(),
        name -> header(response, name),
        header(request, "Authorization"));
  }

  static boolean foundNoConnection(Throwable failure) {
    return failure instanceof ConnectException
        || failure instanceof ConnectTimeoutException
        || failure instanceof UnknownHostException
        || failure instanceof NoRouteToHostException
        || failure instanceof SSLHandshakeException;
  }

  private static Optional<String> header(HttpMessage message, String name) {
    Header first = message.getFirstHeader(name);
    return first == null ? Optional.empty() : Optional.ofNullable(first.getValue());
  }

  /** Without the query; through a proxy the request line may hold the whole address. */
  private static String path(String target) {
    if (target == null) {
      return "/";
    }
    int query = target.indexOf('?');
    String path = query < 0 ? target : target.substring(0, query);
    if (path.startsWith("/")) {
      return path;
    }
    try {
      String raw = URI.create(path).getRawPath();
      return raw == null ? "/" : raw;
    } catch (IllegalArgumentException e) {
      return "/";
    }
  }
}
