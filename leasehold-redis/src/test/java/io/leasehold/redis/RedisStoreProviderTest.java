package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasehold.AcquireAnswer;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.spi.Finding;
import io.leasehold.spi.Finding.Level;
import io.leasehold.spi.LeaseStoreProvider;
import io.leasehold.spi.StoreUrl;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stores that are opened by URL, and what is said of them. */
class RedisStoreProviderTest {

  private final RedisStoreProvider provider = new RedisStoreProvider();

  @Test
  void theServiceLoaderFindsIt() {
    assertThat(ServiceLoader.load(LeaseStoreProvider.class))
        .anyMatch(RedisStoreProvider.class::isInstance);
  }

  @Test
  void aUrlOpensAStoreWithItsPasswordDatabaseAndPrefix() {
    try (RedisProcess server = RedisProcess.started()) {
      server.commands().configSet("requirepass", "p@ss/word");
      StoreUrl url =
          StoreUrl.parse(
              "redis://:p%40ss%2Fword@127.0.0.1:" + server.port() + "/3?prefix=ops&signals=off");
      try (LeaseStore store = provider.open(url)) {
        assertThat(store.acquire(LeaseName.of("job"), "alice", "a1", Duration.ofMinutes(1)))
            .isInstanceOf(AcquireAnswer.Granted.class);
      }
      List<Finding> refused = provider.examine(url.withPassword("hunter2"));
      assertThat(refused).extracting(Finding::level).contains(Level.FAIL);
      assertThat(refused.toString()).doesNotContain("hunter2").doesNotContain("p@ss/word");
    }
  }

  @Test
  void aClusterAndASentinelAreOpenedByTheirOwnSchemes() {
    try (RedisClusterProcesses cluster = new RedisClusterProcesses()) {
      String hosts =
          String.join(",", cluster.nodes.stream().map(node -> "127.0.0.1:" + node.port()).toList());
      StoreUrl url = StoreUrl.parse("redis-cluster://" + hosts);
      granted(url);
      assertThat(on("topology", provider.examine(url)).text()).contains("3 primaries");
    }
    try (RedisProcess server = RedisProcess.started();
        RedisProcess sentinel =
            RedisProcess.sentinel("sentinel monitor ops 127.0.0.1 " + server.port() + " 1\n")) {
      granted(StoreUrl.parse("redis-sentinel://127.0.0.1:" + sentinel.port() + "?master=ops"));
    }
  }

  private void granted(StoreUrl url) {
    try (LeaseStore store = provider.open(url)) {
      assertThat(store.acquire(LeaseName.of("job"), "alice", "a1", Duration.ofMinutes(1)))
          .isInstanceOf(AcquireAnswer.Granted.class);
    }
  }

  @Test
  void aServerThatKeepsNothingAndEvictsIsSaidToBeSo() {
    try (RedisProcess server =
        RedisProcess.started("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")) {
      List<Finding> findings =
          provider.examine(StoreUrl.parse("redis://127.0.0.1:" + server.port()));
      assertThat(findings)
          .extracting(Finding::subject)
          .contains("version", "role", "eviction", "persistence", "clock", "signals", "names");
      assertThat(on("eviction", findings).level()).isEqualTo(Level.WARN);
      assertThat(on("persistence", findings).level()).isEqualTo(Level.WARN);
      assertThat(on("role", findings).level()).isEqualTo(Level.OK);
    }
  }

  @Test
  void aServerThatIsAwayIsAFailureAndDoesNotKeepAStoreFromOpening() {
    StoreUrl url = StoreUrl.parse("redis://:hunter2@127.0.0.1:1?callTimeoutMs=300");
    List<Finding> findings = provider.examine(url);
    assertThat(findings).extracting(Finding::level).contains(Level.FAIL);
    assertThat(findings.toString()).doesNotContain("hunter2");
    provider.open(url).close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis:u:hunter2@host",
        "redis://u:hunter2@host,other",
        "redis://u:hunter2@host/db",
        "redis://u@host/0",
        "redis://u:hunter2@host/0?tabel=x",
        "redis://u:hunter2@host/0?callTimeoutMs=0",
        "redis://u:hunter2@host/0?replicas=-1",
        "redis://u:hunter2@host/0?prefix=a%20b",
        "redis-cluster://u:hunter2@host/1",
      })
  void aUrlThatCannotBeMeantSoIsRefusedInOneLineWithoutThePassword(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> provider.open(StoreUrl.parse(text)).close())
        .satisfies(
            e -> {
              assertThat(e.getMessage()).doesNotContain("\n");
              assertThat(e.toString()).doesNotContain("hunter2");
            });
  }

  private static Finding on(String subject, List<Finding> findings) {
    return findings.stream()
        .filter(each -> each.subject().equals(subject))
        .findFirst()
        .orElseThrow();
  }
}
