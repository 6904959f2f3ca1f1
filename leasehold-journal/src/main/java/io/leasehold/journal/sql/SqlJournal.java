package io.leasehold.journal.sql;

import io.leasehold.FencingToken;
import io.leasehold.LeaseArguments;
import io.leasehold.Page;
import io.leasehold.journal.AbandonedInstance;
import io.leasehold.journal.AbandonedPage;
import io.leasehold.journal.Append;
import io.leasehold.journal.AppendAnswer;
import io.leasehold.journal.CompleteAnswer;
import io.leasehold.journal.Completion;
import io.leasehold.journal.Entry;
import io.leasehold.journal.FenceAnswer;
import io.leasehold.journal.Frontier;
import io.leasehold.journal.Instance;
import io.leasehold.journal.InstanceId;
import io.leasehold.journal.Journal;
import io.leasehold.journal.NewInstance;
import io.leasehold.journal.PendingEvent;
import io.leasehold.journal.PurgeReport;
import io.leasehold.journal.RecordedEntry;
import io.leasehold.journal.Retention;
import io.leasehold.journal.StartAnswer;
import io.leasehold.journal.StepKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * The journal in PostgreSQL, MariaDB or SQLite, in tables made by {@link JournalSchema}. Every
 * write is one round trip on a connection of its own, decided and stamped by the database.
 *
 * <p>A write takes part in no transaction of the caller's. Deadlocks and serialization failures are
 * tried again inside the call. The pool is the caller's, and so are its time-outs.
 *
 * <pre>{@code
 * JournalSchema.of(pool, JournalTables.DEFAULT).expand();
 * Journal journal = new SqlJournal(pool, JournalTables.DEFAULT);
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class SqlJournal implements Journal {

  private static final String READ =
      "SELECT "
          + Rows.INSTANCE
          + ", i.input, i.snapshot FROM {instance} AS i WHERE i.id = :instance";

  /** The input and the snapshot may be large: they are sent once, beside the first entry. */
  private static final String FRONTIER =
      "SELECT "
          + Rows.INSTANCE
          + """
          , CASE WHEN coalesce(e.sequence, 1) = 1 THEN i.input END,
          CASE WHEN coalesce(e.sequence, 1) = 1 THEN i.snapshot END,
          """
          + Rows.ENTRY
          + """

          FROM {instance} AS i LEFT JOIN {entry} AS e ON e.instance = i.id
          WHERE i.id = :instance
          ORDER BY e.sequence
          """;

  private static final String PENDING =
      """
      SELECT position, instance, sequence, ordinal, type, partition_key, payload
      FROM {outbox}
      WHERE published_at IS NULL AND position > :after
      ORDER BY position
      LIMIT :limit
      """;

  private static final String PUBLISHED =
      """
      UPDATE {outbox} SET published_at = {now} WHERE position = :position AND published_at IS NULL
      """;

  private final Calls calls;

  /**
   * A journal.
   *
   * @param pool gives a connection for each call
   * @param tables what its tables are called
   */
  public SqlJournal(DataSource pool, JournalTables tables) {
    this.calls = new Calls(pool, tables);
  }

  @Override
  public StartAnswer start(NewInstance instance, FencingToken token) {
    Optional<StepKey> parent = instance.parent();
    Values values =
        new Values()
            .text("instance", instance.id().value())
            .text("flow", instance.flow())
            .number("token", token.value())
            .payload("input", instance.input())
            .text("parent", parent.map(key -> key.instance().value()).orElse(null))
            .text("parentScope", parent.map(key -> key.scope().text()).orElse(null))
            .integer("parentStep", parent.map(StepKey::step).orElse(null))
            .integer("parentAttempt", parent.map(StepKey::attempt).orElse(null));
    boolean started =
        calls.call(
            "start " + instance.id(),
            (connection, dialect) -> {
              try {
                return update(connection, dialect.sql(dialect.start()), values) == 1;
              } catch (SQLException e) {
                if (dialect.isDuplicateKey(e)) {
                  return false;
                }
                throw e;
              }
            });
    return started
        ? new StartAnswer.Started(instance.id())
        : new StartAnswer.AlreadyExists(instance.id());
  }

  @Override
  public FenceAnswer fence(InstanceId instance, FencingToken token) {
    return decide("fence " + instance, new Question.Fence(instance, token));
  }

  @Override
  public AppendAnswer append(Entry entry, FencingToken token) {
    return decide("append " + entry.key(), Question.Appending.of(new Append(entry, token)));
  }

  @Override
  public CompleteAnswer complete(InstanceId instance, Completion completion, FencingToken token) {
    return decide("complete " + instance, new Question.Completing(instance, completion, token));
  }

  /** Rows are locked in the order of their ids, so that two such calls cannot block each other. */
  @Override
  public List<AppendAnswer> appendAll(List<Append> appends) {
    if (appends.size() > MAX_APPENDS) {
      throw new IllegalArgumentException(
          appends.size() + " appends at once; at most " + MAX_APPENDS + " are allowed");
    }
    if (appends.isEmpty()) {
      return List.of();
    }
    boolean events = appends.stream().anyMatch(each -> !each.entry().events().isEmpty());
    Dialect.Write write = events ? Dialect.Write.APPEND_WITH_EVENTS : Dialect.Write.APPEND;
    List<Integer> order =
        IntStream.range(0, appends.size())
            .boxed()
            .sorted(Comparator.comparing(i -> appends.get(i).entry().key().instance().value()))
            .toList();
    List<Question.Appending> questions =
        order.stream().map(i -> new Question.Appending(appends.get(i), write)).toList();
    List<AppendAnswer> answers =
        calls.call(
            "append " + appends.size() + " entries",
            (connection, dialect) -> dialect.decide(connection, questions));
    List<AppendAnswer> inOrder = new ArrayList<>(answers);
    for (int i = 0; i < answers.size(); i++) {
      inOrder.set(order.get(i), answers.get(i));
    }
    return inOrder;
  }

  private <A> A decide(String call, Question<A> question) {
    return calls
        .call(call, (connection, dialect) -> dialect.decide(connection, List.of(question)))
        .get(0);
  }

  @Override
  public Optional<Instance> read(InstanceId instance) {
    return calls
        .call(
            "read " + instance,
            (connection, dialect) ->
                query(connection, dialect.sql(READ), byId(instance), Rows::instance))
        .stream()
        .findFirst();
  }

  @Override
  public Optional<Frontier> frontier(InstanceId instance) {
    return calls.call(
        "frontier " + instance,
        (connection, dialect) -> {
          NamedSql sql = dialect.sql(FRONTIER);
          try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
            sql.bind(statement, byId(instance));
            try (ResultSet row = statement.executeQuery()) {
              return row.next() ? Optional.of(frontier(row)) : Optional.<Frontier>empty();
            }
          }
        });
  }

  private static Frontier frontier(ResultSet row) throws SQLException {
    Instance instance = Rows.instance(row);
    List<RecordedEntry> entries = new ArrayList<>();
    do {
      Rows.entry(row).ifPresent(entries::add);
    } while (row.next());
    return new Frontier(instance, entries);
  }

  @Override
  public AbandonedPage abandoned(Duration idleFor, Page page) {
    Duration idle = LeaseArguments.endedFor(idleFor);
    AbandonedCursor after = AbandonedCursor.of(page.cursor());
    Values values =
        new Values()
            .number("idle", idle.toMillis())
            .number("since", after.since())
            .text("id", after.id())
            .integer("limit", page.size() + 1);
    List<AbandonedInstance> found =
        calls.call(
            "abandoned",
            (connection, dialect) ->
                query(connection, dialect.sql(abandoned(dialect)), values, Rows::abandoned));
    if (found.size() <= page.size()) {
      return new AbandonedPage(found, Optional.empty());
    }
    List<AbandonedInstance> kept = found.subList(0, page.size());
    return new AbandonedPage(
        kept, Optional.of(AbandonedCursor.after(kept.get(kept.size() - 1)).text()));
  }

  /**
   * Reads the index in its own order, from the cursor on, so a page costs as many rows as it has.
   * Two comparisons, not one of pairs: MariaDB would not use its index for that.
   */
  static String abandoned(Dialect dialect) {
    return """
        SELECT id, flow, state, fence, touched_at
        FROM {instance}
        WHERE {idle} < {stillNow} - :idle AND {since} >= :since
          AND (touched_at > :since OR id > :id)
        ORDER BY {since}, id
        LIMIT :limit
        """
        .replace("{idle}", dialect.idleSince())
        .replace("{since}", dialect.idleSince().replaceFirst(".* AND ", ""));
  }

  @Override
  public List<PendingEvent> pendingEvents(long after, int limit) {
    Page.first(limit);
    Values values = new Values().number("after", after).integer("limit", limit);
    return calls.call(
        "pendingEvents",
        (connection, dialect) -> query(connection, dialect.sql(PENDING), values, Rows::event));
  }

  @Override
  public void markPublished(Collection<Long> positions) {
    if (positions.isEmpty()) {
      return;
    }
    calls.call(
        "markPublished",
        (connection, dialect) -> {
          NamedSql sql = dialect.sql(PUBLISHED);
          try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
            for (Long position : positions) {
              sql.bind(statement, new Values().number("position", position));
              statement.addBatch();
            }
            return statement.executeBatch().length;
          }
        });
  }

  @Override
  public PurgeReport purge(Retention retention) {
    return new Purge(calls, retention).run();
  }

  /** Does nothing: the pool is the caller's. */
  @Override
  public void close() {}

  private static Values byId(InstanceId instance) {
    return new Values().text("instance", instance.value());
  }

  /** What a row means. */
  @FunctionalInterface
  interface Reading<T> {
    T of(ResultSet row) throws SQLException;
  }

  static <T> List<T> query(Connection connection, NamedSql sql, Values values, Reading<T> reading)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
      sql.bind(statement, values);
      try (ResultSet row = statement.executeQuery()) {
        List<T> found = new ArrayList<>();
        while (row.next()) {
          found.add(reading.of(row));
        }
        return found;
      }
    }
  }

  static int update(Connection connection, NamedSql sql, Values values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
      sql.bind(statement, values);
      return statement.executeUpdate();
    }
  }
}
