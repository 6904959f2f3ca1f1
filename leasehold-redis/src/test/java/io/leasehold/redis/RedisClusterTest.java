package io.leasehold.redis;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireAnswer.Granted;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeasePage;
import io.leasehold.LeaseStoreException;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import io.leasehold.RenewAnswer.Renewed;
import io.lettuce.core.MigrateArgs;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is particular to a cluster, on three real primaries. */
class RedisClusterTest {

  private static final Duration TTL = ofMinutes(10);

  /** Time is not what most of these tests are about, and the machine may be busy. */
  private static final RedisLeaseOptions PATIENT =
      RedisLeaseOptions.defaults().timeout(ofSeconds(30));

  private static RedisClusterProcesses cluster;
  private RedisLeaseStore store;

  @BeforeAll
  static void startCluster() {
    cluster = new RedisClusterProcesses();
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @BeforeEach
  void open() {
    cluster.nodes.forEach(node -> node.commands().flushall());
    store = RedisLeaseStore.openCluster(cluster.seeds(), PATIENT);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void everyNameHasOneSlotWhateverItsBraces() {
    LeaseKeys keys = new LeaseKeys("leasehold");
    for (String text :
        List.of("a", "a}", "}", "{", "{}", "{a}", "{}a", "a{b}c", "{a}{b}", "é}😀")) {
      LeaseName name = LeaseName.of(text);
      String key = keys.key(name);
      long slot = cluster.nodes.get(0).commands().clusterKeyslot(key);
      assertThat(SlotHash.getSlot(key)).as(text).isEqualTo((int) slot);
      assertThat(keys.name(key)).contains(name);
      Lease lease = granted(name);
      assertThat(store.renew(lease, TTL)).isInstanceOf(Renewed.class);
      assertThat(store.read(name)).isPresent();
      assertThat(store.release(lease, ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
    }
  }

  @Test
  void aBatchIsSpreadOverTheOwnersAndAnsweredInOrder() {
    List<AcquireRequest> requests = requests(1_000);
    List<AcquireAnswer> answers = store.acquireAll(requests);
    List<Lease> leases = answers.stream().map(answer -> ((Granted) answer).lease()).toList();
    assertThat(leases)
        .extracting(Lease::name)
        .containsExactlyElementsOf(requests.stream().map(AcquireRequest::name).toList());
    for (RedisProcess node : cluster.nodes) {
      assertThat(node.commands().dbsize()).isBetween(200L, 500L);
      for (String key : node.commands().keys("*")) {
        assertThat(node.commands().pttl(key)).isEqualTo(-1);
      }
    }
    List<RenewAnswer> renewed = store.renewAll(leases, TTL);
    assertThat(renewed).hasSize(1_000).allMatch(Renewed.class::isInstance);
    assertThat(store.releaseAll(leases, ZERO)).hasSize(1_000).containsOnly(ReleaseAnswer.RELEASED);
  }

  @Test
  void scriptsFlushedOnEveryNodeAreLoadedAgainInTheSameCall() {
    List<Lease> leases =
        store.acquireAll(requests(300)).stream().map(each -> ((Granted) each).lease()).toList();
    cluster.nodes.forEach(node -> node.commands().scriptFlush());
    assertThat(store.renewAll(leases, TTL)).hasSize(300).allMatch(Renewed.class::isInstance);
    cluster.nodes.forEach(node -> node.commands().scriptFlush());
    assertThat(store.renew(leases.get(0), TTL)).isInstanceOf(Renewed.class);
  }

  @Test
  void aListingVisitsEveryNodeAndReclaimToo() {
    List<Lease> leases =
        store.acquireAll(requests(500)).stream().map(each -> ((Granted) each).lease()).toList();
    Set<LeaseName> seen = new HashSet<>();
    Optional<String> cursor = Optional.empty();
    do {
      LeasePage page = store.inspect("n/", new Page(cursor, 50));
      page.leases().forEach(view -> seen.add(view.name()));
      cursor = page.next();
    } while (cursor.isPresent());
    assertThat(seen).hasSize(500);
    store.releaseAll(leases.subList(0, 400), ZERO);
    assertThat(store.reclaim(ZERO)).isEqualTo(400);
    assertThat(store.renewAll(leases.subList(400, 500), TTL)).allMatch(Renewed.class::isInstance);
  }

  @Test
  void aSignalReachesSubscribersWhicheverNodeOwnsTheName() throws Exception {
    for (String text : List.of("one", "two", "three", "four", "five")) {
      LeaseName name = LeaseName.of(text);
      Lease lease = granted(name);
      CountDownLatch released = new CountDownLatch(1);
      var subscription = store.subscribe(name, released::countDown);
      Awaitility.await()
          .atMost(ofSeconds(10))
          .until(
              () ->
                  cluster.nodes.stream()
                          .mapToInt(n -> n.commands().pubsubChannels("leasehold:freed:*").size())
                          .sum()
                      == 1);
      store.release(lease, ZERO);
      assertThat(released.await(10, TimeUnit.SECONDS)).as(text).isTrue();
      subscription.close();
      Awaitility.await()
          .atMost(ofSeconds(10))
          .until(
              () ->
                  cluster.nodes.stream()
                      .allMatch(n -> n.commands().pubsubChannels("leasehold:freed:*").isEmpty()));
    }
  }

  @Test
  void aSlotThatMovesIsFollowedWhileItMovesAndAfterwards() {
    LeaseName name = LeaseName.of("moving");
    String key = new LeaseKeys("leasehold").key(name);
    int slot = SlotHash.getSlot(key);
    Lease lease = granted(name);
    int from =
        IntStream.range(0, 3)
            .filter(i -> !cluster.nodes.get(i).commands().keys("*").isEmpty())
            .findFirst()
            .orElseThrow();
    int to = (from + 1) % 3;
    String source = cluster.nodes.get(from).commands().clusterMyId();
    String target = cluster.nodes.get(to).commands().clusterMyId();
    cluster.cluster(to, "SETSLOT", "" + slot, "IMPORTING", source);
    cluster.cluster(from, "SETSLOT", "" + slot, "MIGRATING", target);
    cluster
        .nodes
        .get(from)
        .commands()
        .migrate(
            "127.0.0.1",
            cluster.nodes.get(to).port(),
            0,
            5_000,
            MigrateArgs.Builder.<String>keys(key));
    // The old owner answers ASK now.
    assertThat(store.renew(lease, TTL)).isInstanceOf(Renewed.class);
    for (int node : List.of(to, from, 3 - to - from)) {
      cluster.cluster(node, "SETSLOT", "" + slot, "NODE", target);
    }
    // And MOVED from here on.
    assertThat(store.renew(lease, TTL)).isInstanceOf(Renewed.class);
    assertThat(store.release(lease, ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
    assertThat(granted(name).token().value()).isEqualTo(lease.token().value() + 1);
    assertThat(cluster.nodes.get(to).commands().exists(key)).isEqualTo(1);
    assertThat(cluster.nodes.get(to).commands().pttl(key)).isEqualTo(-1);
  }

  @Test
  void aNodeThatHangsDoesNotHoldUpTheOthers() {
    RedisLeaseOptions quick = RedisLeaseOptions.defaults().timeout(ofSeconds(1));
    try (RedisLeaseStore hurried = RedisLeaseStore.openCluster(cluster.seeds(), quick)) {
      hurried.acquireAll(requests(100));
      LeaseName onFirst = nameOn(0);
      LeaseName onSecond = nameOn(1);
      cluster.nodes.get(0).pause();
      try {
        assertThatThrownBy(() -> hurried.read(onFirst))
            .isInstanceOfSatisfying(
                LeaseStoreException.class,
                e -> assertThat(e.outcome()).isEqualTo(LeaseStoreException.Outcome.UNKNOWN));
        assertThat(hurried.read(onSecond)).isEmpty();
      } finally {
        cluster.nodes.get(0).resume();
      }
      Awaitility.await()
          .atMost(ofSeconds(15))
          .ignoreExceptions()
          .until(() -> hurried.read(onFirst).isEmpty());
    }
    awaitHealthy();
  }

  @Test
  void grantsThatNoReplicaConfirmsAreGivenBackOnEveryNode() {
    RedisLeaseOptions waiting = PATIENT.waitForReplicas(1, Duration.ofMillis(100));
    try (RedisLeaseStore cautious = RedisLeaseStore.openCluster(cluster.seeds(), waiting)) {
      List<AcquireRequest> requests = requests(60);
      assertThatThrownBy(() -> cautious.acquireAll(requests))
          .isInstanceOf(LeaseStoreException.class)
          .hasMessageContaining("0 of 1 replicas");
      for (AcquireRequest request : requests) {
        assertThat(cautious.read(request.name())).isEmpty();
      }
    }
  }

  @Test
  void aStoreOnAGivenClusterClientLeavesItOpen() {
    RedisClusterClient client = RedisClusterClient.create(cluster.seeds());
    try {
      try (RedisLeaseStore shared = RedisLeaseStore.of(client, RedisLeaseOptions.defaults())) {
        assertThat(shared.acquire(LeaseName.of("x"), "a", attempt(), TTL))
            .isInstanceOf(Granted.class);
      }
      assertThat(client.connect().sync().ping()).isEqualTo("PONG");
    } finally {
      client.shutdown(0, 1, TimeUnit.SECONDS);
    }
  }

  @Test
  void aStoreForOneServerSaysThatItWasPointedAtACluster() {
    try (RedisLeaseStore single = RedisLeaseStore.open(cluster.nodes.get(0).uri())) {
      assertThatThrownBy(() -> single.read(nameOn(1)))
          .isInstanceOf(LeaseStoreException.class)
          .hasMessageContaining("node of a Redis Cluster");
    }
  }

  @Test
  void findingsTellOfEveryNode() {
    assertThat(store.findings())
        .filteredOn(finding -> finding.subject().equals("version"))
        .hasSize(3)
        .allMatch(finding -> finding.server().startsWith("127.0.0.1:"));
    assertThat(store.findings()).anyMatch(finding -> finding.text().contains("3 primaries"));
  }

  private void awaitHealthy() {
    Awaitility.await()
        .atMost(ofSeconds(20))
        .until(
            () ->
                cluster.nodes.stream()
                    .allMatch(n -> n.commands().clusterInfo().contains("cluster_state:ok")));
  }

  private static LeaseName nameOn(int node) {
    // The slots are dealt out in thirds.
    return IntStream.range(0, 10_000)
        .mapToObj(i -> LeaseName.of("probe-" + i))
        .filter(name -> SlotHash.getSlot(new LeaseKeys("leasehold").key(name)) * 3 / 16_384 == node)
        .findFirst()
        .orElseThrow();
  }

  private Lease granted(LeaseName name) {
    return ((Granted) store.acquire(name, "a", attempt(), TTL)).lease();
  }

  private static List<AcquireRequest> requests(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new AcquireRequest(LeaseName.of("n/" + i), "a", attempt(), TTL))
        .toList();
  }

  private static String attempt() {
    return UUID.randomUUID().toString();
  }
}
