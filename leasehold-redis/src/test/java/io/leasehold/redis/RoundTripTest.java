package io.leasehold.redis;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer.Granted;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.Page;
import io.leasehold.tck.net.TcpProxy;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Round trips are measured, not claimed: every answer of the server takes 1 s to arrive, so a call
 * takes as many times 1 s as it waits for an answer. What a call takes beside that must stay under
 * 1 s, which is ample: all code has run before. docs/redis.md has the table.
 */
class RoundTripTest {

  private static final Duration LATENCY = ofSeconds(1);
  private static final Duration TTL = ofMinutes(10);

  @Test
  void everyCallTakesOneRoundTripAndSoDoesABatchOfAThousand() {
    try (RedisProcess server = RedisProcess.started();
        TcpProxy proxy = TcpProxy.to("127.0.0.1", server.port());
        RedisLeaseStore store =
            RedisLeaseStore.open(
                RedisURI.create("redis://127.0.0.1:" + proxy.port()),
                RedisLeaseOptions.defaults().timeout(ofSeconds(30)))) {
      measured(store, "warm-up 1", 1_000);
      measured(store, "warm-up 2", 1_000);
      proxy.delay(LATENCY);
      Map<String, Long> trips = measured(store, "measured", 1_000);
      assertThat(trips)
          .containsEntry("acquire", 1L)
          .containsEntry("renew", 1L)
          .containsEntry("read", 1L)
          .containsEntry("release", 1L)
          .containsEntry("abandon", 1L)
          .containsEntry("acquireAll(1000)", 1L)
          .containsEntry("renewAll(1000)", 1L)
          .containsEntry("releaseAll(1000)", 1L)
          .containsEntry("inspect(10)", 2L);
    }
  }

  private static Map<String, Long> measured(RedisLeaseStore store, String stem, int many) {
    Map<String, Long> trips = new LinkedHashMap<>();
    LeaseName name = LeaseName.of(stem);
    Lease[] lease = new Lease[1];
    trips.put("acquire", trips(() -> lease[0] = granted(store, name)));
    trips.put("renew", trips(() -> store.renew(lease[0], TTL)));
    trips.put("read", trips(() -> store.read(name)));
    trips.put("inspect(10)", trips(() -> store.inspect(stem, Page.first(10))));
    trips.put("release", trips(() -> store.release(lease[0], ZERO)));
    trips.put("abandon", trips(() -> store.abandon(name, "a", "none")));
    List<AcquireRequest> requests =
        IntStream.range(0, many).mapToObj(i -> request(LeaseName.of(stem + "/" + i))).toList();
    List<List<Lease>> leases = new ArrayList<>();
    trips.put(
        "acquireAll(" + many + ")",
        trips(
            () ->
                leases.add(
                    store.acquireAll(requests).stream()
                        .map(answer -> ((Granted) answer).lease())
                        .toList())));
    trips.put("renewAll(" + many + ")", trips(() -> store.renewAll(leases.get(0), TTL)));
    trips.put("releaseAll(" + many + ")", trips(() -> store.releaseAll(leases.get(0), ZERO)));
    store.reclaim(ZERO);
    return trips;
  }

  private static long trips(Runnable call) {
    long start = System.nanoTime();
    call.run();
    return Duration.ofNanos(System.nanoTime() - start).dividedBy(LATENCY);
  }

  private static AcquireRequest request(LeaseName name) {
    return new AcquireRequest(name, "a", UUID.randomUUID().toString(), TTL);
  }

  private static Lease granted(RedisLeaseStore store, LeaseName name) {
    return ((Granted) store.acquireAll(List.of(request(name))).get(0)).lease();
  }
}
