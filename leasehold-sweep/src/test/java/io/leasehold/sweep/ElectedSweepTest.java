package io.leasehold.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.LeaseName;
import io.leasehold.election.Election;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.sweep.PassReport.Depth;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Three replicas of one sweep, elected over one store, in real time. */
class ElectedSweepTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final MemoryLeaseStore store = new MemoryLeaseStore(InstantSource.system());
  private final FakeBacklog backlog = new FakeBacklog();
  private final List<Replica> replicas = new ArrayList<>();

  private final class Replica implements SweepListener<FakeBacklog.Row> {
    final List<PassReport> passes = new CopyOnWriteArrayList<>();
    final Election election;

    Replica(SweepHandler<FakeBacklog.Row> handler) {
      Sweep<FakeBacklog.Row> sweep =
          Sweep.builder("test", backlog, handler)
              .settings(
                  SweepSettings.builder()
                      .interval(Duration.ofSeconds(1))
                      .grace(Duration.ZERO)
                      .build())
              .listener(this)
              .build();
      election =
          Election.builder(store, LeaseName.of("net"))
              .ttl(Duration.ofSeconds(5))
              .retry(Duration.ofMillis(200))
              .start(sweep);
      replicas.add(this);
    }

    @Override
    public void passed(PassReport report) {
      passes.add(report);
    }
  }

  @AfterEach
  void stop() {
    replicas.forEach(r -> r.election.close());
  }

  private List<Replica> sweeping() {
    return replicas.stream().filter(r -> !r.passes.isEmpty()).toList();
  }

  @Test
  void oneReplicaSweepsAndWhenItStopsAnotherBeginsDeepAtOnce() {
    for (int i = 0; i < 3; i++) {
      new Replica((row, term) -> SweepHandler.Outcome.SETTLED);
    }
    await().atMost(SOON).until(() -> sweeping().stream().anyMatch(r -> r.passes.size() >= 2));
    assertThat(sweeping()).hasSize(1);
    Replica first = sweeping().get(0);
    assertThat(first.passes.get(0).depth()).isEqualTo(Depth.DEEP);
    assertThat(first.passes.get(1).depth()).isEqualTo(Depth.ORDINARY);

    first.election.close();
    int frozen = first.passes.size();
    await().atMost(SOON).until(() -> sweeping().size() == 2);

    Replica second = sweeping().stream().filter(r -> r != first).findFirst().orElseThrow();
    assertThat(second.passes.get(0).depth()).isEqualTo(Depth.DEEP);
    assertThat(first.passes).hasSize(frozen);
  }

  @Test
  void aReplicaThatIsStoppedInTheMiddleOfAPassStopsWithinOneItem() throws Exception {
    for (int i = 0; i < 100; i++) {
      backlog.add(Instant.now().minusSeconds(60 + i), "r%03d".formatted(i));
    }
    List<String> handled = new CopyOnWriteArrayList<>();
    CountDownLatch third = new CountDownLatch(3);
    Replica replica =
        new Replica(
            (row, term) -> {
              handled.add(row.id());
              third.countDown();
              if (third.getCount() == 0) {
                term.awaitEnd(Duration.ofSeconds(30));
              }
              return SweepHandler.Outcome.SETTLED;
            });
    assertThat(third.await(20, TimeUnit.SECONDS)).isTrue();

    replica.election.close();

    assertThat(handled).hasSize(3);
  }
}
