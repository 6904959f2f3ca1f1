package io.leasehold.mergegate;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a {@link FakeForge} knows: pull requests, statuses, check runs, renamed repositories. */
final class ForgeState {

  record Pull(long number, boolean open, boolean merged, String head) {}

  record Status(
      String state, String context, String description, String url, String agent, Instant at) {}

  record Check(long id, String status, String conclusion) {}

  private record PullKey(String repository, long number) {}

  private record Commit(String repository, String sha) {}

  private final Map<PullKey, Pull> pulls = new HashMap<>();
  private final Map<Commit, List<Status>> statuses = new HashMap<>();
  private final Map<Commit, List<Check>> checks = new HashMap<>();
  private final Map<String, String> renamed = new HashMap<>();

  synchronized void put(String repository, Pull pull) {
    pulls.put(new PullKey(repository, pull.number()), pull);
  }

  synchronized Optional<Pull> pull(String repository, long number) {
    return Optional.ofNullable(pulls.get(new PullKey(repository, number)));
  }

  synchronized List<Pull> pullsOf(String repository, String head) {
    return pulls.entrySet().stream()
        .filter(e -> e.getKey().repository().equals(repository))
        .map(Map.Entry::getValue)
        .filter(p -> p.head().equals(head))
        .toList();
  }

  synchronized void rename(String from, String to) {
    renamed.put(from, to);
  }

  synchronized Optional<String> renamed(String repository) {
    return Optional.ofNullable(renamed.get(repository));
  }

  synchronized void post(String repository, String sha, Status status) {
    statuses.computeIfAbsent(new Commit(repository, sha), c -> new ArrayList<>()).add(status);
  }

  synchronized void put(String repository, String sha, Check check) {
    checks.computeIfAbsent(new Commit(repository, sha), c -> new ArrayList<>()).add(check);
  }

  synchronized List<Status> posted(String repository, String sha) {
    return List.copyOf(statuses.getOrDefault(new Commit(repository, sha), List.of()));
  }

  /** The newest status of each context. */
  synchronized Collection<Status> latest(String repository, String sha) {
    Map<String, Status> latest = new LinkedHashMap<>();
    posted(repository, sha).forEach(s -> latest.put(s.context(), s));
    return List.copyOf(latest.values());
  }

  synchronized List<Check> checks(String repository, String sha) {
    return List.copyOf(checks.getOrDefault(new Commit(repository, sha), List.of()));
  }

  synchronized long count(String repository, String sha, String context) {
    return posted(repository, sha).stream().filter(s -> s.context().equals(context)).count();
  }
}
