package io.leasehold.redis;

import io.leasehold.LeaseName;
import io.leasehold.LeasePage;
import io.leasehold.LeaseStoreException.Outcome;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * All records, in bounded steps: {@code SCAN} of each server in turn, then one script per key that
 * it gave. No step looks at more than a thousand keys, so none blocks the server for long.
 *
 * <p>A cursor is the server's id and the server's own cursor. When that server is gone, the listing
 * starts again from the first one: what it has may be given twice, but nothing is left out.
 */
final class RecordListing {

  private static final int MAX_STEP = 1_000;
  private static final int MAX_STEPS_A_PAGE = 50;
  private static final String START = "0";
  private static final Pattern CURSOR = Pattern.compile("([0-9a-zA-Z]{1,64})\\.([0-9]{1,20})");

  /** Where a listing has got to. */
  private record Position(String server, String cursor) {
    String text() {
      return server + "." + cursor;
    }
  }

  /** One step: the names it gave, and where it ended. */
  private record Step(List<LeaseName> names, Optional<Position> next) {}

  private final ScriptDispatch dispatch;
  private final LeaseKeys keys;

  RecordListing(ScriptDispatch dispatch, LeaseKeys keys) {
    this.dispatch = dispatch;
    this.keys = keys;
  }

  LeasePage page(String prefix, Page page) {
    Optional<Position> position = page.cursor().map(RecordListing::parsed);
    Map<LeaseName, LeaseView> found = new LinkedHashMap<>();
    int count = Math.min(page.size(), MAX_STEP);
    for (int steps = 0; steps < MAX_STEPS_A_PAGE; steps++) {
      Step step = step("inspect", position, keys.pattern(prefix), count);
      List<ScriptCall> calls =
          step.names().stream()
              .map(name -> new ScriptCall(LeaseScript.VIEW, keys.key(name), List.of()))
              .toList();
      List<Answer> answers = dispatch.runAll("inspect", calls);
      for (int i = 0; i < answers.size(); i++) {
        if (answers.get(i).word().equals("found")) {
          LeaseName name = step.names().get(i);
          found.put(name, answers.get(i).view(name));
        }
      }
      position = step.next();
      if (position.isEmpty() || found.size() >= page.size()) {
        break;
      }
      count = Math.min(MAX_STEP, count * 2); // few matches among many keys
    }
    return new LeasePage(List.copyOf(found.values()), position.map(Position::text));
  }

  long reclaim(long endedForMillis) {
    long reclaimed = 0;
    Optional<Position> position = Optional.empty();
    do {
      Step step = step("reclaim", position, keys.pattern(""), MAX_STEP);
      List<String> arguments = List.of(Long.toString(endedForMillis));
      List<ScriptCall> calls =
          step.names().stream()
              .map(name -> new ScriptCall(LeaseScript.RECLAIM, keys.key(name), arguments))
              .toList();
      for (Answer answer : dispatch.runAll("reclaim", calls)) {
        if (answer.word().equals("reclaimed")) {
          reclaimed++;
        }
      }
      position = step.next();
    } while (position.isPresent());
    return reclaimed;
  }

  private Step step(String what, Optional<Position> position, String pattern, int count) {
    Deadline deadline = dispatch.deadline();
    List<String> servers = servers(what, deadline);
    Position from =
        position
            .filter(each -> servers.contains(each.server()))
            .orElse(new Position(servers.get(0), START));
    Sent scan = Sent.scan(from.cursor(), pattern, count);
    Line line = dispatch.line(what, wire(what, from.server()), deadline);
    List<Object> answer = dispatch.send(what, line, scan, dispatch.timeout());
    List<LeaseName> names = new ArrayList<>();
    if (answer.get(1) instanceof List<?> found) {
      found.forEach(key -> keys.name(String.valueOf(key)).ifPresent(names::add));
    }
    String cursor = String.valueOf(answer.get(0));
    if (!cursor.equals(START)) {
      return new Step(names, Optional.of(new Position(from.server(), cursor)));
    }
    int next = servers.indexOf(from.server()) + 1;
    return new Step(
        names,
        next < servers.size()
            ? Optional.of(new Position(servers.get(next), START))
            : Optional.empty());
  }

  private List<String> servers(String what, Deadline deadline) {
    try {
      List<String> ids = dispatch.servers().ids(deadline);
      if (ids.isEmpty()) {
        throw dispatch.failure(Outcome.NOT_APPLIED, what, "found no server that owns slots", null);
      }
      return ids;
    } catch (UnreachableException e) {
      throw dispatch.failure(Outcome.NOT_APPLIED, what, "failed: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw dispatch.failure(Outcome.NOT_APPLIED, what, "was interrupted", e);
    }
  }

  private Wire wire(String what, String server) {
    try {
      return dispatch.servers().of(server);
    } catch (UnreachableException e) {
      throw dispatch.failure(Outcome.NOT_APPLIED, what, "failed: " + e.getMessage(), e);
    }
  }

  private static Position parsed(String cursor) {
    Matcher matcher = CURSOR.matcher(cursor);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "cursor '" + cursor + "' is not one that this store gave; start with the first page");
    }
    return new Position(matcher.group(1), matcher.group(2));
  }
}
