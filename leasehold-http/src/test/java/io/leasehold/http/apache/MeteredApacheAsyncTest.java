package io.leasehold.http.apache;

import io.leasehold.http.AdapterContract;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.io.CloseMode;

class MeteredApacheAsyncTest extends AdapterContract {

  private final CloseableHttpAsyncClient client =
      MeteredApache.install(HttpAsyncClientBuilder.create(), meter).build();

  MeteredApacheAsyncTest() {
    client.start();
  }

  @Override
  protected void closeClient() {
    client.close(CloseMode.GRACEFUL);
  }

  @Override
  protected Answer send(String method, String url, String body) throws Exception {
    SimpleRequestBuilder builder =
        SimpleRequestBuilder.create(method).setUri(url).setHeader("Authorization", "Bearer secret");
    if (!body.isEmpty()) {
      builder.setBody(body, ContentType.TEXT_PLAIN);
    }
    SimpleHttpRequest request = builder.build();
    try {
      SimpleHttpResponse response = client.execute(request, null).get(20, TimeUnit.SECONDS);
      return new Answer(response.getCode());
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    }
  }

  /** A connection closed by the server is not among the failures this client tries again after. */
  @Override
  protected boolean resendsGet() {
    return false;
  }

  @Override
  protected boolean resendsPost() {
    return false;
  }
}
