package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LeaseView;
import io.leasehold.journal.servers.Databases;
import io.leasehold.journal.servers.RedisServers;
import io.leasehold.journal.sql.JournalSchema;
import io.leasehold.journal.sql.SqlJournal;
import io.leasehold.keeper.Claim;
import io.leasehold.keeper.LeaseKeeper;
import io.leasehold.redis.RedisLeaseStore;
import io.lettuce.core.RedisURI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Leases in Redis, the journal in PostgreSQL, no transaction across them: the process is killed
 * between every two steps, and the next owner repairs what it left.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SplitStoresTest {

  private Journal journal;
  private RedisLeaseStore leases;
  private LeaseKeeper keeper;

  @BeforeAll
  void open() throws Exception {
    JournalSchema.of(Databases.postgres(), MortalOwner.TABLES).expand();
    journal = new SqlJournal(Databases.postgres(), MortalOwner.TABLES);
    leases = RedisLeaseStore.open(RedisURI.create("127.0.0.1", RedisServers.port()));
    keeper = LeaseKeeper.builder(leases).ttl(Duration.ofSeconds(30)).owner("successor").build();
  }

  @AfterAll
  void close() {
    if (keeper != null) {
      keeper.close();
      leases.close();
    }
  }

  @ParameterizedTest(name = "a process killed {0} leaves {1} of two steps")
  @CsvSource({
    "before start,    0",
    "after start,     0",
    "before fence,    0",
    "after fence,     0",
    "before frontier, 0",
    "after frontier,  0",
    "before append,   0",
    "after append,    1",
    "before complete, 2",
    "after complete,  2"
  })
  void theNextOwnerRepairsWhatAKilledProcessLeft(String death, int committed) throws Exception {
    InstanceId instance = InstanceId.of("order/" + death.replace(' ', '-'));
    assertThat(runUntilDeath(instance, death)).as("killed by its own hand").isEqualTo(9);
    LeaseView left = leases.read(instance.leaseName()).orElseThrow();
    assertThat(left.owner()).isEqualTo("mortal-" + death);

    // The TTL is 1.5 s; the successor gets it when it has expired, by Redis's clock.
    TakeAnswer answer = takenAfterExpiry(instance);
    try (Ownership mine = ((TakeAnswer.Owned) answer).ownership()) {
      assertThat(mine.token()).isGreaterThan(left.token());
      assertThat(mine.history().instance().fence()).isEqualTo(mine.token());
      assertThat(mine.history().entries())
          .extracting(each -> each.key().step())
          .containsExactlyElementsOf(IntStream.range(0, committed).boxed().toList());
      carryOn(mine, instance);
    }
    Frontier end = journal.frontier(instance).orElseThrow();
    assertThat(end.instance().state()).isEqualTo(InstanceState.COMPLETED);
    assertThat(end.instance().snapshot()).contains(Payload.of("after 1"));
    assertThat(end.entries())
        .extracting(RecordedEntry::sequence)
        .containsExactlyElementsOf(LongStream.rangeClosed(1, 2).boxed().toList());
    assertThat(journal.pendingEvents(0, 10_000))
        .filteredOn(each -> each.instance().equals(instance))
        .extracting(PendingEvent::id)
        .containsExactly(instance + "#1.1", instance + "#2.1");
    // The dead process's token opens nothing, whatever it had been about to write.
    assertThat(journal.append(step(instance, 5), left.token()))
        .isInstanceOf(Refusal.FencedOut.class);
  }

  @Test
  void aProcessThatLivesReleasesItsLeaseAndLeavesNothingToRepair() throws Exception {
    InstanceId instance = InstanceId.of("order/lives");
    assertThat(runUntilDeath(instance, "never")).isZero();
    assertThat(leases.read(instance.leaseName())).isEmpty();
    assertThat(journal.read(instance).orElseThrow().state()).isEqualTo(InstanceState.COMPLETED);
  }

  @Test
  void aLeaseIsTakenBeforeItsInstanceExists() {
    InstanceId instance = InstanceId.of("order/not-yet");
    Claim claim = keeper.claim(instance.leaseName());
    assertThat(claim).isInstanceOf(Claim.Won.class);
    assertThat(journal.read(instance)).isEmpty();
    ((Claim.Won) claim).lease().close();
  }

  @Test
  void aFlushedRedisLetsNobodyBackIn() {
    InstanceId instance = InstanceId.of("order/flushed");
    Ownership first =
        ((TakeAnswer.Owned) Ownership.start(keeper, journal, NewInstance.of(instance, "order")))
            .ownership();
    Lease gone = leases.read(instance.leaseName()).orElseThrow().asLease();
    leases.release(gone, Duration.ZERO);
    leases.reclaim(Duration.ZERO);
    try (LeaseKeeper other = LeaseKeeper.builder(leases).build();
        Ownership second =
            ((TakeAnswer.Owned) Ownership.take(other, journal, instance)).ownership()) {
      assertThat(second.token()).isGreaterThan(first.token());
      assertThat(first.write(step(instance, 0)))
          .isInstanceOfSatisfying(
              WriteAnswer.Refused.class,
              refused -> assertThat(refused.refusal()).isInstanceOf(Refusal.FencedOut.class));
    }
    first.close();
  }

  private static Entry step(InstanceId instance, int step) {
    return Entry.of(StepKey.of(instance, step), "step")
        .snapshot(Payload.of("after " + step))
        .event(new Event("done", "k", Payload.of("" + step)))
        .build();
  }

  private static void carryOn(Ownership mine, InstanceId instance) {
    for (int step = 0; step < 2; step++) {
      if (!mine.history().isCommitted(Scope.ROOT, step)) {
        assertThat(mine.write(step(instance, step))).isInstanceOf(WriteAnswer.Written.class);
      }
    }
    assertThat(mine.complete(Completion.of(Outcome.COMPLETED)))
        .isEqualTo(new WriteAnswer.Ended(Outcome.COMPLETED));
  }

  private TakeAnswer takenAfterExpiry(InstanceId instance) {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (true) {
      TakeAnswer answer = Ownership.start(keeper, journal, NewInstance.of(instance, "order"));
      if (!(answer instanceof TakeAnswer.Held) || System.nanoTime() > deadline) {
        return answer;
      }
      java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private static int runUntilDeath(InstanceId instance, String death) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(MortalOwner.class.getName());
    command.add(Integer.toString(RedisServers.port()));
    command.add(Integer.toString(Databases.postgresPort()));
    command.add(instance.value());
    command.add(death);
    Process process = new ProcessBuilder(command).inheritIO().start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }
}
