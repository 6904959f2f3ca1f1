package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

class SqliteStoreTest {

  private static final Duration LONG = Duration.ofMinutes(5);
  private static final LeaseName NAME = LeaseName.of("nightly");

  @TempDir private Path directory;
  private Path file;
  private JdbcLeaseStore store;

  @BeforeEach
  void open() {
    file = directory.resolve("state/leasehold/leases.db");
    store = JdbcLeaseStore.embedded(file);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private Lease take(String attempt) {
    return ((AcquireAnswer.Granted) store.acquire(NAME, "a", attempt, LONG)).lease();
  }

  @Test
  void theFileAndItsDirectoryAreForTheirOwnerOnly() throws Exception {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
        .isEqualTo("rwx------");
  }

  @Test
  void aGrantIsOnTheDiskBeforeItIsAnswered() throws Exception {
    try (Connection connection = new SqliteFile(file, Duration.ofSeconds(1)).open();
        Statement statement = connection.createStatement()) {
      assertThat(text(statement, "PRAGMA journal_mode")).isEqualTo("wal");
      assertThat(text(statement, "PRAGMA synchronous")).as("2 is FULL").isEqualTo("2");
      assertThat(text(statement, "PRAGMA busy_timeout")).isEqualTo("1000");
    }
  }

  @Test
  void aCandidateThatFindsTheNameTakenWritesNothing() throws Exception {
    take("1");
    try (Connection other = new SqliteFile(file, Duration.ofSeconds(1)).open();
        Statement statement = other.createStatement()) {
      String before = text(statement, "PRAGMA data_version");
      assertThat(store.acquire(NAME, "b", "2", LONG)).isInstanceOf(AcquireAnswer.Held.class);
      assertThat(text(statement, "PRAGMA data_version")).isEqualTo(before);
      // And needs no lock: another process may be writing meanwhile.
      statement.execute("BEGIN IMMEDIATE");
      assertThat(store.acquire(NAME, "b", "3", LONG)).isInstanceOf(AcquireAnswer.Held.class);
      statement.execute("ROLLBACK");
    }
  }

  @Test
  void aBusyFileIsWaitedFor() throws Exception {
    Lease lease = take("1");
    try (Connection other = new SqliteFile(file, Duration.ofSeconds(1)).open();
        Statement statement = other.createStatement()) {
      statement.execute("BEGIN IMMEDIATE");
      var renewal =
          java.util.concurrent.CompletableFuture.supplyAsync(() -> store.renew(lease, LONG));
      Thread.sleep(300);
      assertThat(renewal).isNotDone();
      statement.execute("COMMIT");
      assertThat(renewal.get()).isInstanceOf(RenewAnswer.Renewed.class);
    }
  }

  @Test
  void everyStatementLooksItsNamesUpByTheirKey() throws Exception {
    Dialect dialect = new SqliteDialect(TableName.parse("lease"));
    for (Dialect.Operation operation : Dialect.Operation.values()) {
      for (Dialect.Step step : dialect.script(operation)) {
        assertThat(plan(step.sql().replace("{limit}", "10")))
            .as(operation + ": " + step.sql())
            .noneMatch(line -> line.matches("SCAN (l|lease).*"));
      }
    }
  }

  private List<String> plan(String sql) throws SQLException {
    List<String> lines = new ArrayList<>();
    try (Connection connection = new SqliteFile(file, Duration.ofSeconds(1)).open();
        var statement = connection.prepareStatement("EXPLAIN QUERY PLAN " + sql)) {
      statement.setString(1, "[{}]");
      try (var rows = statement.executeQuery()) {
        while (rows.next()) {
          lines.add(rows.getString(4));
        }
      }
    }
    return lines;
  }

  @Test
  void aThousandLeasesAreAcquiredRenewedAndReleasedEachForItself() {
    List<AcquireRequest> requests =
        IntStream.range(0, 2_500)
            .mapToObj(i -> new AcquireRequest(LeaseName.of("order/" + i), "a", "a" + i, LONG))
            .toList();
    store.acquire(requests.get(7).name(), "other", "x", LONG);
    List<AcquireAnswer> acquired = store.acquireAll(requests);
    assertThat(acquired).hasSize(2_500);
    assertThat(acquired.get(7)).isInstanceOf(AcquireAnswer.Held.class);
    List<Lease> leases =
        acquired.stream()
            .filter(AcquireAnswer.Granted.class::isInstance)
            .map(answer -> ((AcquireAnswer.Granted) answer).lease())
            .toList();
    assertThat(leases).hasSize(2_499);
    assertThat(leases.get(3).name()).isEqualTo(requests.get(3).name());
    store.release(leases.get(3), Duration.ZERO);

    List<RenewAnswer> renewed = store.renewAll(leases, LONG);
    assertThat(renewed).hasSize(2_499);
    assertThat(renewed.get(3)).isInstanceOf(RenewAnswer.Lost.class);
    assertThat(renewed.stream().filter(RenewAnswer.Renewed.class::isInstance)).hasSize(2_498);

    List<ReleaseAnswer> released = store.releaseAll(leases, Duration.ZERO);
    assertThat(released.get(3)).isEqualTo(ReleaseAnswer.ALREADY_ENDED);
    assertThat(released.stream().filter(ReleaseAnswer.RELEASED::equals)).hasSize(2_498);
  }

  @Test
  void oneNameTwiceInACallIsDecidedInTurn() {
    Lease lease = take("1");
    assertThat(store.releaseAll(List.of(lease, lease), Duration.ZERO))
        .containsExactly(ReleaseAnswer.RELEASED, ReleaseAnswer.ALREADY_ENDED);
    assertThat(store.renewAll(List.of(), LONG)).isEmpty();
  }

  @Test
  void aReleaseByAnotherProcessIsSignalledWithinMilliseconds() {
    Lease lease = take("1");
    AtomicInteger told = new AtomicInteger();
    try (JdbcLeaseStore other = JdbcLeaseStore.embedded(file);
        var subscription = store.subscribe(NAME, told::incrementAndGet)) {
      await().pollDelay(Duration.ofMillis(200)).until(() -> told.get() == 0);
      assertThat(other.renew(lease, LONG)).isInstanceOf(RenewAnswer.Renewed.class);
      await().pollDelay(Duration.ofMillis(200)).until(() -> told.get() == 0);
      List<Duration> waits = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        int before = told.get();
        long released = System.nanoTime();
        other.release(lease, Duration.ZERO);
        await().pollInterval(Duration.ofMillis(5)).until(() -> told.get() == before + 1);
        waits.add(Duration.ofNanos(System.nanoTime() - released));
        lease = take("again " + i);
      }
      waits.sort(null);
      // The watch looks every 40 ms; the margin is for a busy machine.
      assertThat(waits.get(4)).isLessThan(Duration.ofMillis(700));
    }
  }

  @Test
  void theWatchEndsWithItsLastSubscriberAndBeginsWithTheNext() {
    AtomicInteger told = new AtomicInteger();
    store.subscribe(NAME, told::incrementAndGet).close();
    await().until(() -> watchers() == 0);
    try (var again = store.subscribe(NAME, told::incrementAndGet)) {
      await().until(() -> watchers() == 1);
      store.release(take("1"), Duration.ZERO);
      await().until(() -> told.get() > 0);
      store.close();
      await().until(() -> watchers() == 0);
    }
  }

  private static long watchers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("leasehold-sqlite-watcher"))
        .count();
  }

  @Test
  void recordsAreListedByPrefixInPages() {
    for (String name : List.of("a", "job/1", "job/2", "job/3", "joba", "job/\uDBFF\uDFFFz", "z")) {
      store.acquire(LeaseName.of(name), "a", name, LONG);
    }
    List<String> found = new ArrayList<>();
    Optional<String> cursor = Optional.empty();
    do {
      var page = store.inspect("job/", new Page(cursor, 2));
      assertThat(page.leases()).hasSizeLessThanOrEqualTo(2);
      page.leases().forEach(lease -> found.add(lease.name().value()));
      cursor = page.next();
    } while (cursor.isPresent());
    assertThat(found).containsExactly("job/1", "job/2", "job/3", "job/\uDBFF\uDFFFz");
    assertThat(store.inspect("", Page.first(100)).leases()).hasSize(7);
  }

  @Test
  void reclaimGoesThroughTheTableInStridesAndTokensStillGrow() {
    List<AcquireRequest> requests =
        IntStream.range(0, 2_100)
            .mapToObj(i -> new AcquireRequest(LeaseName.of("n" + i), "a", "a" + i, LONG))
            .toList();
    List<Lease> leases =
        store.acquireAll(requests).stream()
            .map(answer -> ((AcquireAnswer.Granted) answer).lease())
            .toList();
    store.releaseAll(leases.subList(0, 2_099), Duration.ZERO);
    assertThat(store.reclaim(Duration.ofHours(1))).isZero();
    assertThat(store.reclaim(Duration.ZERO)).isEqualTo(2_099);
    assertThat(store.inspect("", Page.first(100)).leases())
        .extracting(LeaseView::name)
        .containsExactly(leases.get(2_099).name());
    var again = (AcquireAnswer.Granted) store.acquire(leases.get(0).name(), "a", "again", LONG);
    assertThat(again.lease().token()).isGreaterThan(leases.get(0).token());
  }

  @Test
  void aNameIsFreedAndTakenAThousandTimesInOneMillisecondsClockAndItsTokensGrow() {
    long last = 0;
    for (int i = 0; i < 200; i++) {
      Lease lease = take("a" + i);
      assertThat(lease.token().value()).isGreaterThan(last);
      last = lease.token().value();
      store.release(lease, Duration.ZERO);
      if (i % 20 == 0) {
        store.reclaim(Duration.ZERO);
      }
    }
  }

  @Test
  void aFileThatIsNoDatabaseIsRefusedInOneSentence() throws Exception {
    Path other = directory.resolve("notes.txt");
    Files.writeString(
        other, "This is not a database, and is long enough to be looked at. ".repeat(20));
    assertThatThrownBy(() -> JdbcLeaseStore.embedded(other))
        .isInstanceOf(LeaseStoreException.class)
        .hasMessageContaining("notes.txt")
        .hasMessageContaining("not a database");
    assertThatThrownBy(() -> JdbcLeaseStore.embedded(other.resolve("below")))
        .isInstanceOf(LeaseStoreException.class)
        .hasMessageContaining("notes.txt");
    assertThatThrownBy(() -> JdbcLeaseStore.embedded(Path.of("what?.db")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aTableWhoseNamesFoldCaseIsRefused() throws Exception {
    Path folding = directory.resolve("folding.db");
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folding);
        Statement statement = connection.createStatement()) {
      statement.execute(SchemaFile.SQLITE.sql("lease").replace("COLLATE BINARY", "COLLATE NOCASE"));
    }
    assertThatThrownBy(() -> JdbcLeaseStore.embedded(folding))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("COLLATE BINARY");
  }

  @Test
  void aDataSourceOfTheCallersServesToo() {
    SQLiteDataSource dataSource = new SQLiteDataSource();
    dataSource.setUrl("jdbc:sqlite:" + directory.resolve("own.db"));
    assertThatThrownBy(() -> JdbcLeaseStore.builder(dataSource).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("missing in SQLite")
        .hasMessageContaining("sqlite.sql");
    try (JdbcLeaseStore own =
        JdbcLeaseStore.builder(dataSource).table("\"My Leases\"").createTableIfMissing().build()) {
      assertThat(own.acquire(NAME, "a", "1", LONG)).isInstanceOf(AcquireAnswer.Granted.class);
      assertThat(own.read(NAME)).isPresent();
    }
  }

  @Test
  void aClosedStoreSaysSo() {
    store.close();
    store.close();
    assertThatThrownBy(() -> store.read(NAME))
        .isInstanceOf(LeaseStoreException.class)
        .hasMessageContaining("closed");
  }

  private static String text(Statement statement, String sql) throws SQLException {
    try (var rows = statement.executeQuery(sql)) {
      return rows.getString(1);
    }
  }
}
