package io.leasehold.mongodb;

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

class MongoStoreProviderTest {

  private final MongoStoreProvider provider = new MongoStoreProvider();

  @Test
  void theServiceLoaderFindsIt() {
    assertThat(ServiceLoader.load(LeaseStoreProvider.class))
        .anyMatch(MongoStoreProvider.class::isInstance);
  }

  @Test
  void aUrlOpensAStoreThatClosesItsClient() {
    try (MongoServerUnderTest server = MongoServerUnderTest.startOwn()) {
      StoreUrl url =
          StoreUrl.parse(server.uri() + "/ops?collection=held&signals=off&callTimeoutMs=2000");
      try (LeaseStore store = provider.open(url)) {
        assertThat(store).hasToString("MongoDB store ops.held");
        assertThat(store.acquire(LeaseName.of("job"), "alice", "a1", Duration.ofMinutes(1)))
            .isInstanceOf(AcquireAnswer.Granted.class);
      }
      assertThat(Thread.getAllStackTraces().keySet())
          .extracting(Thread::getName)
          .noneMatch(name -> name.startsWith("leasehold-"));
    }
  }

  @Test
  void aHealthyStandaloneServerIsSaidToBeWhatItIs() {
    try (MongoServerUnderTest server = MongoServerUnderTest.startOwn()) {
      StoreUrl url = StoreUrl.parse(server.uri());
      List<Finding> findings = provider.examine(url);
      assertThat(findings)
          .extracting(Finding::subject)
          .containsExactly(
              "server",
              "deployment",
              "clock",
              "write concern",
              "persistence",
              "schema",
              "rights",
              "names",
              "signals");
      assertThat(findings).contains(Finding.ok("server", "MongoDB 5.0.0"));
      assertThat(on("deployment", findings).level()).isEqualTo(Level.WARN);
      assertThat(on("clock", findings).level()).isEqualTo(Level.OK);
      assertThat(on("schema", findings).text()).contains("without an index on expires");
      assertThat(on("signals", findings).text()).contains("candidates poll");
      try (MongoLeaseStore store = (MongoLeaseStore) provider.open(url)) {
        store.createIndexes();
      }
      assertThat(on("schema", provider.examine(url)).level()).isEqualTo(Level.OK);
    }
  }

  @Test
  void aServerThatIsAwayIsOneFailure() {
    List<Finding> findings =
        provider.examine(StoreUrl.parse("mongodb://app:hunter2@127.0.0.1:1/ops?callTimeoutMs=300"));
    assertThat(findings).singleElement().extracting(Finding::level).isEqualTo(Level.FAIL);
    assertThat(findings.toString()).doesNotContain("hunter2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mongodb://app:hunter2@host/a.b",
        "mongodb://app:hunter2@host/ops?tls=hunter2&collection=system.x",
        "mongodb://app:hunter2@host/ops?callTimeoutMs=soon",
        "mongodb://app:hunter2@host/ops?callTimeoutMs=0",
        "mongodb://app:hunter2@host/ops?signals=perhaps",
        "mongodb://app:hunter2@host/ops?authMechanism=hunter2",
        "mongodb://:hunter2@host/ops",
        "mongodb:app:hunter2@host/ops",
        "mongodb+srv://app:hunter2@host:27017/ops",
        "mongodb+srv://app:hunter2@host,other/ops",
      })
  void aUrlThatCannotBeMeantSoIsRefusedInOneLineWithoutThePassword(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> provider.open(StoreUrl.parse(text)).close())
        .satisfies(
            e -> {
              assertThat(e.getMessage()).doesNotContain("\n");
              assertThat(e.toString()).doesNotContain("hunter2");
              assertThat(e.getCause()).isNull();
            });
  }

  private static Finding on(String subject, List<Finding> findings) {
    return findings.stream()
        .filter(each -> each.subject().equals(subject))
        .findFirst()
        .orElseThrow();
  }
}
