package io.leasehold.redis;

import io.leasehold.LeaseStore;
import io.leasehold.spi.Finding;
import io.leasehold.spi.LeaseStoreProvider;
import io.leasehold.spi.StoreUrl;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Opens {@code redis://}, {@code rediss://} (TLS), {@code redis-sentinel://} and {@code
 * redis-cluster://}. The path is the number of the database, 0 if there is none; a cluster has only
 * that. Options: {@code prefix} ({@code leasehold}), {@code signals} ({@code on}), {@code
 * callTimeoutMs} (2000), {@code replicas} a grant waits for (0) within {@code replicaTimeoutMs}
 * (1000), {@code tls} ({@code off}; for Sentinel and Cluster), {@code verifyPeer} ({@code on}), and
 * {@code master}, the name that the Sentinels know the primary by ({@code mymaster}).
 *
 * <p>User and password are for the servers that hold data; Sentinels are asked without.
 *
 * <p>Stateless and thread-safe.
 */
public final class RedisStoreProvider implements LeaseStoreProvider {

  private static final String SENTINEL = "redis-sentinel";
  private static final String CLUSTER = "redis-cluster";

  private static final int REDIS_PORT = 6379;
  private static final int SENTINEL_PORT = 26379;
  private static final int MOST_MILLIS = 3_600_000;

  private static final Set<String> OPTIONS =
      new TreeSet<>(
          Set.of(
              "prefix",
              "signals",
              "callTimeoutMs",
              "replicas",
              "replicaTimeoutMs",
              "tls",
              "verifyPeer",
              "master"));

  /** For the service loader. */
  public RedisStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("redis", "rediss", SENTINEL, CLUSTER);
  }

  @Override
  public LeaseStore open(StoreUrl url) {
    return store(url);
  }

  @Override
  public List<Finding> examine(StoreUrl url) {
    List<Finding> findings = new ArrayList<>();
    try (RedisLeaseStore store = store(url)) {
      List<RedisFinding> found = store.findings();
      boolean several = found.stream().map(RedisFinding::server).distinct().count() > 1;
      for (RedisFinding each : found) {
        findings.add(
            new Finding(
                switch (each.level()) {
                  case OK -> Finding.Level.OK;
                  case WARN, UNKNOWN -> Finding.Level.WARN;
                  case FAIL -> Finding.Level.FAIL;
                },
                each.subject(),
                (several ? each.server() + ": " : "") + each.text(),
                each.remedy()));
      }
    }
    findings.add(Finding.ok("names", "byte for byte, 1 to 255 bytes of UTF-8"));
    return List.copyOf(findings);
  }

  private static RedisLeaseStore store(StoreUrl url) {
    for (String option : url.requireHost().options().keySet()) {
      if (!OPTIONS.contains(option)) {
        throw new IllegalArgumentException(
            "the option " + option + " is none of " + url.scheme() + ": " + OPTIONS);
      }
    }
    RedisLeaseOptions options =
        RedisLeaseOptions.defaults()
            .prefix(url.option("prefix").orElse(RedisLeaseOptions.defaults().prefix()))
            .timeout(Duration.ofMillis(number(url, "callTimeoutMs", 2_000, 1, MOST_MILLIS)))
            .signals(url.isOn("signals", true))
            .waitForReplicas(
                number(url, "replicas", 0, 0, 100),
                Duration.ofMillis(number(url, "replicaTimeoutMs", 1_000, 1, MOST_MILLIS)));
    if (url.scheme().equals(CLUSTER)) {
      if (!url.path().isEmpty() && !url.path().equals("0")) {
        throw new IllegalArgumentException("a Redis Cluster has only database 0; leave it out");
      }
      List<RedisURI> seeds = url.hosts().stream().map(host -> server(url, host)).toList();
      return RedisLeaseStore.openCluster(seeds, options);
    }
    return RedisLeaseStore.open(
        url.scheme().equals(SENTINEL) ? sentinels(url) : server(url, only(url)), options);
  }

  private static StoreUrl.Host only(StoreUrl url) {
    if (url.hosts().size() > 1) {
      throw new IllegalArgumentException(
          "the store URL "
              + url
              + " names several servers; write one, or redis-sentinel: or redis-cluster:");
    }
    return url.hosts().get(0);
  }

  private static RedisURI server(StoreUrl url, StoreUrl.Host host) {
    RedisURI uri = RedisURI.create(host.name(), host.port().orElse(REDIS_PORT));
    return completed(uri, url);
  }

  private static RedisURI sentinels(StoreUrl url) {
    RedisURI.Builder builder = RedisURI.builder();
    builder.withSentinelMasterId(url.option("master").orElse("mymaster"));
    for (StoreUrl.Host host : url.hosts()) {
      builder.withSentinel(host.name(), host.port().orElse(SENTINEL_PORT));
    }
    return completed(builder.build(), url);
  }

  private static RedisURI completed(RedisURI uri, StoreUrl url) {
    boolean tls = url.scheme().equals("rediss") || url.isOn("tls", false);
    uri.setSsl(tls);
    uri.setVerifyPeer(url.isOn("verifyPeer", true));
    uri.getSentinels().forEach(sentinel -> sentinel.setSsl(tls));
    uri.setDatabase(database(url));
    if (url.user().isPresent() && url.password().isEmpty()) {
      throw new IllegalArgumentException(
          "the store URL " + url + " has a user and no password; give both, or only a password");
    }
    url.password()
        .ifPresent(
            password ->
                uri.setCredentialsProvider(
                    new StaticCredentialsProvider(
                        url.user().orElse(null), password.toCharArray())));
    uri.setTimeout(Duration.ofMillis(number(url, "callTimeoutMs", 2_000, 1, MOST_MILLIS)));
    return uri;
  }

  private static int database(StoreUrl url) {
    String path = url.path().isEmpty() ? "0" : url.path();
    if (!path.matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException(
          "the path of a Redis URL is the number of a database, such as redis://host/0");
    }
    return Integer.parseInt(path);
  }

  private static int number(StoreUrl url, String option, int otherwise, int least, int most) {
    String text = url.option(option).orElse(Integer.toString(otherwise));
    int number = text.matches("[0-9]{1,8}") ? Integer.parseInt(text) : -1;
    if (number < least || number > most) {
      throw new IllegalArgumentException(
          "the option " + option + " is a number, " + least + " to " + most);
    }
    return number;
  }
}
