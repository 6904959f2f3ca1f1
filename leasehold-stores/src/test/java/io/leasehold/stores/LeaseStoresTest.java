package io.leasehold.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasehold.AcquireAnswer;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.spi.Finding;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
