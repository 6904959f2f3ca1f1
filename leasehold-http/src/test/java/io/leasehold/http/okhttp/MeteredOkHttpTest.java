package io.leasehold.http.okhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.http.AdapterContract;
import io.leasehold.http.Lane;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.junit.jupiter.api.Test;

class MeteredOkHttpTest extends AdapterContract {

  private final AtomicInteger callsSeenByTheUsersListener = new AtomicInteger();
  private final OkHttpClient client =
      MeteredOkHttp.install(
              new OkHttpClient.Builder()
                  .eventListener(
                      new EventListener() {
                        @Override
                        public void callStart(Call call) {
                          callsSeenByTheUsersListener.incrementAndGet();
                        }
                      }),
              meter)
          .build();

  @Override
  protected void closeClient() {
    client.dispatcher().executorService().shutdown();
    client.connectionPool().evictAll();
  }

  @Override
  protected Answer send(String method, String url, String body) throws IOException {
    try (Response response = client.newCall(request(method, url, body)).execute()) {
      response.body().bytes();
      return new Answer(response.code());
    }
  }

  @Override
  protected boolean resendsPost() {
    return true;
  }

  @Test
  void anEnqueuedCallIsInTheLaneOfWhoMadeIt() throws Exception {
    server.redirect("/a", 302, "/b").ok("/b");
    CompletableFuture<Integer> status = new CompletableFuture<>();

    Lane.run(
        "sweeper",
        () ->
            client
                .newCall(request("GET", server.url("/a"), ""))
                .enqueue(
                    new Callback() {
                      @Override
                      public void onFailure(Call call, IOException e) {
                        status.completeExceptionally(e);
                      }

                      @Override
                      public void onResponse(Call call, Response response) {
                        response.close();
                        status.complete(response.code());
                      }
                    }));

    assertThat(status.get(10, TimeUnit.SECONDS)).isEqualTo(200);
    assertThat(metered()).isEqualTo(server.counts());
    assertThat(meter.snapshot().counts())
        .allSatisfy(c -> assertThat(c.series().lane()).isEqualTo("sweeper"));
  }

  @Test
  void theUsersOwnListenerStays() throws Exception {
    server.ok("/a");
    send("GET", server.url("/a"), "");
    assertThat(callsSeenByTheUsersListener).hasValue(1);
  }

  @Test
  void aListenerSetLaterReplacesTheMetersButRequestsStillCount() throws Exception {
    server.redirect("/a", 302, "/b").ok("/b");
    OkHttpClient replaced = client.newBuilder().eventListener(EventListener.NONE).build();

    replaced.newCall(request("GET", server.url("/a"), "")).execute().close();

    assertThat(metered()).isEqualTo(server.counts());
  }

  @Test
  void aSecondMeterOnOneBuilderIsRefused() {
    OkHttpClient.Builder metered = client.newBuilder();
    assertThatThrownBy(() -> MeteredOkHttp.install(metered, meter))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("metered already");
  }

  @Test
  void anAttemptThatTriesSeveralAddressesCountsOnce() throws Exception {
    server.ok("/a");
    OkHttpClient twoAddresses =
        client
            .newBuilder()
            .dns(
                host ->
                    List.of(
                        InetAddress.getByAddress(host, new byte[] {127, 0, 0, 2}),
                        InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1})))
            .build();

    try (Response response =
        twoAddresses
            .newCall(request("GET", "http://forge.test:" + server.port() + "/a", ""))
            .execute()) {
      assertThat(response.code()).isEqualTo(200);
    }

    assertThat(metered()).isEqualTo(server.counts()).isEqualTo(Map.of("GET /a", 1L));
  }

  @Test
  void aHostThatDoesNotExistCountsAsUnconnected() {
    OkHttpClient noDns =
        client
            .newBuilder()
            .dns(
                host -> {
                  throw new java.net.UnknownHostException(host);
                })
            .build();

    assertThatThrownBy(
            () -> noDns.newCall(request("GET", "http://forge.test/a", "")).execute().close())
        .isInstanceOf(IOException.class);

    assertThat(metered()).isEqualTo(Map.of("GET /a", 1L));
    assertThat(meter.snapshot().unconnected()).isEqualTo(1);
  }

  @Test
  void aWebSocketsHandshakeCounts() {
    WebSocket socket =
        client.newWebSocket(request("GET", server.url("/socket"), ""), new WebSocketListener() {});

    awaitSeen(1);
    socket.cancel();

    assertThat(metered()).isEqualTo(server.counts()).isEqualTo(Map.of("GET /socket", 1L));
  }

  private static Request request(String method, String url, String body) {
    return new Request.Builder()
        .url(url)
        .header("Authorization", "Bearer secret")
        .method(method, body.isEmpty() ? null : RequestBody.create(body, null))
        .build();
  }
}
