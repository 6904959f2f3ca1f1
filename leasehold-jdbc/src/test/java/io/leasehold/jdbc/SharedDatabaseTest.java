package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TimeZone;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What every shared database must do with pools, tables, transactions, zones and contention. */
class SharedDatabaseTest {

  private static final Duration LONG = Duration.ofMinutes(5);
  private static final LeaseName NAME = LeaseName.of("nightly");

  private static Lease take(JdbcLeaseStore store, String attempt) {
    return ((AcquireAnswer.Granted) store.acquire(NAME, "a", attempt, LONG)).lease();
  }

  /** Every call once. */
  private static void tour(JdbcLeaseStore store) {
    Lease lease = take(store, "1");
    assertThat(store.acquire(NAME, "b", "2", LONG)).isInstanceOf(AcquireAnswer.Held.class);
    assertThat(store.renew(lease, LONG)).isInstanceOf(RenewAnswer.Renewed.class);
    assertThat(store.read(NAME)).isPresent();
    assertThat(store.release(lease, Duration.ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
    assertThat(store.release(lease, Duration.ZERO)).isEqualTo(ReleaseAnswer.ALREADY_ENDED);
    assertThat(store.renew(lease, LONG)).isInstanceOf(RenewAnswer.Lost.class);
    Lease next = take(store, "3");
    assertThat(next.token()).isEqualTo(new io.leasehold.FencingToken(lease.token().value() + 1));
    store.abandon(NAME, "a", "3");
    assertThat(store.read(NAME)).isEmpty();
    assertThat(store.inspect("", Page.first(10)).leases()).hasSize(1);
    assertThat(store.reclaim(Duration.ZERO)).isEqualTo(1);
    assertThat(take(store, "4").token()).isGreaterThan(next.token());
  }

  @ParameterizedTest
  @EnumSource
  void aPoolOfOneWithoutAutoCommitReadOnlyAndSerializableServesAndIsLeftAsItWas(Backend backend)
      throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(backend.url());
    config.setMaximumPoolSize(1);
    config.setAutoCommit(false);
    config.setReadOnly(true);
    config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
    config.setConnectionTimeout(1_000);
    String table = backend.freshTable();
    backend.store(backend.dataSource(), table).close();
    try (HikariDataSource pool = new HikariDataSource(config);
        JdbcLeaseStore store = backend.store(pool, table)) {
      tour(store);
      try (Connection connection = pool.getConnection()) {
        assertThat(connection.getAutoCommit()).isFalse();
        assertThat(connection.isReadOnly()).isTrue();
        assertThat(connection.getTransactionIsolation())
            .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
        assertThat(connection.getNetworkTimeout()).isZero();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTableMayBeInASchemaAndMayBeQuoted(Backend backend) throws SQLException {
    String schema = "ops" + backend.freshTable();
    backend.execute("CREATE SCHEMA " + schema);
    for (String table :
        List.of(schema + ".lease", "\"Lease of " + schema + "\"", schema + ".\"Le\"\"a`se\"")) {
      try (JdbcLeaseStore store = backend.store(backend.dataSource(), table)) {
        tour(store);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsNoTableNameIsRefusedBeforeAnythingIsSent(Backend backend) {
    for (String table :
        List.of(
            "lease; drop table x",
            "",
            ".lease",
            "a.b.c",
            "\"a",
            "lease--",
            "lease ",
            "1lease",
            "a.",
            "\"\"")) {
      assertThatThrownBy(
              () -> JdbcLeaseStore.builder(unused()).table(table), "table %s on %s", table, backend)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is not a table name");
    }
  }

  private static DataSource unused() {
    return (DataSource)
        Proxy.newProxyInstance(
            SharedDatabaseTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              throw new AssertionError("something was sent");
            });
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "MYSQL_STATEMENTS_ON_MARIADB")
  void aMissingTableIsRefusedAtStartInOneSentence(Backend backend) {
    String table = backend.freshTable();
    assertThatThrownBy(() -> JdbcLeaseStore.builder(backend.dataSource()).table(table).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the table " + table + " is missing")
        .hasMessageContaining(".sql")
        .hasMessageNotContaining("\n");
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "MYSQL_STATEMENTS_ON_MARIADB")
  void aTableThatFoldsNamesIsRefusedAtStartInOneSentence(Backend backend) throws SQLException {
    String table = backend.freshTable();
    if (backend == Backend.POSTGRESQL) {
      backend.execute("CREATE TABLE " + table + " (name char(255) PRIMARY KEY, token bigint)");
    } else {
      backend.execute(
          SchemaFile.MYSQL.sql(table).replaceFirst("utf8mb4_bin", "utf8mb4_general_ci"));
    }
    assertThatThrownBy(() -> JdbcLeaseStore.builder(backend.dataSource()).table(table).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("name column")
        .hasMessageContaining("declare it as name");
  }

  @ParameterizedTest
  @EnumSource
  void aBusinessTransactionAndALeaseCallLeaveEachOtherAlone(Backend backend) throws SQLException {
    String orders = "orders_" + backend.freshTable();
    backend.execute("CREATE TABLE " + orders + " (id INT)");
    DataSource dataSource = backend.dataSource();
    try (JdbcLeaseStore store = backend.store(dataSource, backend.freshTable());
        Connection business = dataSource.getConnection();
        Statement statement = business.createStatement()) {
      business.setAutoCommit(false);
      statement.executeUpdate("INSERT INTO " + orders + " VALUES (1)");
      take(store, "1");
      business.rollback();
      assertThat(store.read(NAME)).as("the lease outlives the rollback").isPresent();
      assertThat(count(statement, orders)).as("the lease call committed nothing").isZero();
      business.rollback();

      statement.executeUpdate("INSERT INTO " + orders + " VALUES (2)");
      assertThat(store.acquire(NAME, "b", "2", LONG)).isInstanceOf(AcquireAnswer.Held.class);
      statement.executeUpdate("INSERT INTO " + orders + " VALUES (3)");
      business.commit();
      assertThat(count(statement, orders)).as("losing a race rolls nothing back").isEqualTo(2);
      business.commit();
    }
  }

  private static int count(Statement statement, String table) throws SQLException {
    try (var rows = statement.executeQuery("SELECT count(*) FROM " + table)) {
      rows.next();
      return rows.getInt(1);
    }
  }

  /** A data source that gives out the caller's own connection, as transaction-aware proxies do. */
  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "MYSQL_STATEMENTS_ON_MARIADB")
  void aConnectionInsideATransactionIsRefusedAndTheTransactionGoesOn(Backend backend)
      throws SQLException {
    String table = backend.freshTable();
    String orders = "orders_" + table;
    backend.execute("CREATE TABLE " + orders + " (id INT)");
    backend.store(backend.dataSource(), table).close();
    try (Connection business = backend.dataSource().getConnection();
        Statement statement = business.createStatement()) {
      Connection uncloseable =
          (Connection)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {Connection.class},
                  (proxy, method, arguments) ->
                      method.getName().equals("close") ? null : method.invoke(business, arguments));
      DataSource aware =
          (DataSource)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {DataSource.class},
                  (proxy, method, arguments) -> uncloseable);
      JdbcLeaseStore store = backend.store(aware, table);
      business.setAutoCommit(false);
      statement.executeUpdate("INSERT INTO " + orders + " VALUES (1)");
      assertThatThrownBy(() -> store.acquire(NAME, "a", "1", LONG))
          .isInstanceOfSatisfying(
              LeaseStoreException.class,
              e -> assertThat(e.outcome()).isEqualTo(LeaseStoreException.Outcome.NOT_APPLIED))
          .hasMessageContaining("inside a transaction");
      assertThat(count(statement, orders)).isEqualTo(1);
      business.rollback();
      assertThat(count(statement, orders)).isZero();
      business.rollback();
    }
  }

  @ParameterizedTest
  @EnumSource
  void instantsDependOnNoTimeZone(Backend backend) {
    String table = backend.freshTable();
    TimeZone before = TimeZone.getDefault();
    try (JdbcLeaseStore utc = backend.store(backend.dataSource(), table)) {
      Lease lease = take(utc, "1");
      for (String zone : List.of("Asia/Seoul", "America/New_York", "Europe/Berlin")) {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        String url =
            backend.url()
                + (backend == Backend.POSTGRESQL
                    ? "&options=-c%20TimeZone=" + zone
                    : "&sessionVariables=time_zone='"
                        + (zone.startsWith("America") ? "-05:00" : "+09:00")
                        + "'");
        try (JdbcLeaseStore elsewhere = backend.store(backend.dataSource(url), table)) {
          assertThat(elsewhere.acquire(NAME, "b", zone, LONG))
              .isInstanceOf(AcquireAnswer.Held.class);
          var view = elsewhere.read(NAME).orElseThrow();
          assertThat(view.expiresAt()).isEqualTo(lease.expiresAt());
          assertThat(view.grantedAt()).isBetween(Instant.now().minusSeconds(60), Instant.now());
          Lease other =
              ((AcquireAnswer.Granted) elsewhere.acquire(LeaseName.of(zone), "b", zone, LONG))
                  .lease();
          assertThat(utc.read(LeaseName.of(zone)).orElseThrow().expiresAt())
              .isEqualTo(other.expiresAt());
        }
      }
    } finally {
      TimeZone.setDefault(before);
    }
  }

  @ParameterizedTest
  @EnumSource
  void fiftyCandidatesForOneNameGetAnswersOnly(Backend backend) throws Exception {
    for (String isolation : List.of("TRANSACTION_READ_COMMITTED", "TRANSACTION_SERIALIZABLE")) {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(backend.url());
      config.setMaximumPoolSize(20);
      config.setTransactionIsolation(isolation);
      try (HikariDataSource pool = new HikariDataSource(config);
          JdbcLeaseStore store = backend.store(pool, backend.freshTable())) {
        CyclicBarrier start = new CyclicBarrier(50);
        for (int round = 0; round < 5; round++) {
          int now = round;
          List<AcquireAnswer> answers =
              together(
                  50,
                  candidate -> {
                    start.await();
                    return store.acquire(NAME, "c" + candidate, now + "/" + candidate, LONG);
                  });
          List<AcquireAnswer.Granted> granted =
              answers.stream()
                  .filter(AcquireAnswer.Granted.class::isInstance)
                  .map(AcquireAnswer.Granted.class::cast)
                  .toList();
          assertThat(granted).hasSize(1);
          assertThat(answers)
              .filteredOn(AcquireAnswer.Held.class::isInstance)
              .allSatisfy(
                  answer ->
                      assertThat(((AcquireAnswer.Held) answer).view().token())
                          .isEqualTo(granted.get(0).lease().token()));
          store.release(granted.get(0).lease(), Duration.ZERO);
        }
      }
    }
  }

  /** Batches in opposite orders are how deadlocks are made. */
  @ParameterizedTest
  @EnumSource
  void crossedBatchesDeadlockAtMostInsideTheCall(Backend backend) throws Exception {
    try (HikariDataSource pool = backend.pool(10);
        JdbcLeaseStore store = backend.store(pool, backend.freshTable())) {
      for (int round = 0; round < 3; round++) {
        int now = round;
        List<List<AcquireAnswer>> all =
            together(
                8,
                candidate -> {
                  List<AcquireRequest> requests =
                      new ArrayList<>(
                          IntStream.range(0, 60)
                              .mapToObj(
                                  i ->
                                      new AcquireRequest(
                                          LeaseName.of("n" + i),
                                          "c" + candidate,
                                          now + "/" + candidate + "/" + i,
                                          LONG))
                              .toList());
                  Collections.shuffle(requests, new Random(now * 100L + candidate));
                  return store.acquireAll(requests);
                });
        List<Lease> leases =
            all.stream()
                .flatMap(List::stream)
                .filter(AcquireAnswer.Granted.class::isInstance)
                .map(answer -> ((AcquireAnswer.Granted) answer).lease())
                .toList();
        assertThat(leases).hasSize(60);
        List<List<ReleaseAnswer>> released =
            together(
                4,
                one -> {
                  List<Lease> shuffled = new ArrayList<>(leases);
                  Collections.shuffle(shuffled, new Random(one));
                  return store.releaseAll(shuffled, Duration.ZERO);
                });
        assertThat(released.stream().flatMap(List::stream).filter(ReleaseAnswer.RELEASED::equals))
            .as("each is released exactly once")
            .hasSize(60);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aThousandLeasesInOneCallAreEachDecidedForThemselves(Backend backend) {
    try (JdbcLeaseStore store = backend.store(backend.dataSource(), backend.freshTable())) {
      List<AcquireRequest> requests =
          IntStream.range(0, 1_000)
              .mapToObj(i -> new AcquireRequest(LeaseName.of("order/" + i), "a", "a" + i, LONG))
              .toList();
      store.acquire(requests.get(7).name(), "other", "x", LONG);
      List<AcquireAnswer> acquired = store.acquireAll(requests);
      assertThat(acquired.get(7)).isInstanceOf(AcquireAnswer.Held.class);
      List<Lease> leases =
          acquired.stream()
              .filter(AcquireAnswer.Granted.class::isInstance)
              .map(answer -> ((AcquireAnswer.Granted) answer).lease())
              .toList();
      assertThat(leases).hasSize(999);
      store.release(leases.get(3), Duration.ZERO);
      List<RenewAnswer> renewed = store.renewAll(leases, LONG);
      assertThat(renewed.get(3)).isInstanceOf(RenewAnswer.Lost.class);
      assertThat(renewed.stream().filter(RenewAnswer.Renewed.class::isInstance)).hasSize(998);
      assertThat(store.releaseAll(leases, Duration.ZERO))
          .satisfies(answers -> assertThat(answers.get(3)).isEqualTo(ReleaseAnswer.ALREADY_ENDED))
          .filteredOn(ReleaseAnswer.RELEASED::equals)
          .hasSize(998);
      assertThat(store.reclaim(Duration.ZERO)).isEqualTo(999);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRecordThatVanishesUnderItsHolderIsLostAndTheNextTokenIsGreater(Backend backend)
      throws SQLException {
    String table = backend.freshTable();
    try (JdbcLeaseStore store = backend.store(backend.dataSource(), table)) {
      Lease lease = take(store, "1");
      backend.execute("DELETE FROM " + table);
      assertThat(store.renew(lease, LONG))
          .isInstanceOfSatisfying(
              RenewAnswer.Lost.class, lost -> assertThat(lost.current()).isEmpty());
      assertThat(store.release(lease, Duration.ZERO)).isEqualTo(ReleaseAnswer.ALREADY_ENDED);
      assertThat(take(store, "2").token()).isGreaterThan(lease.token());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPoolWithoutAFreeConnectionMeansThatNothingWasSent(Backend backend) throws SQLException {
    try (HikariDataSource pool = backend.pool(1);
        JdbcLeaseStore store = backend.store(pool, backend.freshTable())) {
      try (Connection taken = pool.getConnection()) {
        assertThat(taken.isClosed()).isFalse();
        assertThatThrownBy(() -> store.acquire(NAME, "a", "1", LONG))
            .isInstanceOfSatisfying(
                LeaseStoreException.class,
                e -> assertThat(e.outcome()).isEqualTo(LeaseStoreException.Outcome.NOT_APPLIED))
            .hasMessageContaining("acquire nightly");
      }
      take(store, "1");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatIsNotThereAtTheStartIsNoErrorUntilACallIsMade(Backend backend) {
    String url = backend == Backend.POSTGRESQL ? PostgresServer.url(1) : MariadbServer.leasesUrl(1);
    try (JdbcLeaseStore store =
        JdbcLeaseStore.builder(backend.dataSource(url + "&password=secret")).build()) {
      assertThatThrownBy(() -> store.read(NAME))
          .isInstanceOfSatisfying(
              LeaseStoreException.class,
              e -> assertThat(e.outcome()).isEqualTo(LeaseStoreException.Outcome.NOT_APPLIED))
          .hasMessageNotContaining("secret");
    }
  }

  private static <T> List<T> together(int n, Work<T> work) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(n);
    try {
      List<Callable<T>> tasks =
          IntStream.range(0, n).mapToObj(i -> (Callable<T>) () -> work.of(i)).toList();
      List<T> results = new ArrayList<>();
      for (Future<T> future : executor.invokeAll(tasks)) {
        results.add(future.get());
      }
      return results;
    } finally {
      executor.shutdownNow();
    }
  }

  private interface Work<T> {
    T of(int i) throws Exception;
  }
}
