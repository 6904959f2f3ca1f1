package io.leasehold.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.RenewAnswer;
import io.leasehold.memory.MemoryLeaseStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Thousands of random calls to this store and to the memory store, on one clock that the test
 * moves: every answer is the same, to the token and the millisecond. A seed that fails fails again.
 */
class SameAsMemoryTest {

  private static final List<LeaseName> NAMES =
      List.of(LeaseName.of("job"), LeaseName.of("Job"), LeaseName.of("$job/*{}'\"😀"));

  private final MongoServerUnderTest server = MongoServerUnderTest.start();
  private final MongoClient client = server.client();
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-12-01T10:00:00.123456Z"));
  private final LeaseStore memory = new MemoryLeaseStore(now::get);
  private final LeaseStore store =
      MongoLeaseStore.builder(client).database(server.database()).clock(now::get).build();
  private final List<Lease> leases = new ArrayList<>();
  private int attempts;

  @AfterEach
  void close() {
    store.close();
    client.close();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void everyAnswerIsTheSame(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 1_000; i++) {
      step(random, "seed " + seed + " step " + i);
    }
  }

  private void step(Random random, String where) {
    LeaseName name = pick(random, NAMES);
    String owner = random.nextBoolean() ? "alice" : "bob";
    String attempt = "a" + (random.nextInt(4) == 0 ? attempts : ++attempts);
    Duration ttl = Duration.ofMillis(1 + random.nextInt(50));
    Duration linger = Duration.ofMillis(random.nextInt(3) == 0 ? random.nextInt(60) : 0);
    switch (random.nextInt(12)) {
      case 0, 1, 2 -> {
        AcquireAnswer answer = same(where, each -> each.acquire(name, owner, attempt, ttl));
        if (answer instanceof AcquireAnswer.Granted granted) {
          leases.add(granted.lease());
        }
      }
      case 3, 4 -> known(random).ifPresent(lease -> same(where, each -> each.renew(lease, ttl)));
      case 5 -> known(random).ifPresent(lease -> same(where, each -> each.release(lease, linger)));
      case 6 -> {
        memory.abandon(name, owner, "a" + attempts);
        store.abandon(name, owner, "a" + attempts);
      }
      case 7 -> same(where, each -> each.read(name));
      case 8 -> same(where, this::records);
      case 9 -> {
        if (random.nextInt(5) == 0) {
          Duration endedFor = Duration.ofMillis(random.nextInt(100));
          same(where, each -> each.reclaim(endedFor));
        }
      }
      case 10 -> batches(random, where, ttl, linger);
      default -> now.updateAndGet(at -> at.plusNanos(random.nextInt(40_000_000)));
    }
  }

  private void batches(Random random, String where, Duration ttl, Duration linger) {
    List<AcquireRequest> requests =
        NAMES.stream()
            .map(each -> new AcquireRequest(each, "carol", "a" + ++attempts, ttl))
            .toList();
    List<AcquireAnswer> answers = same(where, each -> each.acquireAll(requests));
    for (AcquireAnswer answer : answers) {
      if (answer instanceof AcquireAnswer.Granted granted) {
        leases.add(granted.lease());
      }
    }
    Map<LeaseName, Lease> distinct = new LinkedHashMap<>();
    for (int i = 0; i < 3; i++) {
      known(random).ifPresent(lease -> distinct.put(lease.name(), lease));
    }
    List<Lease> some = List.copyOf(distinct.values());
    List<RenewAnswer> renewed = same(where, each -> each.renewAll(some, ttl));
    assertThat(renewed).hasSameSizeAs(some);
    if (random.nextBoolean()) {
      same(where, each -> each.releaseAll(some, linger));
    }
  }

  /** One of the last few leases; most of them have ended in one way or another. */
  private Optional<Lease> known(Random random) {
    int few = Math.min(leases.size(), 6);
    return few == 0
        ? Optional.empty()
        : Optional.of(leases.get(leases.size() - 1 - random.nextInt(few)));
  }

  private List<LeaseView> records(LeaseStore each) {
    return each.inspect("", Page.first(100)).leases().stream()
        .sorted(Comparator.comparing(LeaseView::name))
        .toList();
  }

  private <T> T same(String where, Function<LeaseStore, T> call) {
    T expected = call.apply(memory);
    T actual = call.apply(store);
    assertThat(actual).as(where).isEqualTo(expected);
    return actual;
  }

  private static <T> T pick(Random random, List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
