package io.leasehold.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import io.leasehold.AcquireAnswer;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseStoreException;
import io.leasehold.spi.Finding;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class LeaseStoresTest {

  @Test
  void memoryIsOpenedWithoutAnyModule() {
    try (LeaseStore store = LeaseStores.open("memory:")) {
      assertThat(store.acquire(LeaseName.of("job"), "alice", "a1", Duration.ofMinutes(1)))
          .isInstanceOf(AcquireAnswer.Granted.class);
    }
    assertThat(LeaseStores.examine("memory:"))
        .extracting(Finding::level)
        .contains(Finding.Level.WARN)
        .doesNotContain(Finding.Level.FAIL);
  }

  @ParameterizedTest
  @CsvSource({
    "sqlite:leases.db, leasehold-jdbc",
    "postgresql://app:hunter2@db/ops, leasehold-jdbc",
    "mysql://app:hunter2@db/ops, leasehold-jdbc",
    "mariadb://app:hunter2@db/ops, leasehold-jdbc",
    "redis://app:hunter2@cache, leasehold-redis",
    "rediss://app:hunter2@cache, leasehold-redis",
    "redis-sentinel://app:hunter2@cache, leasehold-redis",
    "redis-cluster://app:hunter2@cache, leasehold-redis",
    "mongodb://app:hunter2@db, leasehold-mongodb",
    "mongodb+srv://app:hunter2@db, leasehold-mongodb",
  })
  void aMissingModuleIsNamed(String url, String artifact) {
    String scheme = LeaseStores.url(url).scheme();
    assertThatIllegalStateException()
        .isThrownBy(() -> LeaseStores.provider(scheme, List.of()))
        .withMessageContaining("add io.leasehold:" + artifact)
        .withMessageContaining(scheme + ":")
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("hunter2"));
  }

  @Test
  void aSchemeThatNobodyHasIsRefusedWithThoseThereAre() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LeaseStores.open("postgres://app:hunter2@db/ops"))
        .withMessageContaining("'postgres'")
        .withMessageContaining("postgresql")
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("hunter2"));
  }

  /** Nobody listens on port 1; that keeps no store from being opened, and is one finding. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgresql://app:hunter2@127.0.0.1:1/ops?callTimeoutMs=300",
        "mysql://app:hunter2@127.0.0.1:1/ops?callTimeoutMs=300",
        "mariadb://app:hunter2@127.0.0.1:1/ops?callTimeoutMs=300",
        "redis://app:hunter2@127.0.0.1:1?callTimeoutMs=300",
        "rediss://app:hunter2@127.0.0.1:1?callTimeoutMs=300",
        "redis-sentinel://app:hunter2@127.0.0.1:1?callTimeoutMs=300",
        "redis-cluster://app:hunter2@127.0.0.1:1?callTimeoutMs=300",
        "mongodb://app:hunter2@127.0.0.1:1/ops?callTimeoutMs=300",
      })
  void everySchemeIsOpenedByItsModuleAndNoPasswordIsShown(String url) {
    List<String> logged = new CopyOnWriteArrayList<>();
    Appender<ILoggingEvent> appender =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            logged.add(event.getFormattedMessage());
            for (IThrowableProxy each = event.getThrowableProxy();
                each != null;
                each = each.getCause()) {
              logged.add(String.valueOf(each.getMessage()));
            }
          }
        };
    appender.start();
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    Level level = root.getLevel();
    root.addAppender(appender);
    root.setLevel(Level.TRACE);
    try {
      try (LeaseStore store = LeaseStores.open(url)) {
        assertThat(store.toString()).doesNotContain("hunter2");
        assertThatExceptionOfType(LeaseStoreException.class)
            .isThrownBy(
                () -> store.acquire(LeaseName.of("job"), "alice", "a1", Duration.ofMinutes(1)))
            .satisfies(
                e -> {
                  for (Throwable each = e; each != null; each = each.getCause()) {
                    assertThat(each.toString()).doesNotContain("hunter2");
                  }
                });
      }
      List<Finding> findings = LeaseStores.examine(url);
      assertThat(findings).extracting(Finding::level).contains(Finding.Level.FAIL);
      assertThat(findings.toString()).doesNotContain("hunter2");
    } finally {
      root.detachAppender(appender);
      root.setLevel(level);
    }
    assertThat(logged).isNotEmpty().noneMatch(line -> line.contains("hunter2"));
  }

  @Test
  void sqliteIsOpenedByItsPath(@TempDir Path directory) {
    try (LeaseStore store = LeaseStores.open("sqlite:" + directory.resolve("leases.db"))) {
      assertThat(store.acquire(LeaseName.of("job"), "alice", "a1", Duration.ofMinutes(1)))
          .isInstanceOf(AcquireAnswer.Granted.class);
    }
  }

  @Test
  void theMongoModuleIsFound() {
    try (LeaseStore store =
        LeaseStores.open("mongodb://127.0.0.1:1/ops?callTimeoutMs=50&collection=held")) {
      assertThat(store).hasToString("MongoDB store ops.held");
    }
    assertThat(LeaseStores.examine("mongodb://127.0.0.1:1/ops?callTimeoutMs=50"))
        .singleElement()
        .extracting(Finding::level)
        .isEqualTo(Finding.Level.FAIL);
  }
}
