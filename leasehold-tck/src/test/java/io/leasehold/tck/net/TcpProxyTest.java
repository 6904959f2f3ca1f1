package io.leasehold.tck.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class TcpProxyTest {

  /** Long enough for an answer on loopback that does come, on a busy machine. */
  private static final int PATIENCE_MILLIS = 10_000;

  /** How long a test looks for an answer that must not come. */
  private static final int SILENCE_MILLIS = 200;

  private EchoServer server;
  private TcpProxy proxy;

  @BeforeEach
  void open() throws IOException {
    server = new EchoServer();
    proxy = TcpProxy.to("127.0.0.1", server.port());
  }

  @AfterEach
  void close() throws IOException {
    proxy.close();
    server.close();
  }

  /** A client that sends lines and reads the answers. */
  private static final class Client implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader in;

    Client(TcpProxy proxy) throws IOException {
      socket = new Socket(proxy.host(), proxy.port());
      socket.setSoTimeout(PATIENCE_MILLIS);
      in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    void send(String line) throws IOException {
      socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    String answer() throws IOException {
      String line = in.readLine();
      return line == null ? "(end)" : line;
    }

    String ask(String line) throws IOException {
      send(line);
      return answer();
    }

    void expectSilence() throws IOException {
      socket.setSoTimeout(SILENCE_MILLIS);
      assertThatThrownBy(this::answer).isInstanceOf(SocketTimeoutException.class);
      socket.setSoTimeout(PATIENCE_MILLIS);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  void forwardsBothWays() throws IOException {
    try (Client client = new Client(proxy)) {
      assertThat(client.ask("one")).isEqualTo("one");
      assertThat(client.ask("x".repeat(200_000))).hasSize(200_000);
    }
    assertThat(proxy.accepted()).isEqualTo(1);
  }

  @Test
  void passesOnTheEndOfAClient() throws IOException {
    try (Client client = new Client(proxy)) {
      client.send("last");
      client.socket.shutdownOutput();
      assertThat(client.answer()).isEqualTo("last");
      assertThat(client.answer()).isEqualTo("(end)");
    }
  }

  @Test
  void countsARequestAndItsAnswerAsOneRoundTrip() throws IOException {
    try (Client client = new Client(proxy)) {
      for (int i = 1; i <= 50; i++) {
        client.ask("x".repeat(i * 1_000));
        assertThat(proxy.roundTrips()).isEqualTo(i);
      }
    }
  }

  @Test
  void countsRequestsSentTogetherAsOneRoundTrip() throws IOException {
    try (Client client = new Client(proxy)) {
      client.send("a\nb\nc");
      assertThat(client.answer() + client.answer() + client.answer()).isEqualTo("abc");
      assertThat(proxy.roundTrips()).isEqualTo(1);
    }
  }

  @Test
  void delaysEachAnswerWithoutSlowingThoseBehindIt() throws IOException {
    try (Client client = new Client(proxy)) {
      client.ask("warm");
      proxy.delay(Duration.ofMillis(150));
      long start = System.nanoTime();
      client.send("first");
      await().until(() -> server.seen.contains("first"));
      client.send("second");
      assertThat(client.answer()).isEqualTo("first");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(millis(150));
      assertThat(client.answer()).isEqualTo("second");

      proxy.restore();
      start = System.nanoTime();
      client.ask("quick");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }
  }

  @Test
  void stallsAndGoesOnWithWhatWasHeld() throws IOException {
    try (Client before = new Client(proxy)) {
      before.ask("warm");
      proxy.stall();
      before.send("held");
      before.expectSilence();
      try (Client during = new Client(proxy)) {
        during.send("also held");
        during.expectSilence();
        assertThat(server.seen).containsExactly("warm");

        proxy.restore();
        assertThat(before.answer()).isEqualTo("held");
        assertThat(during.answer()).isEqualTo("also held");
      }
    }
  }

  @Test
  void swallowsAnswersOfRequestsThatHappenedAndCutsWhenRestored() throws IOException {
    try (Client client = new Client(proxy)) {
      proxy.swallowAnswers();
      client.send("done");
      await().until(() -> server.seen.contains("done"));
      client.expectSilence();

      proxy.restore();
      assertThatThrownBy(client::answer).isInstanceOf(SocketException.class);
    }
    try (Client again = new Client(proxy)) {
      assertThat(again.ask("again")).isEqualTo("again");
    }
  }

  @Test
  void cutsAtTheAnswerOfARequestThatHappened() throws IOException {
    try (Client client = new Client(proxy)) {
      client.ask("warm");
      proxy.cutAtAnswer();
      assertThatThrownBy(() -> client.ask("done")).isInstanceOf(SocketException.class);
      assertThat(server.seen).contains("done");
    }
  }

  @Test
  void cutsAllConnectionsAndAcceptsNewOnes() throws IOException {
    try (Client client = new Client(proxy)) {
      client.ask("warm");
      proxy.cutAll();
      assertThatThrownBy(client::answer).isInstanceOf(SocketException.class);
    }
    try (Client again = new Client(proxy)) {
      assertThat(again.ask("again")).isEqualTo("again");
    }
  }

  @Test
  void refusesAndAcceptsAgainOnTheSamePort() throws IOException {
    int port = proxy.port();
    try (Client client = new Client(proxy)) {
      client.ask("warm");
      proxy.refuse();
      assertThatThrownBy(client::answer).isInstanceOf(SocketException.class);
    }
    assertThatThrownBy(() -> new Client(proxy)).isInstanceOf(ConnectException.class);

    proxy.restore();
    assertThat(proxy.port()).isEqualTo(port);
    try (Client again = new Client(proxy)) {
      assertThat(again.ask("again")).isEqualTo("again");
    }
  }

  @Test
  void aServerThatIsDownIsSeenAsACutConnection() throws IOException {
    server.close();
    try (Client client = new Client(proxy)) {
      assertThatThrownBy(() -> client.ask("anybody?")).isInstanceOf(SocketException.class);
    }
  }

  @Test
  void endsItsThreadsWhenClosed() throws IOException {
    try (Client forwarding = new Client(proxy)) {
      forwarding.ask("warm");
      proxy.stall();
      forwarding.send("held");
      assertThat(threads()).isPositive();
      proxy.close();
      proxy.close();
      await().untilAsserted(() -> assertThat(threads()).isZero());
    }
  }

  private long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("leasehold-tck-proxy-"))
        .filter(thread -> thread.getName().contains(Integer.toString(proxy.port())))
        .count();
  }

  private static Duration millis(int millis) {
    return Duration.ofMillis(millis);
  }
}
