package io.leasehold.http.apache;

import io.leasehold.http.Lane;
import io.leasehold.http.OutgoingRequest;
import io.leasehold.http.RequestMeter;
import java.io.IOException;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.client5.http.async.AsyncExecChain;
import org.apache.hc.client5.http.async.AsyncExecChainHandler;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncDataConsumer;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;

/**
 * The counting step of an asynchronous client. The first attempt of an exchange runs on the
 * caller's thread; later hops and retries run on the client's own threads, where the caller's lane
 * is unknown. So the lane is kept in the context, with the exchange it belongs to: a context may be
 * used again.
 */
final class AsyncMeterExec implements AsyncExecChainHandler {

  private static final String ATTRIBUTE = "io.leasehold.http.lane";

  private final RequestMeter meter;

  private record ExchangeLane(String exchange, String lane) {}

  AsyncMeterExec(RequestMeter meter) {
    this.meter = meter;
  }

  @Override
  public void execute(
      HttpRequest request,
      AsyncEntityProducer entityProducer,
      AsyncExecChain.Scope scope,
      AsyncExecChain chain,
      AsyncExecCallback callback)
      throws HttpException, IOException {
    OutgoingRequest outgoing =
        Exchanges.outgoing(request, scope.route, lane(scope.clientContext, scope.exchangeId));
    meter.sent(outgoing);
    chain.proceed(
        request, entityProducer, scope, new CountingCallback(meter, outgoing, request, callback));
  }

  private static String lane(HttpClientContext context, String exchange) {
    if (context.getAttribute(ATTRIBUTE) instanceof ExchangeLane known
        && known.exchange().equals(exchange)) {
      return known.lane();
    }
    String lane = Lane.current();
    context.setAttribute(ATTRIBUTE, new ExchangeLane(exchange, lane));
    return lane;
  }

  private record CountingCallback(
      RequestMeter meter, OutgoingRequest outgoing, HttpRequest request, AsyncExecCallback next)
      implements AsyncExecCallback {

    @Override
    public AsyncDataConsumer handleResponse(HttpResponse response, EntityDetails entityDetails)
        throws HttpException, IOException {
      Exchanges.answered(meter, outgoing, request, response);
      return next.handleResponse(response, entityDetails);
    }

    @Override
    public void handleInformationResponse(HttpResponse response) throws HttpException, IOException {
      next.handleInformationResponse(response);
    }

    @Override
    public void completed() {
      next.completed();
    }

    @Override
    public void failed(Exception cause) {
      if (Exchanges.foundNoConnection(cause)) {
        meter.unconnected(outgoing);
      }
      next.failed(cause);
    }
  }
}
