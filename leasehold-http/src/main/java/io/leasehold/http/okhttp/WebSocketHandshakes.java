package io.leasehold.http.okhttp;

import io.leasehold.http.OutgoingRequest;
import io.leasehold.http.RequestMeter;
import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Counts the request that opens a web socket. OkHttp sends it without network interceptors and
 * without the event listener, so only an application interceptor sees it: once, whatever happens
 * below.
 */
final class WebSocketHandshakes implements Interceptor {

  private final RequestMeter meter;

  WebSocketHandshakes(RequestMeter meter) {
    this.meter = meter;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    Request request = chain.request();
    if ("websocket".equalsIgnoreCase(request.header("Upgrade"))) {
      meter.sent(OutgoingRequest.of(request.method(), request.url().uri()));
    }
    return chain.proceed(request);
  }
}
