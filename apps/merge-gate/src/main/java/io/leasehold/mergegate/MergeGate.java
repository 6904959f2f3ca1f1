package io.leasehold.mergegate;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.Owner;
import io.leasehold.election.Election;
import io.leasehold.http.RequestMeter;
import io.leasehold.jdbc.JdbcLeaseStore;
import io.leasehold.sweep.Sweep;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * One replica of the service: takes events, campaigns, and sweeps while it is elected. What it
 * opened it closes in reverse: first the sweep stops and its lease is released, last the meter
 * writes its line.
 */
final class MergeGate implements AutoCloseable {

  static final LeaseName LEASE = LeaseName.of("merge-gate-sweeper");

  private static final String SQLITE = "jdbc:sqlite:";

  /** What comparisons and the demonstration change. */
  record Wiring(String owner, ForgeClient.Options options, Optional<LeaseStore> leases) {
    static Wiring ofDefaults() {
      String owner = Owner.random();
      return new Wiring(
          owner,
          new ForgeClient.Options("leasehold-merge-gate/" + owner, true, true),
          Optional.empty());
    }
  }

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final RequestMeter meter;
  private final GatingRuns runs;
  private final Inbox inbox;
  private final Housekeeping housekeeping;
  private final Election election;

  private MergeGate(Config config, Wiring wiring) throws IOException, SQLException {
    try {
      InstantSource clock = InstantSource.system();
      meter = open(RequestMeter.builder("forge").clock(clock).build());
      HikariDataSource database = open(database(config.database()));
      runs = new GatingRuns(database, clock);
      LeaseStore leases =
          wiring.leases().isPresent()
              ? wiring.leases().get()
              : open(leases(config.database(), database));
      ForgeClient client = open(new ForgeClient(config.forgeUrl(), meter, clock, wiring.options()));
      Forge forge = new Forge(client, credentials(config, client, clock));
      Events events =
          new Events(runs, clock, config.contexts(), config.workflows(), config.patience());
      housekeeping = new Housekeeping(runs, clock, config.sweep().horizon());
      Sweep<GatingRun> sweep =
          Sweep.builder("merge gate", runs, new Reconciler(runs, forge, clock))
              .settings(config.sweep())
              .listener(housekeeping)
              .clock(clock)
              .build();
      election =
          open(
              Election.builder(leases, LEASE).owner(wiring.owner()).ttl(config.ttl()).start(sweep));
      inbox =
          open(
              new Inbox(
                  new InetSocketAddress(config.bind(), config.port()),
                  events,
                  config.webhookSecret(),
                  config.runsToken(),
                  () -> wiring.owner() + " " + election.status().phase()));
    } catch (IOException | SQLException | RuntimeException e) {
      close();
      throw e;
    }
  }

  static MergeGate open(Config config, Wiring wiring) throws IOException, SQLException {
    return new MergeGate(config, wiring);
  }

  RequestMeter meter() {
    return meter;
  }

  GatingRuns runs() {
    return runs;
  }

  /** How many passes this replica has run. */
  long passes() {
    return housekeeping.passes();
  }

  int port() {
    return inbox.port();
  }

  boolean isElected() {
    return election.status().isElected();
  }

  @Override
  public void close() {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (Exception e) {
        org.slf4j.LoggerFactory.getLogger(MergeGate.class).warn("Closing failed", e);
      }
    }
  }

  private <T extends AutoCloseable> T open(T resource) {
    opened.push(resource);
    return resource;
  }

  private static HikariDataSource database(String url) {
    HikariConfig pool = new HikariConfig();
    pool.setPoolName("leasehold-merge-gate");
    // Credentials in the address go to the driver untouched; they are not logged here.
    pool.setJdbcUrl(
        url.startsWith(SQLITE) && !url.contains("?")
            ? url + "?journal_mode=WAL&busy_timeout=5000&synchronous=NORMAL"
            : url);
    pool.setMaximumPoolSize(url.startsWith(SQLITE) ? 2 : 5);
    pool.setConnectionTimeout(5_000);
    return new HikariDataSource(pool);
  }

  private static LeaseStore leases(String url, HikariDataSource database) {
    if (url.startsWith(SQLITE)) {
      // Its own file: the store tunes its file for short writes by many processes.
      String file = url.substring(SQLITE.length()).replaceFirst("\\?.*", "");
      return JdbcLeaseStore.embedded(Path.of(file + ".leases"));
    }
    return JdbcLeaseStore.builder(database).createTableIfMissing().build();
  }

  private static Credentials credentials(Config config, ForgeClient client, InstantSource clock)
      throws IOException {
    if (config.forgeToken().isPresent()) {
      return Credentials.token(config.forgeToken().get());
    }
    return new AppCredentials(
        client,
        clock,
        config.appId().orElseThrow(),
        PemKey.parse(Files.readString(config.appKey().orElseThrow())));
  }
}
