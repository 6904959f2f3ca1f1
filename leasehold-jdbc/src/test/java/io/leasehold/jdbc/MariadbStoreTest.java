package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.AcquireAnswer;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseStoreException.Outcome;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What is MariaDB's own, by its own statements and by those for MySQL. */
class MariadbStoreTest {

  private static final Duration LONG = Duration.ofMinutes(5);
  private static final LeaseName NAME = LeaseName.of("nightly \uD83D\uDE00 \\' \" ` %");

  private String url;
  private String table;

  @BeforeEach
  void setUp() {
    url = MariadbServer.shared().leasesUrl();
    table = Backend.MARIADB.freshTable();
  }

  private static Lease take(JdbcLeaseStore store, String attempt) {
    return ((AcquireAnswer.Granted) store.acquire(NAME, "ä\uD83D\uDE00", attempt, LONG)).lease();
  }

  private static void tour(JdbcLeaseStore store) {
    Lease first = take(store, "1");
    assertThat(take(store, "1").token()).isEqualTo(first.token());
    assertThat(store.acquire(NAME, "b", "2", LONG))
        .isInstanceOfSatisfying(
            AcquireAnswer.Held.class,
            held -> {
              assertThat(held.view().isOf(first)).isTrue();
              assertThat(held.view().owner()).isEqualTo(first.owner());
              assertThat(held.view().remaining()).isPositive();
            });
    assertThat(store.renew(first, LONG.multipliedBy(2)))
        .isInstanceOfSatisfying(
            RenewAnswer.Renewed.class,
            renewed -> assertThat(renewed.lease().remaining()).isGreaterThan(LONG));
    assertThat(store.release(first, Duration.ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
    assertThat(store.release(first, Duration.ZERO)).isEqualTo(ReleaseAnswer.ALREADY_ENDED);
    Lease second = take(store, "2");
    assertThat(second.token().value()).isEqualTo(first.token().value() + 1);
    assertThat(second.remaining()).isGreaterThan(LONG.minusMinutes(1));
    assertThat(store.release(first, Duration.ZERO)).isEqualTo(ReleaseAnswer.LOST);
    store.abandon(NAME, "b", "2");
    assertThat(store.acquire(NAME, "b", "2", LONG))
        .as("a spent attempt takes no second grant")
        .isInstanceOf(AcquireAnswer.Held.class);
    assertThat(store.inspect("night", Page.first(10)).leases())
        .singleElement()
        .satisfies(view -> assertThat(view.name()).isEqualTo(NAME));
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "POSTGRESQL")
  void theAnswersDependOnNoSettingOfTheSession(Backend backend) {
    for (String options :
        List.of(
            "",
            "&useServerPrepStmts=true",
            "&useAffectedRows=true",
            "&allowMultiQueries=true",
            "&sessionVariables=sql_mode='ANSI,TRADITIONAL,NO_BACKSLASH_ESCAPES'",
            "&sessionVariables=sql_mode='SIMULTANEOUS_ASSIGNMENT'",
            "&sessionVariables=innodb_snapshot_isolation=1,tx_isolation='SERIALIZABLE'",
            "&sessionVariables=collation_connection=utf8mb4_general_ci")) {
      try (JdbcLeaseStore store =
          backend.store(MariadbServer.dataSource(url + options), backend.freshTable())) {
        tour(store);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("with " + options, e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "POSTGRESQL")
  void aDatabaseOfAnOlderCharacterSetKeepsEveryName(Backend backend) throws SQLException {
    MariadbServer.shared()
        .execute(
            "CREATE DATABASE IF NOT EXISTS old CHARACTER SET latin1 COLLATE latin1_swedish_ci");
    try (JdbcLeaseStore store =
        backend.store(MariadbServer.dataSource(url.replace("/leases", "/old")), table)) {
      tour(store);
      for (String name : List.of("Job", "job", "j\u00f6b", "jo\u0308b", "stra\u00dfe", "strasse")) {
        assertThat(store.acquire(LeaseName.of(name), "a", name, LONG))
            .isInstanceOf(AcquireAnswer.Granted.class);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "POSTGRESQL")
  void aUserNeedsNoMoreThanTheDocumentedGrantsAndAReadOnlyServerGivesNoAnswer(Backend backend)
      throws SQLException {
    backend.store(MariadbServer.dataSource(url), table).close();
    MariadbServer server = MariadbServer.shared();
    server.execute(
        "CREATE USER IF NOT EXISTS app@'%'",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON leases." + table + " TO app@'%'");
    try (JdbcLeaseStore store =
        backend.store(MariadbServer.dataSource(url.replace("user=root", "user=app")), table)) {
      Lease lease = take(store, "1");
      assertThat(store.renew(lease, LONG)).isInstanceOf(RenewAnswer.Renewed.class);
      server.execute("SET GLOBAL read_only = 1");
      try {
        assertNotApplied(() -> store.acquire(NAME, "b", "2", LONG));
        assertNotApplied(() -> store.renew(lease, LONG));
      } finally {
        server.execute("SET GLOBAL read_only = 0");
      }
      assertThat(store.renew(lease, LONG)).isInstanceOf(RenewAnswer.Renewed.class);
      assertThat(store.release(lease, Duration.ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
      assertThat(store.reclaim(Duration.ZERO)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "POSTGRESQL")
  void theServerGivesUpAtTheDeadlineSoThatNothingHappensLater(Backend backend) throws Exception {
    try (JdbcLeaseStore store = backend.store(backend.dataSource(), table);
        JdbcLeaseStore hasty =
            backend.store(backend.dataSource(), table, Duration.ofMillis(1_500))) {
      Lease lease = take(store, "1");
      try (var connection = backend.dataSource().getConnection();
          var statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute("SELECT * FROM " + table + " FOR UPDATE");
        assertThatThrownBy(() -> hasty.renew(lease, Duration.ofDays(1)))
            .isInstanceOf(LeaseStoreException.class);
        await()
            .until(
                () -> {
                  try (var rows =
                      statement.executeQuery(
                          "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state ="
                              + " 'LOCK WAIT'")) {
                    rows.next();
                    return rows.getInt(1) == 0;
                  }
                });
        connection.rollback();
      }
      assertThat(store.read(NAME).orElseThrow().remaining()).isLessThan(Duration.ofHours(1));
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "POSTGRESQL")
  void aServerThatStopsAndStartsAgainIsServedWithoutARestart(Backend backend) {
    try (MariadbServer own = new MariadbServer()) {
      own.startWithDatabase();
      try (HikariDataSource pool = new HikariDataSource()) {
        pool.setJdbcUrl(own.leasesUrl());
        pool.setMaximumPoolSize(2);
        pool.setConnectionTimeout(1_000);
        try (JdbcLeaseStore store = backend.store(pool, "lease")) {
          Lease lease = take(store, "1");
          own.stop();
          assertThatThrownBy(() -> store.renew(lease, LONG))
              .isInstanceOf(LeaseStoreException.class);
          await().untilAsserted(() -> assertNotApplied(() -> store.acquire(NAME, "b", "2", LONG)));
          own.start();
          // A pool may take a moment of its own to find out.
          await()
              .ignoreExceptions()
              .until(() -> store.renew(lease, LONG) instanceof RenewAnswer.Renewed);
          own.kill();
          assertThatThrownBy(() -> store.read(NAME)).isInstanceOf(LeaseStoreException.class);
          own.start();
          await()
              .ignoreExceptions()
              .until(() -> store.release(lease, Duration.ZERO) == ReleaseAnswer.RELEASED);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "POSTGRESQL")
  void aServerClockThatStepsBackAMinuteLetsNobodyHoldTwiceAndTokensGrow(Backend backend)
      throws Exception {
    try (MariadbServer own = new MariadbServer("default-time-zone=+02:00")) {
      own.withMovableClock();
      own.startWithDatabase();
      try (JdbcLeaseStore store =
          backend.store(MariadbServer.dataSource(own.leasesUrl()), "lease")) {
        ClockSteps.check(own, store);
      }
    }
  }

  private static void assertNotApplied(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            LeaseStoreException.class, e -> assertThat(e.outcome()).isEqualTo(Outcome.NOT_APPLIED));
  }
}
