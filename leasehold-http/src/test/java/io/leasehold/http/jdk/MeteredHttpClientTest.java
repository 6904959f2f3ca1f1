package io.leasehold.http.jdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.http.AdapterContract;
import io.leasehold.http.CountingServer;
import java.io.IOException;
import java.net.Authenticator;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class MeteredHttpClientTest extends AdapterContract {

  private final HttpClient client = MeteredHttpClient.over(HttpClient.newHttpClient(), meter);

  @Override
  protected void closeClient() {}

  @Override
  protected Answer send(String method, String url, String body) throws Exception {
    return new Answer(
        client.send(request(method, url, body), BodyHandlers.ofString()).statusCode());
  }

  @Override
  protected boolean resendsPost() {
    return false;
  }

  /** The same contract over {@code sendAsync}. */
  @Nested
  class Async extends AdapterContract {

    private final HttpClient asyncClient =
        MeteredHttpClient.over(HttpClient.newHttpClient(), meter);

    @Override
    protected void closeClient() {}

    @Override
    protected Answer send(String method, String url, String body) throws Exception {
      try {
        return new Answer(
            asyncClient
                .sendAsync(request(method, url, body), BodyHandlers.ofString())
                .join()
                .statusCode());
      } catch (CompletionException e) {
        throw e.getCause() instanceof IOException io ? io : e;
      }
    }

    @Override
    protected boolean resendsPost() {
      return false;
    }
  }

  @Test
  void aConnectionDroppedTwiceFailsAndCountsBothAttempts() throws Exception {
    server.ok("/warm").on("/drop", request -> "");
    send("GET", server.url("/warm"), "");

    assertThatThrownBy(() -> send("GET", server.url("/drop"), "")).isInstanceOf(IOException.class);

    assertThat(metered())
        .isEqualTo(server.counts())
        .isEqualTo(Map.of("GET /warm", 1L, "GET /drop", 2L));
  }

  @Test
  void theCallerSeesTheLastAnswerAndHowItGotThere() throws Exception {
    server.redirect("/a", 302, "/b").redirect("/b", 308, "/c").ok("/c");

    HttpResponse<String> response =
        client.send(request("GET", server.url("/a"), ""), BodyHandlers.ofString());

    assertThat(response.body()).isEqualTo("ok");
    assertThat(response.uri()).hasPath("/c");
    assertThat(response.previousResponse().orElseThrow().statusCode()).isEqualTo(308);
    assertThat(
            response
                .previousResponse()
                .orElseThrow()
                .previousResponse()
                .orElseThrow()
                .request()
                .uri())
        .hasPath("/a");
  }

  @Test
  void anEndlessRedirectStopsAfterFiveHopsAndTheCallerGetsTheLastOneWhole() throws Exception {
    server.redirect("/loop", 302, "/loop");

    HttpResponse<String> response =
        client.send(request("GET", server.url("/loop"), ""), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(302);
    assertThat(response.body()).isEqualTo("ok");
    assertThat(metered()).isEqualTo(server.counts()).isEqualTo(Map.of("GET /loop", 6L));
  }

  @Test
  void aRedirectToNowhereIsHandedToTheCaller() throws Exception {
    server.redirect("/bad", 302, "http://not a host/");
    assertThat(send("GET", server.url("/bad"), "").status()).isEqualTo(302);
  }

  @Test
  void aPolicyOfNeverHandsOverTheRedirect() throws Exception {
    server.redirect("/a", 302, "/b");
    HttpClient never =
        MeteredHttpClient.over(HttpClient.newHttpClient(), meter, HttpClient.Redirect.NEVER);

    HttpResponse<String> response =
        never.send(request("GET", server.url("/a"), ""), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(302);
    assertThat(metered()).isEqualTo(Map.of("GET /a", 1L));
  }

  @Test
  void cancellingTheFutureCancelsTheRequest() throws Exception {
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    server.on(
        "/slow",
        request -> {
          reached.countDown();
          try {
            over.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return CountingServer.answer("200 OK");
        });

    CompletableFuture<HttpResponse<String>> answer =
        client.sendAsync(request("GET", server.url("/slow"), ""), BodyHandlers.ofString());
    assertThat(reached.await(10, TimeUnit.SECONDS)).isTrue();
    answer.cancel(true);
    over.countDown();

    assertThat(answer).isCancelled();
    assertThat(metered()).isEqualTo(Map.of("GET /slow", 1L));
  }

  @Test
  void aTimeoutIsTheCallersAndCountsOneRequest() {
    server.on(
        "/slow",
        request -> {
          try {
            Thread.sleep(2_000);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return "";
        });
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.url("/slow")))
            .timeout(Duration.ofMillis(200))
            .build();

    assertThatThrownBy(() -> client.send(request, BodyHandlers.ofString()))
        .isInstanceOf(java.net.http.HttpTimeoutException.class);

    assertThat(metered()).isEqualTo(Map.of("GET /slow", 1L));
    assertThat(meter.snapshot().unconnected()).isZero();
  }

  @Test
  void clientsThatSendRequestsOfTheirOwnAreRefused() {
    HttpClient following =
        HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
    HttpClient authenticating =
        HttpClient.newBuilder().authenticator(new Authenticator() {}).build();

    assertThatThrownBy(() -> MeteredHttpClient.over(following, meter))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Redirect.NEVER");
    assertThatThrownBy(() -> MeteredHttpClient.over(authenticating, meter))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("authenticator");
    assertThatThrownBy(() -> MeteredHttpClient.over(client, meter, HttpClient.Redirect.NORMAL))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static HttpRequest request(String method, String url, String body) {
    return HttpRequest.newBuilder(URI.create(url))
        .header("Authorization", "Bearer secret")
        .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
        .build();
  }
}
