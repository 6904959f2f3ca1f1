package io.leasehold.http.okhttp;

import io.leasehold.http.Lane;
import io.leasehold.http.OutgoingRequest;
import io.leasehold.http.RequestMeter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.util.Optional;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Counts the attempts of one call. An attempt ends in one of two ways: its headers are written
 * ({@code requestHeadersStart}), or it found no connection, which shows as a connection having been
 * tried when OkHttp decides whether to retry. Connects of one attempt may run in parallel (fast
 * fallback), on other threads: hence the volatile fields, and one count per attempt, not per
 * address.
 */
final class CallMeter extends EventListener {

  private final RequestMeter meter;
  private final String lane = Lane.current();
  private volatile Request current;
  private volatile boolean connecting;

  CallMeter(RequestMeter meter, Request first) {
    this.meter = meter;
    this.current = first;
  }

  void request(Request request) {
    current = request;
  }

  /** Makes itself known to {@link NetworkRequests}; a call under construction takes no tags yet. */
  @Override
  public void callStart(Call call) {
    call.tag(CallMeter.class, () -> this);
  }

  @Override
  public void dnsStart(Call call, String domainName) {
    connecting = true;
  }

  @Override
  public void connectStart(Call call, InetSocketAddress address, Proxy proxy) {
    connecting = true;
  }

  @Override
  public void requestHeadersStart(Call call) {
    connecting = false;
    meter.sent(outgoing(current));
  }

  @Override
  public void responseHeadersEnd(Call call, Response response) {
    meter.answered(
        outgoing(current),
        response.code(),
        name -> Optional.ofNullable(response.header(name)),
        Optional.ofNullable(current.header("Authorization")));
  }

  @Override
  public void retryDecision(Call call, IOException exception, boolean retry) {
    if (connecting) {
      connecting = false;
      OutgoingRequest request = outgoing(current);
      meter.sent(request);
      meter.unconnected(request);
    }
  }

  @Override
  public void followUpDecision(Call call, Response networkResponse, @Nullable Request nextRequest) {
    if (nextRequest != null) {
      current = nextRequest;
    }
  }

  private OutgoingRequest outgoing(Request request) {
    HttpUrl url = request.url();
    return new OutgoingRequest(request.method(), url.host(), url.port(), url.encodedPath(), lane);
  }
}
