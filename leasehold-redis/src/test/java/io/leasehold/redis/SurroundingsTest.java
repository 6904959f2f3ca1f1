package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer.Granted;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer.Renewed;
import io.leasehold.redis.RedisFinding.Level;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What a store says of the server it was pointed at. */
class SurroundingsTest {

  @Test
  void anEvictingServerIsToldWithWhatCanBeLostAndWhatCannot() {
    try (RedisProcess server = RedisProcess.started("--maxmemory-policy", "allkeys-lru");
        RedisLeaseStore store = RedisLeaseStore.open(server.uri())) {
      RedisFinding eviction = finding(store.findings(), "eviction");
      assertThat(eviction.level()).isEqualTo(Level.WARN);
      assertThat(eviction.text())
          .contains("allkeys-lru")
          .contains("any lease record can be evicted")
          .contains("Tokens still grow");
      assertThat(eviction.remedy()).hasValueSatisfying(r -> assertThat(r).contains("noeviction"));
      server.commands().configSet("maxmemory-policy", "volatile-lru");
      assertThat(finding(store.findings(), "eviction").level()).isEqualTo(Level.OK);
      server.commands().configSet("maxmemory-policy", "noeviction");
      assertThat(finding(store.findings(), "eviction").level()).isEqualTo(Level.OK);
    }
  }

  @Test
  void persistenceIsToldInItsThreeKinds() {
    try (RedisProcess server = RedisProcess.started();
        RedisLeaseStore store = RedisLeaseStore.open(server.uri())) {
      assertThat(finding(store.findings(), "persistence"))
          .matches(f -> f.level() == Level.WARN && f.text().startsWith("none"));
      server.commands().configSet("save", "3600 1");
      assertThat(finding(store.findings(), "persistence"))
          .matches(f -> f.level() == Level.WARN && f.text().startsWith("snapshots only"));
      server.commands().configSet("appendonly", "yes");
      assertThat(finding(store.findings(), "persistence").level()).isEqualTo(Level.OK);
    }
  }

  @Test
  void whatMayNotBeReadIsUnknownAndLeasesWorkAllTheSame() {
    try (RedisProcess server = RedisProcess.started()) {
      // Least privilege: the commands of the scripts, on the keys and channels of one prefix.
      server
          .commands()
          .dispatch(
              CommandType.ACL,
              new StatusOutput<>(StringCodec.UTF8),
              new CommandArgs<>(StringCodec.UTF8)
                  .add("SETUSER")
                  .add("leases")
                  .add("on")
                  .add(">secret")
                  .add("~{leasehold:*")
                  .add("&leasehold:freed:*")
                  .add("-@all")
                  .add("+eval")
                  .add("+evalsha")
                  .add("+hdel")
                  .add("+hmget")
                  .add("+hset")
                  .add("+exists")
                  .add("+del")
                  .add("+time")
                  .add("+publish")
                  .add("+subscribe")
                  .add("+unsubscribe")
                  .add("+ping")
                  .add("+scan")
                  .add("+wait")
                  .add("+info"));
      RedisURI uri = RedisURI.create("redis://leases:secret@127.0.0.1:" + server.port());
      try (RedisLeaseStore store = RedisLeaseStore.open(uri)) {
        assertThat(finding(store.findings(), "persistence").level()).isEqualTo(Level.UNKNOWN);
        assertThat(finding(store.findings(), "eviction").level()).isEqualTo(Level.OK);
        useEveryCallOnce(store);
      }
    }
  }

  @Test
  void valkeyIsRecognisedByItsOwnVersion() {
    String info =
        "redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.0\r\nrole:master\r\n";
    List<RedisFinding> findings =
        new Surroundings("valkey:6379", info, Optional.empty()).findings(0);
    assertThat(finding(findings, "version"))
        .matches(f -> f.level() == Level.OK && f.text().equals("Valkey 8.1.0"));
    assertThat(finding(findings, "eviction").level()).isEqualTo(Level.UNKNOWN);
  }

  @Test
  void aServerThatIsTooOldFails() {
    List<RedisFinding> findings =
        new Surroundings("old:6379", "redis_version:6.0.16\r\n", Optional.of("")).findings(0);
    assertThat(finding(findings, "version"))
        .matches(f -> f.level() == Level.FAIL && f.text().contains("6.0.16"));
    assertThat(
            finding(
                    new Surroundings("x", "redis_version:6.2.0\r\n", Optional.of("")).findings(0),
                    "version")
                .level())
        .isEqualTo(Level.OK);
  }

  @Test
  void aClockThatIsFarFromOursIsToldAndIsNoFault() {
    try (RedisProcess server = RedisProcess.started();
        RedisLeaseStore store = RedisLeaseStore.open(server.uri())) {
      assertThat(finding(store.findings(), "clock"))
          .matches(f -> f.level() == Level.OK && f.text().contains("ms ahead"));
      assertThat(finding(store.findings(), "signals").level()).isEqualTo(Level.OK);
    }
  }

  private static void useEveryCallOnce(RedisLeaseStore store) {
    LeaseName name = LeaseName.of("order/42");
    Duration ttl = Duration.ofMinutes(1);
    CountDownLatch freed = new CountDownLatch(1);
    store.subscribe(name, freed::countDown);
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              // Released until the subscription is there to hear of it.
              String attempt = UUID.randomUUID().toString();
              Lease lease = ((Granted) store.acquire(name, "a", attempt, ttl)).lease();
              assertThat(store.renew(lease, ttl)).isInstanceOf(Renewed.class);
              assertThat(store.read(name)).isPresent();
              assertThat(store.release(lease, Duration.ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
              return freed.getCount() == 0;
            });
    store.abandon(name, "a", "none");
    assertThat(store.inspect("", Page.first(10)).leases()).hasSize(1);
    assertThat(store.reclaim(Duration.ZERO)).isEqualTo(1);
  }

  private static RedisFinding finding(List<RedisFinding> findings, String subject) {
    return findings.stream().filter(f -> f.subject().equals(subject)).findFirst().orElseThrow();
  }
}
