package io.leasehold.redis;

import io.leasehold.redis.RedisFinding.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What one server says of itself, judged for leases: its {@code INFO} and, where it may be read,
 * its configuration.
 */
final class Surroundings {

  private static final int OLDEST_MAJOR = 6;
  private static final int OLDEST_MINOR = 2;

  private final String server;
  private final Map<String, String> info;
  private final Optional<String> save;
  private final List<RedisFinding> findings = new ArrayList<>();

  /**
   * The surroundings as read.
   *
   * @param server where
   * @param info the text of {@code INFO}
   * @param save the setting {@code save}; absent when it may not be read
   */
  Surroundings(String server, String info, Optional<String> save) {
    this.server = server;
    this.info = parsed(info);
    this.save = save;
  }

  List<RedisFinding> findings(int waitForReplicas) {
    findings.clear();
    version();
    role();
    eviction();
    persistence();
    replication(waitForReplicas);
    return List.copyOf(findings);
  }

  private void version() {
    String product = info.getOrDefault("server_name", "redis");
    String version =
        info.getOrDefault(product + "_version", info.getOrDefault("redis_version", ""));
    String what = product.equals("valkey") ? "Valkey" : "Redis";
    if (version.isEmpty()) {
      add("version", Level.UNKNOWN, "the server does not tell its version");
      return;
    }
    String[] parts = info.getOrDefault("redis_version", version).split("\\.", -1);
    int major = number(parts[0]);
    int minor = parts.length > 1 ? number(parts[1]) : 0;
    boolean old = major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR);
    if (old) {
      add("version", Level.FAIL, what + " " + version + " is too old", "use 6.2 or newer");
    } else {
      add("version", Level.OK, what + " " + version);
    }
  }

  private void role() {
    String role = info.getOrDefault("role", "");
    if (role.equals("master")) {
      add("role", Level.OK, "a primary: it takes writes");
    } else if (role.equals("slave")) {
      boolean writable = info.getOrDefault("slave_read_only", "1").equals("0");
      add(
          "role",
          Level.FAIL,
          writable
              ? "a replica that takes writes of its own, which its primary does not know"
              : "a replica: it takes no writes, so no lease call is answered",
          "connect to the primary, or through Sentinel");
    } else {
      add("role", Level.UNKNOWN, "the server does not tell whether it is a primary");
    }
  }

  private void eviction() {
    String policy = info.getOrDefault("maxmemory_policy", "");
    boolean limited = !info.getOrDefault("maxmemory", "0").equals("0");
    if (policy.isEmpty()) {
      add("eviction", Level.UNKNOWN, "the server does not tell its maxmemory-policy");
    } else if (policy.startsWith("allkeys-")) {
      add(
          "eviction",
          Level.WARN,
          "maxmemory-policy "
              + policy
              + (limited ? "" : " (no maxmemory is set yet)")
              + ": any lease record can be evicted when memory is short, also one that is held; its"
              + " holder's next renewal is then refused. Tokens still grow: a new record starts from"
              + " the server's clock in microseconds",
          "use noeviction or a volatile- policy, or a server of its own");
    } else {
      add(
          "eviction",
          Level.OK,
          "maxmemory-policy " + policy + ": lease records, which carry no TTL, are not evicted");
    }
  }

  private void persistence() {
    String appending = info.getOrDefault("aof_enabled", "");
    if (appending.equals("1")) {
      add("persistence", Level.OK, "append-only file");
    } else if (appending.isEmpty()) {
      add("persistence", Level.UNKNOWN, "the server does not tell how it persists");
    } else if (save.isEmpty()) {
      add(
          "persistence",
          Level.UNKNOWN,
          "no append-only file; whether snapshots are taken may not be read (CONFIG is refused)");
    } else if (save.get().isEmpty()) {
      add(
          "persistence",
          Level.WARN,
          "none: a restart forgets every lease, and a name can be taken while its holder has not"
              + " noticed yet. Tokens still grow",
          "set appendonly yes");
    } else {
      add(
          "persistence",
          Level.WARN,
          "snapshots only (save " + save.get() + "): a crash forgets what came after the last one",
          "set appendonly yes");
    }
  }

  private void replication(int waitForReplicas) {
    String replicas = info.getOrDefault("connected_slaves", "");
    if (replicas.isEmpty() || !info.getOrDefault("role", "").equals("master")) {
      return;
    }
    int connected = number(replicas);
    if (connected < waitForReplicas) {
      add(
          "replication",
          Level.FAIL,
          connected
              + " replicas are connected, but a grant waits for "
              + waitForReplicas
              + ": no lease can be granted",
          "start the replicas, or wait for fewer");
    } else if (connected > 0 && waitForReplicas == 0) {
      add(
          "replication",
          Level.WARN,
          connected
              + " replicas, written to asynchronously: a failover can forget the last grants. Tokens"
              + " or attempts still keep the two holders apart",
          "have a grant wait for a replica");
    } else {
      add("replication", Level.OK, connected + " replicas are connected");
    }
  }

  private void add(String subject, Level level, String text) {
    findings.add(new RedisFinding(server, subject, level, text, Optional.empty()));
  }

  private void add(String subject, Level level, String text, String remedy) {
    findings.add(new RedisFinding(server, subject, level, text, Optional.of(remedy)));
  }

  private static Map<String, String> parsed(String info) {
    Map<String, String> fields = new HashMap<>();
    for (String line : info.lines().toList()) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        fields.put(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1));
      }
    }
    return fields;
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text.strip());
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
