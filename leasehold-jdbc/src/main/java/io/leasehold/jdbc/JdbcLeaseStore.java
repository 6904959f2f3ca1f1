package io.leasehold.jdbc;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseArguments;
import io.leasehold.LeaseName;
import io.leasehold.LeasePage;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leases in a relational database: SQLite, PostgreSQL, MySQL or MariaDB.
 *
 * <p>A call is one statement in a transaction of its own, on a connection of its own from the data
 * source, decided by the database's clock. It takes no part in a transaction of the caller's: a
 * business transaction that is rolled back leaves the lease alone, and a lease call commits nothing
 * of the caller's. The connection goes back as it was. Deadlocks, serialization failures and a busy
 * file are retried within the call's deadline, 10 seconds unless {@linkplain Builder#timeout set
 * otherwise}; how long a pool waits for a free connection is the pool's setting and comes on top.
 *
 * <pre>{@code
 * LeaseStore shared = JdbcLeaseStore.builder(dataSource).table("ops.lease").build();
 * LeaseStore onThisHost = JdbcLeaseStore.embedded(Path.of("/var/lib/app/leases.db"));
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class JdbcLeaseStore implements LeaseStore {

  /** How many names one statement carries at most. */
  private static final int BATCH = 1_000;

  private static final Logger log = LoggerFactory.getLogger(JdbcLeaseStore.class);

  private final Database database;
  private final @Nullable Signals signals;

  JdbcLeaseStore(Database database, @Nullable Signals signals) {
    this.database = database;
    this.signals = signals;
  }

  /**
   * A store in a SQLite file on this host, shared by any number of its processes. The file and its
   * directory are made if they are missing, for their owner only. A grant is on the disk before it
   * is answered. Releases are signalled between processes within some 50 ms. The file must not be
   * on a network file system.
   *
   * @param file the database file; its path has no {@code ?}
   * @return the store; {@link #close} frees the file
   * @throws IllegalArgumentException if the path cannot be used
   * @throws IllegalStateException if the file has a {@code lease} table that cannot keep leases
   * @throws LeaseStoreException if the file cannot be opened or is no SQLite database
   */
  public static JdbcLeaseStore embedded(Path file) {
    SqliteFile sqlite = new SqliteFile(file, Builder.DEFAULT_TIMEOUT);
    Dialect dialect = new SqliteDialect(TableName.parse(Builder.DEFAULT_TABLE));
    Database database = new Database(sqlite, new Dialects(dialect, true), Builder.DEFAULT_TIMEOUT);
    try {
      database.look("open " + sqlite);
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
    return new JdbcLeaseStore(database, new SqliteWatcher(sqlite, dialect));
  }

  /**
   * Begins a store in a database that others use too.
   *
   * @param dataSource where connections come from; one is enough. It stays the caller's to close
   * @return the builder
   */
  public static Builder builder(DataSource dataSource) {
    return new Builder(dataSource);
  }

  @Override
  public AcquireAnswer acquire(LeaseName name, String owner, String attempt, Duration ttl) {
    var question = new Question.Acquire(new AcquireRequest(name, owner, attempt, ttl));
    database.ask("acquire " + name, Dialect.Operation.ACQUIRE, List.of(question));
    return question.answer();
  }

  @Override
  public RenewAnswer renew(Lease lease, Duration ttl) {
    var question = new Question.Renew(lease, LeaseArguments.ttl(ttl).toMillis());
    database.ask("renew " + lease.name(), Dialect.Operation.RENEW, List.of(question));
    return question.answer();
  }

  @Override
  public ReleaseAnswer release(Lease lease, Duration linger) {
    var question = new Question.Release(lease, LeaseArguments.linger(linger).toMillis(), mark());
    database.ask("release " + lease.name(), Dialect.Operation.RELEASE, List.of(question));
    nudge();
    return question.answer();
  }

  @Override
  public void abandon(LeaseName name, String owner, String attempt) {
    LeaseArguments.owner(owner);
    var question = new Question.Abandon(name, LeaseArguments.attempt(attempt), mark());
    database.ask("abandon " + name, Dialect.Operation.ABANDON, List.of(question));
    nudge();
  }

  @Override
  public Optional<LeaseView> read(LeaseName name) {
    var question = new Question.Read(name);
    database.ask("read " + name, Dialect.Operation.READ, List.of(question));
    return question.answer();
  }

  @Override
  public List<AcquireAnswer> acquireAll(List<AcquireRequest> requests) {
    return askAll(
        "acquireAll",
        Dialect.Operation.ACQUIRE,
        requests.stream().map(Question.Acquire::new).toList());
  }

  @Override
  public List<RenewAnswer> renewAll(List<Lease> leases, Duration ttl) {
    long millis = LeaseArguments.ttl(ttl).toMillis();
    return askAll(
        "renewAll",
        Dialect.Operation.RENEW,
        leases.stream().map(lease -> new Question.Renew(lease, millis)).toList());
  }

  @Override
  public List<ReleaseAnswer> releaseAll(List<Lease> leases, Duration linger) {
    long millis = LeaseArguments.linger(linger).toMillis();
    long mark = mark();
    List<ReleaseAnswer> answers =
        askAll(
            "releaseAll",
            Dialect.Operation.RELEASE,
            leases.stream().map(lease -> new Question.Release(lease, millis, mark)).toList());
    nudge();
    return answers;
  }

  private <A> List<A> askAll(
      String call, Dialect.Operation operation, List<? extends Question<A>> questions) {
    for (List<? extends Question<A>> batch : batches(questions)) {
      database.ask(call, operation, batch);
    }
    return questions.stream().<A>map(Question::answer).toList();
  }

  /** Cuts a list so that no statement carries a name twice, or too many. */
  private static <Q extends Question<?>> List<List<Q>> batches(List<Q> questions) {
    List<List<Q>> batches = new ArrayList<>();
    Set<LeaseName> names = new HashSet<>();
    for (Q question : questions) {
      if (batches.isEmpty() || names.size() == BATCH || !names.add(question.name())) {
        batches.add(new ArrayList<>());
        names.clear();
        names.add(question.name());
      }
      batches.get(batches.size() - 1).add(question);
    }
    return batches;
  }

  @Override
  public LeasePage inspect(String prefix, Page page) {
    LeaseArguments.prefix(prefix);
    String after = LeaseArguments.prefix(page.cursor().orElse(""));
    List<LeaseView> found =
        database.call(
            "inspect",
            session ->
                session.list(
                    Dialect.Operation.INSPECT,
                    new JsonText()
                        .with("after", after)
                        .with("from", prefix)
                        .with("to", prefix + PAST_EVERY_NAME),
                    page.size() + 1));
    if (found.size() <= page.size()) {
      return new LeasePage(found, Optional.empty());
    }
    List<LeaseView> leases = found.subList(0, page.size());
    return new LeasePage(leases, Optional.of(leases.get(page.size() - 1).name().value()));
  }

  /** A text that sorts after what any name has left of its 255 bytes behind a prefix. */
  private static final String PAST_EVERY_NAME = Character.toString(0x10FFFF).repeat(64);

  /**
   * {@inheritDoc}
   *
   * <p>Goes through the whole table in strides of 1,000 names, a transaction each.
   */
  @Override
  public long reclaim(Duration endedFor) {
    long millis = LeaseArguments.endedFor(endedFor).toMillis();
    waitOneTick();
    long deleted = 0;
    String after = "";
    while (!after.equals(PAST_EVERY_NAME)) {
      JsonText stride = new JsonText().with("after", after);
      List<LeaseView> end =
          database.call("reclaim", session -> session.list(Dialect.Operation.STRIDE, stride, 1));
      String to = end.isEmpty() ? PAST_EVERY_NAME : end.get(0).name().value();
      JsonText part = new JsonText().with("after", after).with("to", to).with("endedFor", millis);
      deleted +=
          database.call("reclaim", session -> session.count(Dialect.Operation.RECLAIM, part));
      after = to;
    }
    return deleted;
  }

  /**
   * A record made within this very tick of the clock could come back with its old token, so reclaim
   * leaves it alone. A caller that releases and then reclaims expects it to go.
   */
  private void waitOneTick() {
    try {
      Thread.sleep(database.tick().plusMillis(1).toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LeaseStoreException(
          LeaseStoreException.Outcome.NOT_APPLIED, "reclaim: interrupted before it began", e);
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>An embedded SQLite file has signals; for PostgreSQL see {@link Builder#signals(boolean)};
   * MySQL and MariaDB have none.
   */
  @Override
  public Subscription subscribe(LeaseName name, Runnable onRelease) {
    return signals == null ? Subscription.NONE : signals.subscribe(name, onRelease);
  }

  /** Frees the listening connection and an embedded file; never the data source. */
  @Override
  public void close() {
    if (signals != null) {
      signals.close();
    }
    database.close();
  }

  private void nudge() {
    if (signals != null) {
      signals.nudge();
    }
  }

  private static long mark() {
    return ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
  }

  /**
   * Builds a store in a shared database.
   *
   * <p>Not thread-safe.
   */
  public static final class Builder {

    static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
    static final String DEFAULT_TABLE = "lease";

    private final DataSource dataSource;
    private TableName table = TableName.parse(DEFAULT_TABLE);
    private Duration timeout = DEFAULT_TIMEOUT;
    private boolean createTable;
    private @Nullable DataSource listening;

    private Builder(DataSource dataSource) {
      this.dataSource = dataSource;
    }

    /**
     * Names the lease table; {@code lease} unless set.
     *
     * @param name the table, with its schema or without: {@code lease}, {@code ops.lease}, {@code
     *     "Lease"}. Without quotes it is folded as the database folds names
     * @return this
     * @throws IllegalArgumentException if that is no table name
     */
    public Builder table(String name) {
      table = TableName.parse(name);
      return this;
    }

    /**
     * Bounds a call once it has its connection; 10 seconds unless set.
     *
     * @param limit at least 1 ms, at most an hour
     * @return this
     * @throws IllegalArgumentException if it is out of range
     */
    public Builder timeout(Duration limit) {
      if (limit.toMillis() < 1 || limit.compareTo(Duration.ofHours(1)) > 0) {
        throw new IllegalArgumentException(
            "timeout " + limit + " is out of range: at least 1 ms and at most an hour");
      }
      timeout = limit;
      return this;
    }

    /**
     * Creates the table if it is missing; for development. In production the database's owner
     * creates it from the definitions in this jar, and the store needs no right to.
     *
     * @return this
     */
    public Builder createTableIfMissing() {
      createTable = true;
      return this;
    }

    /**
     * Whether to listen for releases, so that a candidate need not wait for its next poll. Only
     * PostgreSQL can tell; elsewhere this changes nothing. Listening takes <em>one more</em>
     * connection of the data source and keeps it while somebody is subscribed, so a pool needs at
     * least two. Off unless set.
     *
     * @param on whether to listen
     * @return this
     */
    public Builder signals(boolean on) {
      listening = on ? dataSource : null;
      return this;
    }

    /**
     * Listens for releases on a connection of another data source, such as one that goes past a
     * transaction-mode pooler.
     *
     * @param direct where the listening connection comes from
     * @return this
     */
    public Builder signals(DataSource direct) {
      listening = direct;
      return this;
    }

    /**
     * Builds the store. It connects once, to learn which database it is and whether the table can
     * keep leases. A database that cannot be reached is no error here: the first call that reaches
     * it looks again.
     *
     * @return the store
     * @throws IllegalStateException if the table is missing, or compares names otherwise than byte
     *     for byte, or the database is none of those supported; one sentence that says what is
     *     right
     */
    public JdbcLeaseStore build() {
      Dialects dialects = new Dialects(table, createTable, timeout);
      Database database = new Database(new PooledConnections(dataSource), dialects, timeout);
      try {
        database.look("look at the table");
      } catch (LeaseStoreException e) {
        log.warn("no connection yet; the first call that gets one looks at the table", e);
      }
      return new JdbcLeaseStore(database, listener(dialects.known()));
    }

    private @Nullable Signals listener(@Nullable Dialect known) {
      DataSource from = listening;
      if (from == null || (known != null && !(known instanceof PostgresDialect))) {
        return null;
      }
      if (from == dataSource && known instanceof PostgresDialect postgres && postgres.pooled()) {
        log.warn(PostgresListener.off(table.toString(), "a pooler is between"));
        return null;
      }
      return new PostgresListener(from, table);
    }
  }
}
