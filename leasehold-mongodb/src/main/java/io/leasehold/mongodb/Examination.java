package io.leasehold.mongodb;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import io.leasehold.spi.Finding;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.bson.Document;

/** Looks at a deployment for an operator; changes nothing. Used by one thread, once. */
final class Examination {

  private static final Set<String> ACTIONS = Set.of("find", "insert", "update", "remove");
  private static final int OLDEST = 5;

  private final Supplier<Call> calls;
  private final String database;
  private final String collection;
  private final boolean signals;
  private final InstantSource ours;
  private final List<Finding> findings = new ArrayList<>();

  /**
   * @param calls a new call, with a deadline of its own, for every question
   * @param ours this process's clock, to compare the server's with
   */
  Examination(
      Supplier<Call> calls,
      String database,
      String collection,
      boolean signals,
      InstantSource ours) {
    this.calls = calls;
    this.database = database;
    this.collection = collection;
    this.signals = signals;
    this.ours = ours;
  }

  List<Finding> findings() {
    Document build;
    try {
      build = ask("buildInfo");
    } catch (MongoException e) {
      return List.of(
          Finding.fail(
              "server",
              "no writable primary answered: " + e.getClass().getSimpleName(),
              "look at host, port, TLS, user and password, and at the replica set's state"));
    }
    server(build);
    Deployment deployment = deployment();
    clock(deployment);
    findings.add(
        Finding.ok("write concern", "majority, on every write, whatever the client's setting"));
    persistence();
    collection();
    rights();
    findings.add(Finding.ok("names", "byte for byte, 1 to 255 bytes of UTF-8"));
    signals(deployment);
    return List.copyOf(findings);
  }

  private void server(Document build) {
    String version = String.valueOf(build.get("version"));
    boolean old =
        build.get("versionArray") instanceof List<?> parts
            && !parts.isEmpty()
            && parts.get(0) instanceof Number major
            && major.intValue() < OLDEST;
    findings.add(
        old
            ? Finding.fail("server", "MongoDB " + version, "use MongoDB 5.0 or later")
            : Finding.ok("server", "MongoDB " + version));
  }

  private Deployment deployment() {
    Optional<Document> hello = tryAsk("hello");
    Deployment deployment = hello.map(Deployment::of).orElseGet(Deployment::silent);
    switch (deployment.kind()) {
      case STANDALONE ->
          findings.add(
              Finding.warn(
                  "deployment",
                  "a standalone server: nothing survives its disk, nothing takes over",
                  "run a replica set of three"));
      case SHARDED ->
          findings.add(
              Finding.warn(
                  "deployment",
                  "a sharded cluster: the routers' clocks decide, and must agree",
                  "keep the clocks of all routers in step (NTP), or use a replica set"));
      case REPLICA_SET -> replicaSet(hello.orElseGet(Document::new));
    }
    return deployment;
  }

  private void replicaSet(Document hello) {
    int members = hello.get("hosts") instanceof List<?> hosts ? hosts.size() : 1;
    boolean arbiters = hello.get("arbiters") instanceof List<?> each && !each.isEmpty();
    String text =
        "replica set "
            + hello.get("setName")
            + ", primary "
            + hello.get("primary")
            + ", "
            + members
            + " data-bearing member"
            + (members == 1 ? "" : "s");
    if (members < 3 || arbiters) {
      findings.add(
          Finding.warn(
              "deployment",
              text
                  + (arbiters ? " and an arbiter" : "")
                  + ": one member down may leave no majority to acknowledge a lease",
              "run three data-bearing members"));
    } else {
      findings.add(Finding.ok("deployment", text));
    }
  }

  private void clock(Deployment deployment) {
    Instant sent = ours.instant();
    Optional<Document> answer = tryAsk(deployment.says() ? "hello" : "serverStatus");
    Instant answered = ours.instant();
    if (answer.isEmpty() || !(answer.get().get("localTime") instanceof Date time)) {
      findings.add(
          Finding.fail(
              "clock",
              "the server does not tell its time",
              "allow the command hello to this user"));
      return;
    }
    Duration half = Duration.between(sent, answered).dividedBy(2);
    Duration off = Duration.between(sent.plus(half), time.toInstant());
    String text =
        "the server's clock decides; it is "
            + Math.abs(off.toMillis())
            + " ms "
            + (off.isNegative() ? "behind" : "ahead of")
            + " ours, give or take "
            + (half.toMillis() + 1)
            + " ms";
    findings.add(
        off.abs().compareTo(Duration.ofSeconds(1)) > 0
            ? Finding.warn(
                "clock",
                text + "; leases are not touched by that, but logs will disagree",
                "keep both clocks in step (NTP)")
            : Finding.ok("clock", text));
  }

  private void persistence() {
    Optional<Object> persistent =
        tryAsk("serverStatus")
            .map(status -> status.get("storageEngine"))
            .filter(Document.class::isInstance)
            .map(engine -> ((Document) engine).get("persistent"));
    if (persistent.isEmpty()) {
      findings.add(
          Finding.warn(
              "persistence",
              "the server does not say whether it keeps its data",
              "give this user the role clusterMonitor, to see it"));
    } else if (Boolean.FALSE.equals(persistent.get())) {
      findings.add(
          Finding.warn(
              "persistence",
              "the data are in memory only; after a restart every lease is lost, tokens still grow",
              "use a storage engine that keeps data"));
    } else {
      findings.add(Finding.ok("persistence", "on disk, journaled before a majority acknowledges"));
    }
  }

  private void collection() {
    String namespace = database + "." + collection;
    try {
      Optional<String> unfit = Fitness.of(calls.get(), collection);
      if (unfit.isPresent()) {
        findings.add(
            Finding.fail(
                "schema", namespace + ": " + unfit.get(), "name another collection in the URL"));
        return;
      }
      boolean indexed = false;
      for (Document index : calls.get().reading().listIndexes()) {
        indexed |=
            index.get("key") instanceof Document key
                && key.keySet().stream()
                    .findFirst()
                    .filter(LeaseDocument.EXPIRES::equals)
                    .isPresent();
      }
      findings.add(
          indexed
              ? Finding.ok("schema", namespace + ": fit, with the index on expires")
              : Finding.warn(
                  "schema",
                  namespace + ": fit; without an index on expires, reclaiming scans it all",
                  "createIndexes() once, or db." + collection + ".createIndex({expires: 1})"));
    } catch (MongoCommandException e) {
      findings.add(
          Finding.warn(
              "schema",
              namespace + ": this user may not list collections and indexes",
              "grant listCollections and listIndexes"));
    }
  }

  private void rights() {
    Optional<Document> status =
        tryAsk(new Document("connectionStatus", 1).append("showPrivileges", true))
            .map(answer -> answer.get("authInfo"))
            .filter(Document.class::isInstance)
            .map(Document.class::cast);
    if (status.isEmpty()) {
      findings.add(
          Finding.warn(
              "rights", "the server does not say what this user may do", "verify by a lease"));
      return;
    }
    if (status.get().getList("authenticatedUsers", Object.class, List.of()).isEmpty()) {
      findings.add(
          Finding.warn(
              "rights",
              "nobody is logged in: whoever reaches the server may change leases",
              "turn authentication on and name a user in the URL"));
      return;
    }
    Set<String> missing = new TreeSet<>(ACTIONS);
    for (Document privilege :
        status.get().getList("authenticatedUserPrivileges", Document.class, List.of())) {
      if (privilege.get("resource") instanceof Document resource && covers(resource)) {
        missing.removeAll(privilege.getList("actions", String.class, List.of()));
        if (resource.containsKey("anyResource")) {
          missing.clear();
        }
      }
    }
    findings.add(
        missing.isEmpty()
            ? Finding.ok("rights", "may find, insert, update and remove")
            : Finding.fail(
                "rights",
                "may not " + String.join(", ", missing),
                "grant them on " + database + "." + collection + ", or the role readWrite"));
  }

  private boolean covers(Document resource) {
    if (Boolean.TRUE.equals(resource.get("anyResource"))) {
      return true;
    }
    Object db = resource.get("db");
    Object name = resource.get("collection");
    return (database.equals(db) || "".equals(db)) && (collection.equals(name) || "".equals(name));
  }

  private void signals(Deployment deployment) {
    if (!signals) {
      findings.add(Finding.ok("signals", "off, as asked: candidates poll"));
    } else if (deployment.replicated()) {
      findings.add(Finding.ok("signals", "on: a change stream tells candidates of a release"));
    } else {
      findings.add(
          Finding.warn(
              "signals",
              "off: a standalone server has no change streams; candidates poll",
              "run a replica set"));
    }
  }

  private Document ask(String command) {
    return ask(new Document(command, 1));
  }

  private Document ask(Document command) {
    return calls.get().asking().runCommand(command, ReadPreference.primary());
  }

  private Optional<Document> tryAsk(String command) {
    return tryAsk(new Document(command, 1));
  }

  /** A question that the server may not know, or this user may not ask. */
  private Optional<Document> tryAsk(Document command) {
    try {
      return Optional.of(ask(command));
    } catch (MongoCommandException e) {
      return Optional.empty();
    }
  }
}
