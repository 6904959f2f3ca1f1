package io.leasehold.http;

import java.net.URI;
import java.util.Locale;
import java.util.Set;

/**
 * One request about to be sent, as the meter sees it. For those who write an adapter for another
 * client.
 *
 * <pre>{@code
 * OutgoingRequest request = OutgoingRequest.of("GET", uri);
 * meter.sent(request);
 * }</pre>
 *
 * @param method the method; one that is not standard becomes {@code _OTHER}
 * @param host the host the request is for, not that of a proxy; kept in lower case
 * @param port its port, or 0 where it has none
 * @param path the path as it is sent, without the query; an empty one becomes {@code /}
 * @param lane the lane it is sent in
 */
public record OutgoingRequest(String method, String host, int port, String path, String lane) {

  /** What a method that is not standard is called, as OpenTelemetry has it. */
  private static final String OTHER_METHOD = "_OTHER";

  private static final Set<String> METHODS =
      Set.of(
          "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY");

  /** Normalises the parts. */
  public OutgoingRequest {
    method = METHODS.contains(method) ? method : OTHER_METHOD;
    host = host.isEmpty() ? "(no host)" : host.toLowerCase(Locale.ROOT);
    path = path.isEmpty() ? "/" : path;
  }

  /**
   * A request in the lane of this thread.
   *
   * @param method the method
   * @param uri where it is sent
   * @return the request
   */
  public static OutgoingRequest of(String method, URI uri) {
    return of(method, uri, Lane.current());
  }

  /**
   * A request in a lane that was taken note of earlier, perhaps on another thread.
   *
   * @param method the method
   * @param uri where it is sent
   * @param lane the lane
   * @return the request
   */
  public static OutgoingRequest of(String method, URI uri, String lane) {
    String host = uri.getHost();
    String path = uri.getRawPath();
    int port = uri.getPort() >= 0 ? uri.getPort() : defaultPort(uri.getScheme());
    return new OutgoingRequest(
        method, host == null ? "" : host, port, path == null ? "" : path, lane);
  }

  private static int defaultPort(String scheme) {
    return "http".equalsIgnoreCase(scheme) || "ws".equalsIgnoreCase(scheme) ? 80 : 443;
  }
}
