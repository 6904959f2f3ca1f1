package io.leasehold.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.mongodb.client.MongoClient;
import io.leasehold.AcquireAnswer;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.RenewAnswer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server's own clock is set while leases are held. */
class SteppedClockTest {

  private static final Duration TTL = Duration.ofSeconds(30);

  private final LeaseName name = LeaseName.of("job");

  @TempDir private Path directory = Path.of(".");

  @Test
  void aServerClockThatStepsBackAMinuteKeepsTheHolderAndTokensGrow() throws Exception {
    try (SteppedClockServer server = SteppedClockServer.start(library(), directory);
        MongoClient client = MongoServerUnderTest.client(server.uri());
        MongoLeaseStore store = MongoLeaseStore.builder(client).build()) {
      Lease held = take(store, name, "a1");
      Lease other = take(store, LeaseName.of("other"), "o1");
      store.release(other, Duration.ZERO);

      server.offset(-60);
      assertThat(serverClock(client)).isBefore(Instant.now().minusSeconds(50));
      assertThat(store.acquire(name, "bob", "b1", TTL)).isInstanceOf(AcquireAnswer.Held.class);
      Lease renewed = ((RenewAnswer.Renewed) store.renew(held, TTL)).lease();
      assertThat(renewed.token()).isEqualTo(held.token());
      assertThat(renewed.expiresAt()).isEqualTo(held.expiresAt());

      // A name that nobody has seen before starts on the clock as it is now.
      Lease fresh = take(store, LeaseName.of("fresh"), "f1");
      assertThat(fresh.expiresAt()).isBefore(Instant.now());
      // What had ended is taken to end when its instant comes again, a minute from now.
      var answer = store.acquire(LeaseName.of("other"), "alice", "o2", TTL);
      assertThat(answer).isInstanceOf(AcquireAnswer.Held.class);

      server.offset(0);
      assertThat(take(store, LeaseName.of("other"), "o3").token()).isGreaterThan(other.token());
    }
  }

  @Test
  void aServerClockThatStepsForwardLeavesNobodyWithALeaseThatHasExpired() throws Exception {
    try (SteppedClockServer server = SteppedClockServer.start(library(), directory);
        MongoClient client = MongoServerUnderTest.client(server.uri());
        MongoLeaseStore store = MongoLeaseStore.builder(client).build()) {
      Lease held = take(store, name, "a1");
      server.offset(60);
      assertThat(serverClock(client)).isAfter(Instant.now().plusSeconds(50));
      assertThat(store.renew(held, TTL)).isInstanceOf(RenewAnswer.Lost.class);
      // The estimate is a minute behind; a lease stamped with it would be free when it is granted.
      Lease next = take(store, name, "b1");
      assertThat(next.token()).isGreaterThan(held.token());
      assertThat(store.read(name)).isPresent();
      Lease fresh = take(store, LeaseName.of("fresh"), "f1");
      assertThat(store.read(fresh.name())).isPresent();
    }
  }

  private static Path library() {
    var library = SteppedClockServer.library();
    if (library.isEmpty() && System.getenv("CI") != null) {
      fail("faketime is not installed");
    }
    assumeTrue(library.isPresent(), "faketime is not installed");
    return library.orElseThrow();
  }

  private static Instant serverClock(MongoClient client) {
    return client
        .getDatabase("admin")
        .runCommand(new Document("serverStatus", 1))
        .getDate("localTime")
        .toInstant();
  }

  private static Lease take(MongoLeaseStore store, LeaseName name, String attempt) {
    return ((AcquireAnswer.Granted) store.acquire(name, "alice", attempt, TTL)).lease();
  }
}
