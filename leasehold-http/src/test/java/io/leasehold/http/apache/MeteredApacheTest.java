package io.leasehold.http.apache;

import io.leasehold.http.AdapterContract;
import java.io.IOException;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;
import org.apache.hc.core5.io.CloseMode;

class MeteredApacheTest extends AdapterContract {

  private final CloseableHttpClient client =
      MeteredApache.install(HttpClientBuilder.create(), meter).build();

  @Override
  protected void closeClient() {
    client.close(CloseMode.IMMEDIATE);
  }

  @Override
  protected Answer send(String method, String url, String body) throws IOException {
    ClassicRequestBuilder request =
        ClassicRequestBuilder.create(method)
            .setUri(url)
            .setHeader("Authorization", "Bearer secret");
    if (!body.isEmpty()) {
      request.setEntity(new StringEntity(body));
    }
    return client.execute(request.build(), response -> new Answer(response.getCode()));
  }

  @Override
  protected boolean resendsPost() {
    return false;
  }
}
