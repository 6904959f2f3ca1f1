package io.leasehold.http.okhttp;

import io.leasehold.http.RequestMeter;
import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Response;

/**
 * Tells a call's meter the request as it goes to the network, after all rewriting. Where somebody
 * replaced the event listener there is no such meter, and the request is counted here.
 */
final class NetworkRequests implements Interceptor {

  private final RequestMeter meter;

  NetworkRequests(RequestMeter meter) {
    this.meter = meter;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    CallMeter counting = chain.call().tag(CallMeter.class);
    if (counting != null) {
      counting.request(chain.request());
      return chain.proceed(chain.request());
    }
    CallMeter alone = new CallMeter(meter, chain.request());
    alone.requestHeadersStart(chain.call());
    Response response = chain.proceed(chain.request());
    alone.responseHeadersEnd(chain.call(), response);
    return response;
  }
}
