package io.leasehold.journal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.FencingToken;
import io.leasehold.journal.FencedOutException;
import io.leasehold.journal.servers.RedisServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Fenced writes to Redis. */
class RedisFenceTest {

  private static final FencingToken SEVEN = new FencingToken(7);
  private static final FencingToken EIGHT = new FencingToken(8);

  private final RedisClient client =
      RedisClient.create(RedisURI.create("127.0.0.1", RedisServers.port()));
  private final StatefulRedisConnection<String, String> connection = client.connect();
  private final RedisCommands<String, String> redis = connection.sync();
  private final RedisFence fence = new RedisFence(redis);

  @BeforeEach
  void empty() {
    redis.flushall();
  }

  @AfterEach
  void close() {
    connection.close();
    client.shutdown();
  }

  /** The worked example: what a paused holder does when it wakes. */
  @Test
  void aPausedHolderWakesAndItsWriteIsRefused() {
    fence.set("report", "by 7", SEVEN);
    fence.set("report", "by 8", EIGHT);
    assertThatThrownBy(() -> fence.set("report", "by 7 again", SEVEN))
        .isInstanceOfSatisfying(
            FencedOutException.class,
            refused -> {
              assertThat(refused.presented()).isEqualTo(SEVEN);
              assertThat(refused.fence()).isEqualTo(EIGHT);
              assertThat(refused.resource()).isEqualTo("report");
            });
    assertThat(redis.get("report")).isEqualTo("by 8");
    fence.set("report", "by 8 again", EIGHT);
    assertThat(redis.get("report")).isEqualTo("by 8 again");
  }

  @Test
  void aFieldOfAHashIsFenced() {
    fence.hset("order", "status", "paid", EIGHT);
    assertThatThrownBy(() -> fence.hset("order", "status", "new", SEVEN))
        .isInstanceOf(FencedOutException.class);
    assertThat(redis.hgetall("order")).containsOnly(java.util.Map.entry("status", "paid"));
  }

  @Test
  void anyScriptIsFencedAndSeesItsOwnKeysAndArgumentsOnly() {
    String script =
        """
        redis.call('RPUSH', KEYS[1], ARGV[1])
        redis.call('INCR', KEYS[2])
        return {#KEYS, #ARGV, ARGV[1], redis.call('LLEN', KEYS[1])}
        """;
    List<String> keys = List.of("{job}list", "{job}count");
    assertThat(fence.eval("{job}", script, keys, List.of("50%s"), EIGHT))
        .hasValueSatisfying(answer -> assertThat(answer).isEqualTo(List.of(2L, 1L, "50%s", 1L)));
    assertThatThrownBy(() -> fence.eval("{job}", script, keys, List.of("y"), SEVEN))
        .isInstanceOf(FencedOutException.class);
    assertThat(redis.get("{job}count")).isEqualTo("1");
    assertThat(redis.lrange("{job}list", 0, -1)).containsExactly("50%s");
    assertThat(fence.eval("{job}", "return nil", List.of(), List.of(), EIGHT)).isEmpty();
  }

  @Test
  void aScriptThatFailsLeavesTheFenceUp() {
    assertThatThrownBy(
            () -> fence.eval("job", "return redis.call('NO')", List.of(), List.of(), EIGHT))
        .isInstanceOf(RedisCommandExecutionException.class);
    assertThatThrownBy(() -> fence.set("job", "x", SEVEN)).isInstanceOf(FencedOutException.class);
  }

  @Test
  void theFenceHasNoExpiryAndGoesOnAfterAFlushedScriptCache() {
    fence.set("report", "a", EIGHT);
    redis.scriptFlush();
    fence.set("report", "b", EIGHT);
    assertThat(redis.pttl(RedisFence.fenceKey("report"))).isEqualTo(-1);
    assertThat(redis.get(RedisFence.fenceKey("report"))).isEqualTo("8");
  }

  @Test
  void greatTokensAreComparedAsWholeNumbers() {
    FencingToken most = new FencingToken(FencingToken.MAX_VALUE);
    FencingToken less = new FencingToken(FencingToken.MAX_VALUE - 1);
    fence.set("k", "most", most);
    assertThatThrownBy(() -> fence.set("k", "less", less)).isInstanceOf(FencedOutException.class);
    assertThat(redis.get(RedisFence.fenceKey("k"))).isEqualTo(most.toString());
  }

  @Test
  void theFenceIsInTheSlotOfItsKey() {
    for (String key : List.of("report", "{order/42}:total", "a{b}c", "x{", "a b", "🦊")) {
      assertThat(SlotHash.getSlot(RedisFence.fenceKey(key)))
          .as(key)
          .isEqualTo(SlotHash.getSlot(key));
    }
    assertThatThrownBy(() -> RedisFence.fenceKey("a}b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a}b");
  }

  @Test
  void whateverTheOrderSevenNeverWritesAfterEight() {
    for (int round = 0; round < 50; round++) {
      String key = "race/" + round;
      List<CompletableFuture<Void>> both = new ArrayList<>();
      for (FencingToken token : List.of(SEVEN, EIGHT)) {
        both.add(
            CompletableFuture.runAsync(
                () -> {
                  try {
                    fence.set(key, token.toString(), token);
                  } catch (FencedOutException e) {
                    // 8 was first.
                  }
                }));
      }
      both.forEach(CompletableFuture::join);
      assertThat(redis.get(key)).isEqualTo("8");
    }
  }
}
