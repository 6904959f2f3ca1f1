package io.leasehold.mergegate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** What the merge gate asks of a forge: GitHub's REST API, or one that speaks it. */
final class Forge {

  /** GitHub cuts nothing: a longer description is refused. */
  static final int MAX_DESCRIPTION = 140;

  private static final int PAGE = 100;
  private static final int MAX_PAGES = 10;

  /** Conclusions of a check run that leave the pull request without a verdict. */
  private static final Set<String> NO_VERDICT =
      Set.of("cancelled", "timed_out", "stale", "startup_failure");

  private final ForgeClient client;
  private final Credentials credentials;

  Forge(ForgeClient client, Credentials credentials) {
    this.client = client;
    this.credentials = credentials;
  }

  /** A pull request as it is now. */
  record Pull(boolean open, boolean merged, String head) {}

  /** What stands for a check on a commit now. */
  sealed interface Standing {
    /** Nothing, or a claim of the run itself. */
    record Nothing() implements Standing {}

    /** A verdict. */
    record Verdict(String state) implements Standing {}

    /** Somebody is at it. */
    record Claimed(String by) implements Standing {}
  }

  Optional<Pull> pull(String repository, long number) throws ForgeException, InterruptedException {
    return get(repository, "/pulls/" + number)
        .map(
            pull ->
                new Pull(
                    "open".equals(pull.path("state").asText()),
                    pull.path("merged").asBoolean(),
                    pull.path("head").path("sha").asText()));
  }

  /** An open pull request with this head, where the event did not say which. */
  OptionalLong openPullOf(String repository, String head)
      throws ForgeException, InterruptedException {
    Optional<JsonNode> pulls = get(repository, "/commits/" + head + "/pulls");
    if (pulls.isPresent()) {
      for (JsonNode pull : pulls.get()) {
        if ("open".equals(pull.path("state").asText())
            && head.equals(pull.path("head").path("sha").asText())) {
          return OptionalLong.of(pull.path("number").asLong());
        }
      }
    }
    return OptionalLong.empty();
  }

  /** What stands for the run's check: its status first, then a check run of that name. */
  Standing standing(GatingRun run) throws ForgeException, InterruptedException {
    Standing status = status(run);
    return status instanceof Standing.Nothing ? checkRun(run) : status;
  }

  /** The newest status of each context comes first; only the first one counts. */
  private Standing status(GatingRun run) throws ForgeException, InterruptedException {
    for (int page = 1; page <= MAX_PAGES; page++) {
      JsonNode combined =
          get(
                  run.repository(),
                  "/commits/%s/status?per_page=%d&page=%d".formatted(run.head(), PAGE, page))
              .orElseThrow(() -> new ForgeException("no such commit: " + run.head()));
      JsonNode statuses = combined.path("statuses");
      for (JsonNode status : statuses) {
        if (run.context().equals(status.path("context").asText())) {
          return standing(run, status);
        }
      }
      if (statuses.size() < PAGE) {
        return new Standing.Nothing();
      }
    }
    throw new ForgeException("more than 1,000 contexts on " + run.head() + "; not all were read");
  }

  private static Standing standing(GatingRun run, JsonNode status) {
    String state = status.path("state").asText();
    if (!state.equals("pending")) {
      return new Standing.Verdict(state);
    }
    String by = status.path("target_url").asText("");
    return by.isEmpty() || by.equals("null") || by.equals(run.url())
        ? new Standing.Nothing()
        : new Standing.Claimed(by);
  }

  private Standing checkRun(GatingRun run) throws ForgeException, InterruptedException {
    Optional<JsonNode> answer =
        get(
            run.repository(),
            "/commits/%s/check-runs?check_name=%s&filter=latest&per_page=%d"
                .formatted(
                    run.head(), URLEncoder.encode(run.context(), StandardCharsets.UTF_8), PAGE));
    if (answer.isEmpty()) {
      return new Standing.Nothing();
    }
    Standing found = new Standing.Nothing();
    for (JsonNode check : answer.get().path("check_runs")) {
      String conclusion = check.path("conclusion").asText("").toLowerCase(Locale.ROOT);
      boolean completed = "completed".equals(check.path("status").asText());
      if (completed && !NO_VERDICT.contains(conclusion)) {
        return new Standing.Verdict(conclusion);
      }
      if (!completed && !run.id().equals("check_run/" + check.path("id").asText())) {
        found = new Standing.Claimed(check.path("html_url").asText("another check run"));
      }
    }
    return found;
  }

  /** Tells the author that there is no verdict, so that they can retry. */
  void postFailure(GatingRun run) throws ForgeException, InterruptedException {
    ObjectNode body =
        JsonNodeFactory.instance
            .objectNode()
            .put("state", "failure")
            .put("context", run.context())
            .put("description", description(run.causeOfDeath()));
    if (!run.url().isEmpty()) {
      body.put("target_url", run.url());
    }
    client.post(
        credentials.authorization(run.repository()),
        "repos/" + run.repository() + "/statuses/" + run.head(),
        body);
  }

  /** Cut between characters, with room for what to do about it. */
  static String description(String cause) {
    String remedy = ". No verdict was given; run it again.";
    int room = MAX_DESCRIPTION - remedy.length();
    if (cause.codePointCount(0, cause.length()) <= room) {
      return cause + remedy;
    }
    return cause.substring(0, cause.offsetByCodePoints(0, room - 1)) + "…" + remedy;
  }

  private Optional<JsonNode> get(String repository, String path)
      throws ForgeException, InterruptedException {
    return client.get(credentials.authorization(repository), "repos/" + repository + path);
  }
}
