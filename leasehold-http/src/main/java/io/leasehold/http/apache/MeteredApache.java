package io.leasehold.http.apache;

import io.leasehold.http.RequestMeter;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;

/**
 * Counts every request an Apache HttpClient 5 sends: each hop of a redirect, each retry, each
 * repetition with credentials, and each attempt that found no connection. Counting sits just before
 * the connect step, below everything in the client that repeats a request.
 *
 * <pre>{@code
 * CloseableHttpClient client = MeteredApache.install(HttpClientBuilder.create(), meter).build();
 * }</pre>
 *
 * <p>An answer from the caching client's cache is not a request and is not counted. Not counted
 * either: {@code CONNECT}, which goes to the proxy. An attempt that tried several addresses of a
 * host counts once.
 */
public final class MeteredApache {

  private static final String NAME = "leasehold-request-meter";

  private MeteredApache() {}

  /**
   * Makes the clients that are built from the builder count, each request in the lane of the thread
   * that executes it.
   *
   * @param builder the builder; installing twice counts twice
   * @param meter what counts
   * @return the builder
   */
  public static HttpClientBuilder install(HttpClientBuilder builder, RequestMeter meter) {
    return builder.addExecInterceptorBefore(
        ChainElement.CONNECT.name(), NAME, new ClassicMeterExec(meter));
  }

  /**
   * Makes the asynchronous clients that are built from the builder count. A request and all that
   * follows from it are in the lane of the thread that handed it to the client.
   *
   * @param builder the builder; installing twice counts twice
   * @param meter what counts
   * @return the builder
   */
  public static HttpAsyncClientBuilder install(HttpAsyncClientBuilder builder, RequestMeter meter) {
    return builder.addExecInterceptorBefore(
        ChainElement.CONNECT.name(), NAME, new AsyncMeterExec(meter));
  }
}
