package io.leasehold.journal.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.FencingToken;
import io.leasehold.journal.Append;
import io.leasehold.journal.AppendAnswer;
import io.leasehold.journal.Entry;
import io.leasehold.journal.InstanceId;
import io.leasehold.journal.NewInstance;
import io.leasehold.journal.Payload;
import io.leasehold.journal.StepKey;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Appends per second, beside the same insert and update by hand: in a JDBC loop, and by pgbench
 * where it is installed. Run it by its {@code main}; it starts a PostgreSQL of its own that syncs
 * every commit to the disk. Contenders take turns, so that the machine's mood hits all of them.
 *
 * <p>By hand means what an application without fences would write: the instance's row is updated,
 * which gives the sequence, and the entry is inserted.
 */
final class JournalThroughput {

  private static final int SECONDS = Integer.getInteger("seconds", 4);
  private static final int ROUNDS = Integer.getInteger("rounds", 3);
  private static final JournalTables TABLES = new JournalTables("bench");
  private static final FencingToken TOKEN = new FencingToken(1);
  private static final byte[] RESULT =
      "{\"charged\":12,\"currency\":\"EUR\"}".getBytes(StandardCharsets.UTF_8);
  private static final int INSTANCES = 1_000;

  private final HikariDataSource pool;
  private final int port;
  private final SqlJournal journal;
  private final AtomicInteger[] steps = new AtomicInteger[INSTANCES];

  private JournalThroughput(HikariDataSource pool, int port) {
    this.pool = pool;
    this.port = port;
    this.journal = new SqlJournal(pool, TABLES);
    Arrays.setAll(steps, i -> new AtomicInteger());
  }

  public static void main(String[] arguments) throws Exception {
    try (EmbeddedPostgres server =
            EmbeddedPostgres.builder()
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .start();
        HikariDataSource pool = pool(server)) {
      JournalThroughput bench = new JournalThroughput(pool, server.getPort());
      bench.prepare();
      bench.compare(1, 1);
      bench.compare(1, INSTANCES);
      bench.compare(16, INSTANCES);
      bench.groups();
      bench.rehydrate();
    }
  }

  private static HikariDataSource pool(EmbeddedPostgres server) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server.getJdbcUrl("postgres", "postgres"));
    config.setMaximumPoolSize(16);
    return new HikariDataSource(config);
  }

  private void prepare() throws SQLException {
    JournalSchema.of(pool, TABLES).contract();
    for (int i = 0; i < INSTANCES; i++) {
      journal.start(NewInstance.of(id(i), "bench"), TOKEN);
    }
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT version(), current_setting('fsync'),"
                    + " current_setting('synchronous_commit')")) {
      row.next();
      System.out.printf(
          "%s%nfsync %s, synchronous_commit %s, %d processors%n",
          row.getString(1),
          row.getString(2),
          row.getString(3),
          Runtime.getRuntime().availableProcessors());
    }
  }

  private static InstanceId id(int i) {
    return InstanceId.of("bench/" + i);
  }

  /** One transaction of a contender, on instance number {@code i}. */
  private interface Append1 {
    void on(int i) throws SQLException;
  }

  private void compare(int clients, int instances) throws Exception {
    List<Double> ours = new ArrayList<>();
    List<Double> byHand = new ArrayList<>();
    List<Double> pgbench = new ArrayList<>();
    List<Double> pipelined = new ArrayList<>();
    rate(clients, instances, this::append, 1);
    rate(clients, instances, this::byHand, 1);
    for (int round = 0; round < ROUNDS; round++) {
      byHand.add(rate(clients, instances, this::byHand, SECONDS));
      ours.add(rate(clients, instances, this::append, SECONDS));
      pgbench.add(pgbench(clients, instances, false));
      pipelined.add(pgbench(clients, instances, true));
    }
    System.out.printf(
        "%d client(s), %d instance(s), appends/s: journal %.0f; JDBC by hand %.0f (ratio %.2f);"
            + " pgbench by hand %.0f (ratio %.2f); pgbench pipelined %.0f (ratio %.2f)%n",
        clients,
        instances,
        median(ours),
        median(byHand),
        median(ours) / median(byHand),
        median(pgbench),
        median(ours) / median(pgbench),
        median(pipelined),
        median(ours) / median(pipelined));
  }

  private static double median(List<Double> all) {
    return all.stream().sorted().toList().get(all.size() / 2);
  }

  private static double rate(int clients, int instances, Append1 append, int seconds)
      throws Exception {
    AtomicLong done = new AtomicLong();
    long start = System.nanoTime();
    long end = start + seconds * 1_000_000_000L;
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int c = 0; c < clients; c++) {
        int first = c;
        all.add(
            threads.submit(
                () -> {
                  // Clients never meet on one instance: each instance has one owner.
                  for (int i = first; System.nanoTime() < end; i += clients) {
                    append.on(i % instances);
                    done.incrementAndGet();
                  }
                  return 0;
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      threads.shutdown();
    }
    return done.get() * 1e9 / (System.nanoTime() - start);
  }

  private Entry entry(int i) {
    return Entry.of(StepKey.of(id(i), steps[i].getAndIncrement()), "charge-card")
        .result(Payload.of(RESULT))
        .build();
  }

  private void append(int i) {
    if (!(journal.append(entry(i), TOKEN) instanceof AppendAnswer.Appended)) {
      throw new IllegalStateException("refused");
    }
  }

  private void byHand(int i) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      long sequence;
      try (PreparedStatement statement =
          connection.prepareStatement(
              """
              UPDATE bench_instance SET next_sequence = next_sequence + 1, state = 'RUNNING',
                touched_at = floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
              WHERE id = ? RETURNING next_sequence - 1
              """)) {
        statement.setString(1, id(i).value());
        try (ResultSet row = statement.executeQuery()) {
          row.next();
          sequence = row.getLong(1);
        }
      }
      try (PreparedStatement statement =
          connection.prepareStatement(
              """
              INSERT INTO bench_entry
                (instance, scope, step, attempt, sequence, token, action, outcome, result,
                 duration_ms, committed_at)
              VALUES (?, '-', ?, 1, ?, 1, 'charge-card', 'SUCCESS', ?, 0,
                floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
              """)) {
        statement.setString(1, id(i).value());
        statement.setInt(2, steps[i].getAndIncrement());
        statement.setLong(3, sequence);
        statement.setBytes(4, RESULT);
        statement.executeUpdate();
      }
      connection.commit();
    }
  }

  /** The same by pgbench, whose steps are numbered from a billion on. */
  private double pgbench(int clients, int instances, boolean pipeline)
      throws IOException, InterruptedException {
    String now = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    String script =
        "\\set i random(0, "
            + (instances - 1)
            + ")\n\\set step random(1000000000, 2000000000)\n"
            + (pipeline ? "\\startpipeline\n" : "")
            + "BEGIN;\nUPDATE bench_instance SET next_sequence = next_sequence + 1,"
            + " state = 'RUNNING', touched_at = "
            + now
            + " WHERE id = 'bench/' || :i;\n"
            + "INSERT INTO bench_entry (instance, scope, step, attempt, sequence, token, action,"
            + " outcome, result, duration_ms, committed_at) SELECT id, '-', :step,"
            + " (next_sequence)::int, next_sequence - 1, 1, 'charge-card', 'SUCCESS', '"
            + new String(RESULT, StandardCharsets.UTF_8)
            + "', 0, "
            + now
            + " FROM bench_instance WHERE id = 'bench/' || :i;\nCOMMIT;\n"
            + (pipeline ? "\\endpipeline\n" : "");
    Path file = Files.createTempFile("journal", ".sql");
    Files.writeString(file, script);
    try {
      Process process =
          new ProcessBuilder(
                  List.of(
                      "pgbench",
                      "-h",
                      "127.0.0.1",
                      "-p",
                      "" + port,
                      "-U",
                      "postgres",
                      "-n",
                      "-M",
                      "prepared",
                      "-c",
                      "" + clients,
                      "-j",
                      "" + Math.min(clients, 2),
                      "-T",
                      "" + SECONDS,
                      "-f",
                      file.toString(),
                      "postgres"))
              .redirectErrorStream(true)
              .start();
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      Matcher tps = Pattern.compile("tps = ([0-9.]+)").matcher(out);
      if (!tps.find()) {
        System.out.println("pgbench: " + out);
        return Double.NaN;
      }
      return Double.parseDouble(tps.group(1));
    } catch (IOException e) {
      return Double.NaN;
    } finally {
      Files.delete(file);
    }
  }

  private void groups() {
    for (int size : new int[] {10, 100, 1_000}) {
      long entries = 0;
      long start = System.nanoTime();
      while (System.nanoTime() - start < SECONDS * 1_000_000_000L) {
        List<Append> group = new ArrayList<>();
        for (int n = 0; n < size; n++) {
          group.add(new Append(entry((int) ((entries + n) % INSTANCES)), TOKEN));
        }
        journal.appendAll(group);
        entries += size;
      }
      System.out.printf(
          "appendAll of %d, 1 client: %.0f entries/s%n",
          size, entries * 1e9 / (System.nanoTime() - start));
    }
  }

  private void rehydrate() {
    InstanceId id = InstanceId.of("bench/long");
    journal.start(NewInstance.of(id, "bench"), TOKEN);
    List<Append> group = new ArrayList<>();
    for (int step = 0; step < 1_000; step++) {
      group.add(
          new Append(
              Entry.of(StepKey.of(id, step), "charge-card").result(Payload.of(RESULT)).build(),
              TOKEN));
    }
    journal.appendAll(group);
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      long start = System.nanoTime();
      if (journal.frontier(id).orElseThrow().entries().size() != 1_000) {
        throw new IllegalStateException("entries are missing");
      }
      millis.add((System.nanoTime() - start) / 1e6);
    }
    List<Double> sorted = millis.stream().sorted().toList();
    System.out.printf(
        "rehydrating 1,000 entries: median %.1f ms, 99th percentile %.1f ms%n",
        sorted.get(250), sorted.get(495));
  }
}
