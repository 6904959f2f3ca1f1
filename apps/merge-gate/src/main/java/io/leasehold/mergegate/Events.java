package io.leasehold.mergegate;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Fills the table from what the forge or the runs themselves say. Only checks that gate are kept:
 * those named in the configuration, or all if none is.
 */
final class Events {

  private static final Set<String> DEAD =
      Set.of("cancelled", "timed_out", "stale", "startup_failure");

  private final GatingRuns runs;
  private final InstantSource clock;
  private final Set<String> contexts;

  /** Which check a workflow answers, where that is not its own name. */
  private final Map<String, String> workflows;

  private final Duration patience;

  Events(
      GatingRuns runs,
      InstantSource clock,
      Set<String> contexts,
      Map<String, String> workflows,
      Duration patience) {
    this.runs = runs;
    this.clock = clock;
    this.contexts = contexts;
    this.workflows = workflows;
    this.patience = patience;
  }

  /** An event a text of which makes no sense. */
  static final class BadEventException extends Exception {
    private static final long serialVersionUID = 1L;

    BadEventException(String message) {
      super(message);
    }
  }

  /** What a run says of itself: running (again and again, if it likes), died, or verdict. */
  void report(JsonNode body) throws SQLException, BadEventException {
    GatingRun run =
        run(
            text(body, "id"),
            text(body, "repository"),
            body.path("pull").asLong(),
            text(body, "head"),
            text(body, "context"),
            body.path("url").asText(""),
            body.path("reason").asText("the run died"));
    take(run, text(body, "state"));
  }

  /** A webhook of the forge; kinds that say nothing of runs are ignored. */
  void webhook(String kind, JsonNode body) throws SQLException, BadEventException {
    String repository = body.path("repository").path("full_name").asText();
    switch (kind) {
      case "check_run" -> {
        JsonNode check = body.path("check_run");
        take(
            run(
                "check_run/" + text(check, "id"),
                repository,
                check.path("pull_requests").path(0).path("number").asLong(),
                text(check, "head_sha"),
                text(check, "name"),
                check.path("html_url").asText(""),
                "the check ended as " + check.path("conclusion").asText()),
            state(check));
      }
      case "workflow_run" -> {
        JsonNode workflow = body.path("workflow_run");
        String name = text(workflow, "name");
        take(
            run(
                "workflow_run/%s/%s"
                    .formatted(text(workflow, "id"), workflow.path("run_attempt").asText("1")),
                repository,
                workflow.path("pull_requests").path(0).path("number").asLong(),
                text(workflow, "head_sha"),
                workflows.getOrDefault(name, name),
                workflow.path("html_url").asText(""),
                "the workflow ended as " + workflow.path("conclusion").asText()),
            state(workflow));
      }
      case "status" -> {
        String state = text(body, "state");
        String url = body.path("target_url").asText("");
        GatingRun run =
            run(
                "status/%s/%s/%s".formatted(text(body, "sha"), text(body, "context"), url),
                repository,
                0,
                text(body, "sha"),
                text(body, "context"),
                url.equals("null") ? "" : url,
                "");
        if (!state.equals("pending") && gates(run)) {
          runs.settled(repository, run.head(), run.context(), state);
        } else {
          take(run, "running");
        }
      }
      default -> {
        // ping, push, …
      }
    }
  }

  private void take(GatingRun run, String state) throws SQLException, BadEventException {
    if (!gates(run)) {
      return;
    }
    switch (state) {
      case "running" -> runs.started(run);
      case "died" -> runs.died(dead(run));
      case "verdict" -> runs.settled(run.id(), "verdict");
      default ->
          throw new BadEventException(
              "state '%s' is none of running, died, verdict".formatted(state));
    }
  }

  private boolean gates(GatingRun run) {
    return contexts.isEmpty() || contexts.contains(run.context());
  }

  private static String state(JsonNode node) {
    if (!"completed".equals(node.path("status").asText())) {
      return "running";
    }
    return DEAD.contains(node.path("conclusion").asText().toLowerCase(Locale.ROOT))
        ? "died"
        : "verdict";
  }

  private GatingRun run(
      String id,
      String repository,
      long pull,
      String head,
      String context,
      String url,
      String reason)
      throws BadEventException {
    if (!repository.matches("[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}")) {
      throw new BadEventException("repository '" + repository + "' is not owner/name");
    }
    if (!head.matches("[0-9a-f]{40,64}")) {
      throw new BadEventException("head '" + head + "' is not a full commit id");
    }
    Instant overdue = clock.instant().plus(patience);
    return new GatingRun(
        id, repository, pull, head, context, url, GatingRun.State.RUNNING, reason, overdue);
  }

  private GatingRun dead(GatingRun run) {
    return new GatingRun(
        run.id(),
        run.repository(),
        run.pull(),
        run.head(),
        run.context(),
        run.url(),
        GatingRun.State.DEAD,
        run.reason(),
        clock.instant());
  }

  private static String text(JsonNode body, String field) throws BadEventException {
    String text = body.path(field).asText("");
    if (text.isBlank() || text.length() > 500) {
      throw new BadEventException(
          "'%s' is missing, or longer than 500 characters".formatted(field));
    }
    return text;
  }
}
