package io.leasehold.mergegate;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.sweep.Position;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InboxTest {

  private static final String HEAD = "a".repeat(40);

  private final HikariDataSource database = new HikariDataSource();
  private final HttpClient http = HttpClient.newHttpClient();
  private final InstantSource clock = InstantSource.system();
  private final GatingRuns runs;
  private final Inbox inbox;

  InboxTest(@TempDir Path directory) throws Exception {
    database.setJdbcUrl("jdbc:sqlite:" + directory.resolve("gate.db"));
    database.setMaximumPoolSize(1);
    runs = new GatingRuns(database, clock);
    inbox =
        new Inbox(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new Events(
                runs, clock, Set.of("ci/gate"), Map.of("CI", "ci/gate"), Duration.ofHours(6)),
            Optional.of("webhook-secret"),
            Optional.of("runs-token"),
            () -> "well");
  }

  @AfterEach
  void close() {
    inbox.close();
    database.close();
  }

  private int send(String path, String body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + inbox.port() + path))
            .POST(HttpRequest.BodyPublishers.ofString(body));
    for (int i = 0; i + 1 < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return http.send(request.build(), BodyHandlers.ofString()).statusCode();
  }

  private int webhook(String kind, String body) throws Exception {
    return send(
        "/webhook",
        body,
        "X-GitHub-Event",
        kind,
        "X-Hub-Signature-256",
        "sha256=" + Inbox.signature("webhook-secret", body.getBytes(StandardCharsets.UTF_8)));
  }

  private int report(String state) throws Exception {
    return send(
        "/runs",
        """
        {"id": "1", "repository": "octo/widgets", "pull": 7, "head": "%s", "context": "ci/gate",
         "state": "%s", "reason": "out of memory"}"""
            .formatted(HEAD, state),
        "Authorization",
        "Bearer runs-token");
  }

  private List<GatingRun> due() throws SQLException {
    return runs.page(Instant.EPOCH, Position.before(clock.instant().plusSeconds(5)), 10);
  }

  @Test
  void aRunReportsItselfAndIsDueOnlyOnceItDied() throws Exception {
    assertThat(report("running")).isEqualTo(202);
    assertThat(due()).isEmpty();
    assertThat(report("died")).isEqualTo(202);
    assertThat(due())
        .singleElement()
        .satisfies(
            run -> {
              assertThat(run.pull()).isEqualTo(7);
              assertThat(run.reason()).isEqualTo("out of memory");
            });
    report("running");
    assertThat(due()).as("a late message does not raise the dead").hasSize(1);
    report("verdict");
    assertThat(due()).isEmpty();
    report("died");
    assertThat(due()).as("nor kill who gave a verdict").isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "in_progress,'',false",
    "completed,success,false",
    "completed,failure,false",
    "completed,neutral,false",
    "completed,action_required,false",
    "completed,cancelled,true",
    "completed,timed_out,true",
    "completed,stale,true",
    "completed,startup_failure,true"
  })
  void aCheckRunIsDeadIfItEndedWithoutAVerdict(String status, String conclusion, boolean dead)
      throws Exception {
    String body =
        """
        {"repository": {"full_name": "octo/widgets"},
         "check_run": {"id": 5, "name": "ci/gate", "head_sha": "%s", "status": "%s",
           "conclusion": "%s", "pull_requests": [{"number": 7}]}}"""
            .formatted(HEAD, status, conclusion);
    assertThat(webhook("check_run", body)).isEqualTo(202);
    assertThat(due()).hasSize(dead ? 1 : 0);
  }

  @Test
  void aWorkflowRunAnswersTheCheckItIsConfiguredForAndEachAttemptIsARunOfItsOwn() throws Exception {
    for (int attempt = 1; attempt <= 2; attempt++) {
      webhook(
          "workflow_run",
          """
          {"repository": {"full_name": "octo/widgets"},
           "workflow_run": {"id": 9, "run_attempt": %d, "name": "CI", "head_sha": "%s",
             "status": "completed", "conclusion": "cancelled", "pull_requests": []}}"""
              .formatted(attempt, HEAD));
    }
    assertThat(due())
        .extracting(GatingRun::id)
        .containsExactlyInAnyOrder("workflow_run/9/1", "workflow_run/9/2");
    assertThat(due()).allSatisfy(run -> assertThat(run.context()).isEqualTo("ci/gate"));
  }

  @Test
  void aStatusWithAVerdictSettlesWhateverRanForIt() throws Exception {
    report("died");
    webhook(
        "status",
        """
        {"repository": {"full_name": "octo/widgets"}, "sha": "%s", "context": "ci/gate",
         "state": "success", "target_url": null}"""
            .formatted(HEAD));
    assertThat(due()).isEmpty();
  }

  @Test
  void checksThatDoNotGateAreNotKept() throws Exception {
    webhook(
        "check_run",
        """
        {"repository": {"full_name": "octo/widgets"},
         "check_run": {"id": 5, "name": "lint", "head_sha": "%s", "status": "completed",
           "conclusion": "cancelled"}}"""
            .formatted(HEAD));
    assertThat(due()).isEmpty();
  }

  @Test
  void whoCannotSignIsTurnedAway() throws Exception {
    assertThat(send("/webhook", "{}", "X-GitHub-Event", "check_run")).isEqualTo(401);
    assertThat(send("/webhook", "{}", "X-Hub-Signature-256", "sha256=00")).isEqualTo(401);
    assertThat(send("/runs", "{}")).isEqualTo(401);
    assertThat(send("/runs", "{}", "Authorization", "Bearer wrong")).isEqualTo(401);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "not json",
        "{}",
        "{\"id\": \"1\", \"repository\": \"../x\", \"head\": \"a\", \"context\": \"c\", \"state\": \"died\"}"
      })
  void whatMakesNoSenseIsRefused(String body) throws Exception {
    assertThat(send("/runs", body, "Authorization", "Bearer runs-token")).isEqualTo(400);
  }

  @Test
  void anUnknownStateIsRefused() throws Exception {
    assertThat(report("sleeping")).isEqualTo(400);
  }

  @Test
  void otherEventsAreTakenAndIgnored() throws Exception {
    assertThat(webhook("ping", "{\"zen\": \"x\"}")).isEqualTo(202);
  }
}
