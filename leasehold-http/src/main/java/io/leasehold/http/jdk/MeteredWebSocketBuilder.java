package io.leasehold.http.jdk;

import io.leasehold.http.OutgoingRequest;
import io.leasehold.http.RequestMeter;
import java.net.URI;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Counts the one request that opens a web socket. */
final class MeteredWebSocketBuilder implements WebSocket.Builder {

  private final WebSocket.Builder plain;
  private final RequestMeter meter;

  MeteredWebSocketBuilder(WebSocket.Builder plain, RequestMeter meter) {
    this.plain = plain;
    this.meter = meter;
  }

  @Override
  public WebSocket.Builder header(String name, String value) {
    plain.header(name, value);
    return this;
  }

  @Override
  public WebSocket.Builder connectTimeout(Duration timeout) {
    plain.connectTimeout(timeout);
    return this;
  }

  @Override
  public WebSocket.Builder subprotocols(String mostPreferred, String... lesserPreferred) {
    plain.subprotocols(mostPreferred, lesserPreferred);
    return this;
  }

  @Override
  public CompletableFuture<WebSocket> buildAsync(URI uri, WebSocket.Listener listener) {
    meter.sent(OutgoingRequest.of("GET", uri));
    return plain.buildAsync(uri, listener);
  }
}
