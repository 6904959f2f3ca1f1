package io.leasehold.http.apache;

import io.leasehold.http.Lane;
import io.leasehold.http.OutgoingRequest;
import io.leasehold.http.RequestMeter;
import java.io.IOException;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;

/** The counting step of a blocking client. */
final class ClassicMeterExec implements ExecChainHandler {

  private final RequestMeter meter;

  ClassicMeterExec(RequestMeter meter) {
    this.meter = meter;
  }

  @Override
  public ClassicHttpResponse execute(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    OutgoingRequest outgoing = Exchanges.outgoing(request, scope.route, Lane.current());
    meter.sent(outgoing);
    ClassicHttpResponse response;
    try {
      response = chain.proceed(request, scope);
    } catch (IOException e) {
      if (Exchanges.foundNoConnection(e)) {
        meter.unconnected(outgoing);
      }
      throw e;
    }
    Exchanges.answered(meter, outgoing, request, response);
    return response;
  }
}
