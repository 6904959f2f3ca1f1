package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.AcquireAnswer;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is PostgreSQL's own. */
class PostgresStoreTest {

  private static final Duration LONG = Duration.ofMinutes(5);
  private static final LeaseName NAME = LeaseName.of("nightly");

  private PostgresServer server;
  private DataSource direct;
  private String table;

  @BeforeEach
  void openStore() {
    server = PostgresServer.shared();
    direct = PostgresServer.dataSource(server.url());
    table = Backend.POSTGRESQL.freshTable();
    builder(direct).createTableIfMissing().build().close();
  }

  private JdbcLeaseStore.Builder builder(DataSource dataSource) {
    return JdbcLeaseStore.builder(dataSource).table(table);
  }

  private static Lease take(JdbcLeaseStore store, String attempt) {
    return ((AcquireAnswer.Granted) store.acquire(NAME, "a", attempt, LONG)).lease();
  }

  private String query(String sql) throws SQLException {
    try (var connection = direct.getConnection();
        var rows = connection.createStatement().executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  @Test
  void aCandidateThatFindsTheNameTakenDoesNotEvenLockTheRow() throws SQLException {
    String row = "SELECT concat_ws(' ', ctid, xmin, xmax) FROM " + table;
    try (JdbcLeaseStore store = builder(direct).build()) {
      take(store, "1");
      String before = query(row);
      for (int i = 0; i < 20; i++) {
        assertThat(store.acquire(NAME, "b", "b" + i, LONG)).isInstanceOf(AcquireAnswer.Held.class);
      }
      assertThat(query(row)).isEqualTo(before);
    }
  }

  @Test
  void twentyContendersLeaveNoErrorInAnyLog() throws Exception {
    for (String options : List.of("", "&options=-c%20default_transaction_isolation=serializable")) {
      contend(PostgresServer.dataSource(server.url() + options));
    }
  }

  private void contend(DataSource dataSource) throws Exception {
    int before = server.logText().length();
    ExecutorService executor = Executors.newFixedThreadPool(20);
    try (LogRecorder ours = new LogRecorder();
        JdbcLeaseStore store = builder(dataSource).build()) {
      Instant end = Instant.now().plusSeconds(4);
      AtomicInteger all = new AtomicInteger();
      List<Future<Integer>> contenders = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        String owner = "c" + i;
        contenders.add(
            executor.submit(
                () -> {
                  int granted = 0;
                  for (int n = 0; Instant.now().isBefore(end) || all.get() < 60; n++) {
                    LeaseName name = LeaseName.of("n" + n % 3);
                    String attempt = owner + Instant.now() + n;
                    if (store.acquire(name, owner, attempt, LONG)
                        instanceof AcquireAnswer.Granted grant) {
                      granted++;
                      all.incrementAndGet();
                      assertThat(store.renew(grant.lease(), LONG))
                          .isInstanceOf(RenewAnswer.Renewed.class);
                      assertThat(store.release(grant.lease(), Duration.ZERO))
                          .isEqualTo(ReleaseAnswer.RELEASED);
                    }
                  }
                  return granted;
                }));
      }
      int granted = 0;
      for (Future<Integer> contender : contenders) {
        granted += contender.get();
      }
      assertThat(granted).isGreaterThanOrEqualTo(60);
      assertThat(ours.lines(Level.WARN)).isEmpty();
    } finally {
      executor.shutdownNow();
    }
    assertThat(server.logText().substring(before)).doesNotContain("ERROR", "FATAL", "WARNING");
  }

  @Test
  void theTableIsFoundOnACustomSearchPath() throws SQLException {
    String schema = "path_" + table;
    server.execute("CREATE SCHEMA " + schema, "ALTER TABLE " + table + " SET SCHEMA " + schema);
    DataSource dataSource =
        PostgresServer.dataSource(server.url() + "&options=-c%20search_path=" + schema);
    try (JdbcLeaseStore store = builder(dataSource).build()) {
      assertThat(store.release(take(store, "1"), Duration.ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
    }
    assertThatThrownBy(() -> builder(direct).build()).hasMessageContaining("is missing");
  }

  @Test
  void aRoleNeedsNoMoreThanTheDocumentedGrants() throws SQLException {
    server.execute(
        "CREATE ROLE app_" + table + " LOGIN",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON " + table + " TO app_" + table);
    DataSource dataSource =
        PostgresServer.dataSource(
            server.url().replace("user=postgres", "user=app_" + table)
                + "&options=-c%20default_transaction_read_only=on");
    // createTableIfMissing() of a table that is there asks for no right to create one.
    try (JdbcLeaseStore store = builder(dataSource).createTableIfMissing().build()) {
      Lease lease = take(store, "1");
      assertThat(store.renew(lease, LONG)).isInstanceOf(RenewAnswer.Renewed.class);
      assertThat(store.release(lease, Duration.ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
      assertThat(store.reclaim(Duration.ZERO)).isEqualTo(1);
    }
  }

  @Test
  void aStatementTheServerRefusesWasNotApplied() throws SQLException {
    server.execute(
        "CREATE ROLE reader_" + table + " LOGIN",
        "GRANT SELECT ON " + table + " TO reader_" + table);
    DataSource dataSource =
        PostgresServer.dataSource(server.url().replace("user=postgres", "user=reader_" + table));
    try (JdbcLeaseStore store = builder(dataSource).build()) {
      assertThatThrownBy(() -> store.acquire(NAME, "a", "1", LONG))
          .isInstanceOfSatisfying(
              LeaseStoreException.class,
              e -> assertThat(e.outcome()).isEqualTo(LeaseStoreException.Outcome.NOT_APPLIED))
          .hasMessageContaining("permission denied")
          .hasMessageContaining("acquire nightly");
      assertThat(store.read(NAME)).isEmpty();
    }
  }

  @Test
  void theServerGivesUpAtTheDeadlineSoThatNothingHappensLater() throws SQLException {
    try (JdbcLeaseStore store = builder(direct).build();
        JdbcLeaseStore hasty = builder(direct).timeout(Duration.ofMillis(400)).build()) {
      Lease lease = take(store, "1");
      try (var connection = direct.getConnection();
          var statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute("SELECT * FROM " + table + " FOR UPDATE");
        assertNotApplied(() -> hasty.renew(lease, Duration.ofDays(1)));
        await()
            .until(
                () ->
                    query("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
                        .equals("0"));
        connection.rollback();
      }
      assertThat(store.read(NAME).orElseThrow().remaining()).isLessThan(Duration.ofHours(1));
    }
  }

  @Test
  void aReleaseIsHeardByEveryProcessThatListens() {
    Lease[] lease = new Lease[1];
    AtomicInteger told = new AtomicInteger();
    try (HikariDataSource pool = Backend.POSTGRESQL.pool(2);
        JdbcLeaseStore listening = builder(pool).signals(true).build();
        JdbcLeaseStore holder = builder(direct).build();
        var subscription = listening.subscribe(NAME, told::incrementAndGet)) {
      lease[0] = take(holder, "0");
      // The first LISTEN may come after the first release; then it is heard from the next one on.
      await()
          .until(
              () -> {
                holder.release(lease[0], Duration.ZERO);
                lease[0] = take(holder, "x" + System.nanoTime());
                return told.get() > 0;
              });
      List<Long> waits = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        int before = told.get();
        long sent = System.nanoTime();
        holder.release(lease[0], Duration.ZERO);
        await()
            .pollInterval(Duration.ofMillis(1))
            .pollDelay(Duration.ZERO)
            .until(() -> told.get() > before);
        waits.add(System.nanoTime() - sent);
        lease[0] = take(holder, "y" + i);
      }
      waits.sort(null);
      // Some 5 ms on an idle machine; the margin is for a busy one. There is no poll to fall back
      // on.
      assertThat(Duration.ofNanos(waits.get(25))).isLessThan(Duration.ofMillis(500));

      int before = told.get();
      holder.release(lease[0], Duration.ofHours(1));
      holder.abandon(NAME, "a", "none");
      assertThat(listening.read(NAME)).isEmpty();
      await().pollDelay(Duration.ofMillis(300)).until(() -> told.get() == before);
    }
    await()
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().equals("leasehold-postgresql-listener")));
  }

  @Test
  void aListeningConnectionThatIsLostComesBackAndTellsEverybodyOnce() throws Exception {
    AtomicInteger told = new AtomicInteger();
    try (LogRecorder log = new LogRecorder();
        JdbcLeaseStore listening = builder(direct).signals(true).build();
        var subscription = listening.subscribe(NAME, told::incrementAndGet)) {
      String listeners =
          "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN leasehold_%'";
      await().until(() -> query(listeners).equals("1"));
      query(
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'LISTEN leasehold_%'");
      await().until(() -> told.get() == 1);
      assertThat(log.lines(Level.INFO))
          .hasSize(2)
          .satisfies(lines -> assertThat(lines.get(0)).contains("is lost; candidates poll"))
          .satisfies(lines -> assertThat(lines.get(1)).contains("is back"));
      listening.release(take(listening, "1"), Duration.ZERO);
      await().until(() -> told.get() == 2);
    }
  }

  /** The suite itself runs behind PgBouncer in {@link PgBouncerConformanceTest}. */
  @Test
  void behindAPoolerSignalsAreOffAndOneLineSaysSo() throws Exception {
    try (PgBouncer pooler = new PgBouncer(server)) {
      pooler.start();
      DataSource pooled = PostgresServer.dataSource(pooler.url());
      AtomicInteger told = new AtomicInteger();
      try (LogRecorder log = new LogRecorder();
          JdbcLeaseStore store = builder(pooled).signals(true).build()) {
        assertThat(log.lines(Level.INFO))
            .singleElement()
            .asString()
            .contains("are off, candidates poll: a pooler is between");
        try (var subscription = store.subscribe(NAME, told::incrementAndGet)) {
          store.release(take(store, "1"), Duration.ZERO);
        }
        contend(pooled);
        assertThat(told).hasValue(0);
        assertThat(log.lines(Level.INFO)).hasSize(1);
      }
      try (JdbcLeaseStore store = builder(pooled).signals(direct).build();
          var subscription = store.subscribe(NAME, told::incrementAndGet)) {
        await()
            .until(
                () -> {
                  store.release(take(store, "x" + System.nanoTime()), Duration.ZERO);
                  return told.get() > 0;
                });
      }
    }
  }

  @AfterEach
  void noConnectionIsLeftInATransaction() throws SQLException {
    assertThat(query("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%'"))
        .isEqualTo("0");
  }

  @Test
  void aStandbyGivesNoAnswerAndServesOnceItIsPromoted() throws Exception {
    try (PostgresServer own = new PostgresServer("fsync=off")) {
      own.start();
      try (HikariDataSource pool = pool(own);
          JdbcLeaseStore store = JdbcLeaseStore.builder(pool).createTableIfMissing().build()) {
        Lease lease = take(store, "1");
        own.stop();
        Files.createFile(own.directory.resolve("data/standby.signal"));
        own.start();
        // The pool finds out that its connections are gone; that alone is no answer either.
        await().untilAsserted(() -> assertNotApplied(() -> store.acquire(NAME, "b", "2", LONG)));
        for (int i = 0; i < 3; i++) {
          String attempt = "2" + i;
          assertNotApplied(() -> store.acquire(NAME, "b", attempt, LONG));
          assertNotApplied(() -> store.renew(lease, LONG));
          assertNotApplied(() -> store.read(NAME));
        }
        own.execute("SELECT pg_promote()");
        await()
            .ignoreExceptions()
            .until(() -> store.renew(lease, LONG) instanceof RenewAnswer.Renewed);
      }
    }
  }

  @Test
  void aServerThatStopsAndStartsAgainIsServedWithoutARestart() {
    try (PostgresServer own = new PostgresServer("fsync=off")) {
      own.start();
      try (HikariDataSource pool = pool(own);
          JdbcLeaseStore store =
              JdbcLeaseStore.builder(pool).createTableIfMissing().signals(true).build()) {
        Lease lease = take(store, "1");
        AtomicInteger told = new AtomicInteger();
        store.subscribe(NAME, told::incrementAndGet);
        own.stop();
        assertThatThrownBy(() -> store.renew(lease, LONG)).isInstanceOf(LeaseStoreException.class);
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
        await().until(() -> told.get() > 0);
      }
    }
  }

  @Test
  void aServerClockThatStepsBackAMinuteLetsNobodyHoldTwiceAndTokensGrow() throws Exception {
    try (PostgresServer own = new PostgresServer("fsync=off")) {
      own.withMovableClock().start();
      try (JdbcLeaseStore store =
          JdbcLeaseStore.builder(PostgresServer.dataSource(own.url()))
              .createTableIfMissing()
              .build()) {
        ClockSteps.check(own, store);
      }
    }
  }

  private static HikariDataSource pool(PostgresServer own) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(own.url());
    pool.setMaximumPoolSize(3);
    pool.setConnectionTimeout(1_000);
    return pool;
  }

  private static void assertNotApplied(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            LeaseStoreException.class,
            e -> assertThat(e.outcome()).isEqualTo(LeaseStoreException.Outcome.NOT_APPLIED));
  }
}
