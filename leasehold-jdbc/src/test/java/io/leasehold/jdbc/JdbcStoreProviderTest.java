package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.leasehold.AcquireAnswer;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.spi.Finding;
import io.leasehold.spi.Finding.Level;
import io.leasehold.spi.LeaseStoreProvider;
import io.leasehold.spi.StoreUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stores that are opened by URL, and what is said of them. */
class JdbcStoreProviderTest {

  private final JdbcStoreProvider provider = new JdbcStoreProvider();

  @TempDir private Path directory = Path.of(".");

  @Test
  void theServiceLoaderFindsIt() {
    assertThat(ServiceLoader.load(LeaseStoreProvider.class))
        .anyMatch(JdbcStoreProvider.class::isInstance);
  }

  /** A URL's database of this machine's own; one that was named elsewhere has other users. */
  private static String url(Backend backend) {
    return backend == Backend.POSTGRESQL
        ? "postgresql://postgres@127.0.0.1:" + PostgresServer.shared().port + "/postgres"
        : "mariadb://root@127.0.0.1:" + MariadbServer.shared().port + "/leases";
  }

  @ParameterizedTest
  @EnumSource(
      value = Backend.class,
      names = {"POSTGRESQL", "MARIADB"})
  void aUrlOpensAStoreWithAPoolThatIsClosedWithIt(Backend backend) {
    String url = url(backend) + "?table=" + backend.freshTable();
    assertThatIllegalStateException()
        .isThrownBy(() -> provider.open(StoreUrl.parse(url)).close())
        .withMessageContaining("is missing");
    try (LeaseStore store = provider.open(StoreUrl.parse(url + "&createTable=on&pool=2"))) {
      assertThat(store.acquire(LeaseName.of("job"), "alice", "a1", Duration.ofMinutes(1)))
          .isInstanceOf(AcquireAnswer.Granted.class);
    }
    await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.startsWith("leasehold-")));
  }

  @ParameterizedTest
  @EnumSource(
      value = Backend.class,
      names = {"POSTGRESQL", "MARIADB"})
  void aServerIsSaidToBeWhatItIs(Backend backend) {
    String table = backend.freshTable();
    StoreUrl url = StoreUrl.parse(url(backend) + "?table=" + table);
    List<Finding> before = provider.examine(url);
    assertThat(on("server", before).level()).isEqualTo(Level.OK);
    assertThat(on("role", before).level()).isEqualTo(Level.OK);
    assertThat(on("clock", before).text()).contains("give or take");
    // The shared PostgreSQL was told not to sync, for the tests' speed; MariaDB syncs.
    assertThat(on("persistence", before).level())
        .isEqualTo(backend == Backend.POSTGRESQL ? Level.WARN : Level.OK);
    assertThat(on("schema", before).level()).isEqualTo(Level.FAIL);
    assertThat(before).extracting(Finding::subject).doesNotContain("rights");
    backend.store(backend.dataSource(), table).close();
    List<Finding> after = provider.examine(url);
    assertThat(after)
        .extracting(Finding::subject)
        .contains("server", "role", "clock", "persistence", "schema", "rights", "names", "signals");
    assertThat(after).extracting(Finding::level).doesNotContain(Level.FAIL);
  }

  @Test
  void aPostgresUserWithoutRightsIsToldWhich() throws SQLException {
    String table = Backend.POSTGRESQL.freshTable();
    Backend.POSTGRESQL.store(Backend.POSTGRESQL.dataSource(), table).close();
    Backend.POSTGRESQL.execute(
        "DROP ROLE IF EXISTS reader",
        "CREATE ROLE reader LOGIN",
        "GRANT SELECT ON " + table + " TO reader");
    List<Finding> findings =
        provider.examine(
            StoreUrl.parse(
                url(Backend.POSTGRESQL).replace("postgres@", "reader@") + "?table=" + table));
    assertThat(on("rights", findings).text()).isEqualTo("may not insert, update, delete");
    Backend.POSTGRESQL.execute("REVOKE ALL ON " + table + " FROM reader", "DROP ROLE reader");
  }

  @Test
  void aMariadbUserWithoutRightsIsToldWhich() throws SQLException {
    String table = Backend.MARIADB.freshTable();
    Backend.MARIADB.store(Backend.MARIADB.dataSource(), table).close();
    Backend.MARIADB.execute(
        "CREATE OR REPLACE USER reader@'%' IDENTIFIED BY 'p@ss/word'",
        "GRANT SELECT ON leases." + table + " TO reader@'%'");
    StoreUrl url =
        StoreUrl.parse(
            url(Backend.MARIADB).replace("root@", "reader:p%40ss%2Fword@") + "?table=" + table);
    assertThat(on("rights", provider.examine(url)).text())
        .isEqualTo("may not update, delete, insert");
    List<Finding> refused = provider.examine(url.withPassword("hunter2"));
    assertThat(refused).singleElement().extracting(Finding::level).isEqualTo(Level.FAIL);
    assertThat(refused.toString()).doesNotContain("hunter2");
    Backend.MARIADB.execute("DROP USER reader@'%'");
  }

  @Test
  void aServerThatIsAwayIsOneFailureAndDoesNotKeepAStoreFromOpening() {
    StoreUrl url = StoreUrl.parse("postgresql://app:hunter2@127.0.0.1:1/ops?callTimeoutMs=300");
    List<Finding> findings = provider.examine(url);
    assertThat(findings).singleElement().extracting(Finding::level).isEqualTo(Level.FAIL);
    assertThat(findings.toString()).doesNotContain("hunter2");
    provider.open(url).close();
  }

  @Test
  void aSqliteFileIsLookedAtWithoutBeingMade() throws IOException {
    Path file = directory.resolve("new/leases.db");
    StoreUrl url = StoreUrl.parse("sqlite:" + file);
    assertThat(on("schema", provider.examine(url)).text()).contains("is created when");
    assertThat(file).doesNotExist();
    provider.open(url).close();
    assertThat(on("schema", provider.examine(url)).level()).isEqualTo(Level.OK);
    Path other =
        Files.writeString(directory.resolve("other"), "no database at all, but long enough");
    assertThat(on("schema", provider.examine(StoreUrl.parse("sqlite:" + other))).level())
        .isEqualTo(Level.FAIL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sqlite:",
        "sqlite::memory:",
        "sqlite:leases.db?table=x",
        "postgresql://app:hunter2@host",
        "postgresql://app:hunter2@host/ops?table=hunter2;drop",
        "postgresql://app:hunter2@host/ops?signals=perhaps",
        "postgresql://app:hunter2@host/ops?callTimeoutMs=0",
        "postgresql://app:hunter2@host/ops?pool=1000",
        "mysql://app:hunter2@host",
        "postgresql:app:hunter2@host/ops",
      })
  void aUrlThatCannotBeMeantSoIsRefusedInOneLineWithoutThePassword(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> provider.open(StoreUrl.parse(text)).close())
        .satisfies(
            e -> {
              assertThat(e.getMessage()).doesNotContain("\n");
              assertThat(e.toString().replace("hunter2;drop", "")).doesNotContain("hunter2");
            });
  }

  private static Finding on(String subject, List<Finding> findings) {
    return findings.stream()
        .filter(each -> each.subject().equals(subject))
        .findFirst()
        .orElseThrow();
  }
}
