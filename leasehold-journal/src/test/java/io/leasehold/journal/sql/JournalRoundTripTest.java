package io.leasehold.journal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.FencingToken;
import io.leasehold.Page;
import io.leasehold.journal.Append;
import io.leasehold.journal.AppendAnswer;
import io.leasehold.journal.Completion;
import io.leasehold.journal.Entry;
import io.leasehold.journal.Event;
import io.leasehold.journal.InstanceId;
import io.leasehold.journal.NewInstance;
import io.leasehold.journal.Outcome;
import io.leasehold.journal.Payload;
import io.leasehold.journal.Refusal;
import io.leasehold.journal.StepKey;
import io.leasehold.journal.servers.Databases;
import java.net.URI;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** How often each call goes to the server and back, counted between the driver and the server. */
class JournalRoundTripTest {

  private static final FencingToken ONE = new FencingToken(1);
  private static final InstanceId ORDER = InstanceId.of("order/42");

  private static Entry entry(int step) {
    return Entry.of(StepKey.of(ORDER, step), "a").result(Payload.of("{}")).build();
  }

  private static Entry eventful(int step) {
    return Entry.of(StepKey.of(ORDER, step), "a")
        .snapshot(Payload.of("s"))
        .event(new Event("t", "k", Payload.of("1")))
        .event(new Event("t", "k", Payload.of("2")))
        .build();
  }

  @Test
  void aCallIsOneRoundTripOnPostgres() throws Exception {
    try (CountingProxy proxy = new CountingProxy(Databases.postgresPort());
        HikariDataSource pool =
            pool("jdbc:postgresql://127.0.0.1:" + proxy.port() + "/postgres?user=postgres")) {
      int group = callsAreOneRoundTrip(proxy, pool);
      // BEGIN goes with the first of four texts of at most 32 entries; COMMIT is the fifth.
      // The proxy sees a sixth where the server answers while a text is still on its way.
      assertThat(group).as("a group of 100").isLessThanOrEqualTo(6);
    }
  }

  @Test
  void aCallIsOneRoundTripOnMariaDb() throws Exception {
    String url;
    try (Connection connection = Databases.mariaDb().getConnection()) {
      url = connection.getMetaData().getURL();
    }
    int port = URI.create(url.substring("jdbc:".length())).getPort();
    try (CountingProxy proxy = new CountingProxy(port);
        HikariDataSource pool = pool(url.replace(":" + port, ":" + proxy.port()))) {
      assertThat(callsAreOneRoundTrip(proxy, pool)).as("a group of 100").isEqualTo(1);
    }
  }

  /** Gives the round trips of a group of 100. */
  private static int callsAreOneRoundTrip(CountingProxy proxy, DataSource pool) throws Exception {
    JournalTables tables = new JournalTables("trips");
    JournalSchema.of(pool, tables).expand();
    SqlJournal journal = new SqlJournal(pool, tables);
    // Often enough that the driver has prepared what it prepares.
    journal.start(NewInstance.of(ORDER, "order"), ONE);
    for (int step = 0; step < 20; step++) {
      journal.append(entry(step), ONE);
      journal.append(eventful(100 + step), ONE);
      journal.fence(ORDER, ONE);
      journal.frontier(ORDER);
      journal.abandoned(Duration.ofHours(1), Page.first(64));
    }
    proxy.roundTrips();

    journal.append(entry(20), ONE);
    assertThat(proxy.roundTrips()).as("append").isEqualTo(1);
    journal.append(eventful(120), ONE);
    assertThat(proxy.roundTrips()).as("append with events").isEqualTo(1);
    assertThat(journal.append(entry(20), ONE)).isInstanceOf(Refusal.DuplicateKey.class);
    assertThat(proxy.roundTrips()).as("refused append").isEqualTo(1);
    journal.fence(ORDER, ONE);
    assertThat(proxy.roundTrips()).as("fence").isEqualTo(1);
    journal.start(NewInstance.of(InstanceId.of("order/43"), "order"), ONE);
    assertThat(proxy.roundTrips()).as("start").isEqualTo(1);
    journal.complete(InstanceId.of("order/43"), Completion.of(Outcome.COMPLETED), ONE);
    assertThat(proxy.roundTrips()).as("complete").isEqualTo(1);
    journal.abandoned(Duration.ofHours(1), Page.first(64));
    assertThat(proxy.roundTrips()).as("abandoned").isEqualTo(1);

    List<Append> group =
        IntStream.range(1_000, 1_100).mapToObj(step -> new Append(entry(step), ONE)).toList();
    assertThat(journal.appendAll(group)).hasOnlyElementsOfType(AppendAnswer.Appended.class);
    int trips = proxy.roundTrips();

    journal.appendAll(
        IntStream.range(2_000, 3_000).mapToObj(step -> new Append(entry(step), ONE)).toList());
    proxy.roundTrips();
    assertThat(journal.frontier(ORDER).orElseThrow().entries().size()).isGreaterThan(1_000);
    assertThat(proxy.roundTrips()).as("1,000 entries").isEqualTo(1);
    return trips;
  }

  private static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(1);
    return new HikariDataSource(config);
  }
}
