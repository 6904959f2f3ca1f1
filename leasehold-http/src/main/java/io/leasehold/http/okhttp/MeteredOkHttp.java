package io.leasehold.http.okhttp;

import io.leasehold.http.RequestMeter;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;

/**
 * Counts every request an OkHttp client sends: each hop of a redirect, each retry of 408 and 503,
 * each resend on another connection after a pooled one was dropped, each web socket's handshake,
 * and each attempt that found no connection. Answers from OkHttp's cache are not requests and are
 * not counted; a conditional request is.
 *
 * <pre>{@code
 * OkHttpClient client = MeteredOkHttp.install(new OkHttpClient.Builder(), meter).build();
 * }</pre>
 *
 * <p>A web socket's handshake is in no lane but that of OkHttp's own thread, and counts once even
 * if it is redirected. Any other request is in the lane of the thread that called {@code newCall},
 * also when it is enqueued. An attempt that tried several addresses of a host counts once. Not
 * counted: {@code CONNECT}, and DNS over HTTPS, which go to other servers.
 */
public final class MeteredOkHttp {

  private MeteredOkHttp() {}

  /**
   * Makes the clients that are built from the builder count. An event listener that is already
   * there stays. One that is set later replaces the meter's, so install last: without it attempts
   * that find no connection are not seen, and an enqueued call's lane is not known.
   *
   * @param builder the builder
   * @param meter what counts
   * @return the builder
   * @throws IllegalArgumentException if a meter is installed already: each request would count
   *     twice
   */
  public static OkHttpClient.Builder install(OkHttpClient.Builder builder, RequestMeter meter) {
    if (builder.networkInterceptors().stream().anyMatch(NetworkRequests.class::isInstance)) {
      throw new IllegalArgumentException(
          "this OkHttpClient.Builder is metered already; install one meter, once");
    }
    EventListener.Factory present = builder.build().eventListenerFactory();
    return builder
        .addInterceptor(new WebSocketHandshakes(meter))
        .addNetworkInterceptor(new NetworkRequests(meter))
        .eventListenerFactory(
            call -> present.create(call).plus(new CallMeter(meter, call.request())));
  }
}
