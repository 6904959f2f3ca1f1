package io.leasehold.redis;

import io.leasehold.LeaseStoreException;
import io.leasehold.redis.RedisFinding.Level;
import io.lettuce.core.RedisFuture;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks every server of a store what it is, within one time-out for all of them. */
final class SurroundingsCheck {

  private static final Logger log = LoggerFactory.getLogger(RedisLeaseStore.class);

  private final String store;
  private final ScriptDispatch dispatch;
  private final RedisLeaseOptions options;
  private final boolean cluster;
  private final InstantSource wallClock;

  SurroundingsCheck(
      String store,
      ScriptDispatch dispatch,
      RedisLeaseOptions options,
      boolean cluster,
      InstantSource wallClock) {
    this.store = store;
    this.dispatch = dispatch;
    this.options = options;
    this.cluster = cluster;
    this.wallClock = wallClock;
  }

  /** Says at start what is amiss. */
  void log() {
    for (RedisFinding finding : findings()) {
      switch (finding.level()) {
        case WARN, FAIL -> log.warn("{}", finding);
        case OK, UNKNOWN -> log.debug("{}", finding);
      }
    }
  }

  List<RedisFinding> findings() {
    Deadline deadline = dispatch.deadline();
    List<RedisFinding> findings = new ArrayList<>();
    try {
      List<String> ids = dispatch.servers().ids(deadline);
      for (String id : ids) {
        findings.addAll(of(id, deadline));
      }
      if (cluster) {
        findings.add(
            new RedisFinding(
                store,
                "topology",
                Level.OK,
                ids.size() + " primaries own slots",
                Optional.empty()));
      }
    } catch (UnreachableException e) {
      findings.add(unreachable(store, e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      findings.add(unreachable(store, e));
    }
    findings.add(
        new RedisFinding(
            store,
            "signals",
            Level.OK,
            options.signals() ? "releases are published" : "off: candidates wait for their poll",
            Optional.empty()));
    return findings;
  }

  private List<RedisFinding> of(String id, Deadline deadline) throws InterruptedException {
    String server = dispatch.servers().address(id);
    try {
      Line line = dispatch.line("findings", dispatch.servers().of(id), deadline);
      String info = within(deadline, line.commands().info());
      Surroundings surroundings = new Surroundings(server, info, save(line, deadline));
      List<RedisFinding> findings =
          new ArrayList<>(surroundings.findings(options.waitForReplicas()));
      findings.add(clock(server, within(deadline, line.commands().time())));
      return findings;
    } catch (LeaseStoreException | UnreachableException | ExecutionException e) {
      return List.of(unreachable(server, e));
    } catch (TimeoutException e) {
      return List.of(unreachable(server, e));
    }
  }

  private static Optional<String> save(Line line, Deadline deadline)
      throws InterruptedException, TimeoutException {
    try {
      Map<String, String> settings = within(deadline, line.commands().configGet("save"));
      return Optional.ofNullable(settings.get("save"));
    } catch (ExecutionException refused) {
      return Optional.empty();
    }
  }

  private RedisFinding clock(String server, List<String> time) {
    Instant theirs =
        Instant.ofEpochSecond(Long.parseLong(time.get(0)), Long.parseLong(time.get(1)) * 1_000);
    Duration ahead = Duration.between(wallClock.instant(), theirs);
    return new RedisFinding(
        server,
        "clock",
        Level.OK,
        "the server's own decides; it is " + ahead.toMillis() + " ms ahead of this process's",
        Optional.empty());
  }

  private static RedisFinding unreachable(String server, Exception failure) {
    String why = ScriptDispatch.reason(failure);
    return new RedisFinding(
        server,
        "connection",
        Level.FAIL,
        "could not be reached: " + why,
        Optional.of("calls fail until it can"));
  }

  private static <T> T within(Deadline deadline, RedisFuture<T> future)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
  }
}
