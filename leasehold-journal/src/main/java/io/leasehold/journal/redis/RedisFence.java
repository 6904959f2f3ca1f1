package io.leasehold.journal.redis;

import io.leasehold.FencingToken;
import io.leasehold.journal.FencedOutException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisScriptingCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Fences writes to Redis: a script compares the lease's token with the highest one that the key has
 * admitted, and writes only if it is not lower. Redis runs one script at a time, so the comparison
 * and the write are one step.
 *
 * <p>The fence of a key is a key of its own, {@code {key}:fence}, in the same slot of a cluster. It
 * has no expiry, and must not be evicted: a fence that is gone admits anybody. Writes that go past
 * this class are not fenced.
 *
 * <pre>{@code
 * RedisFence fence = new RedisFence(connection.sync());
 * fence.set("report", "done", lease.token());
 * }</pre>
 *
 * <p>Thread-safe, as Lettuce's commands are.
 */
public final class RedisFence {

  /*
   * The guarded script is a function of its own, which sees the caller's keys and arguments only.
   * The answer starts with the fence, as text because Lua's numbers are not whole; when refused,
   * nothing follows and nothing is written.
   */
  private static final String GUARD =
      """
      local fence, token = KEYS[1], ARGV[1]
      local admitted = redis.call('GET', fence)
      if admitted and tonumber(admitted) > tonumber(token) then
        return {admitted}
      end
      local function write(KEYS, ARGV)
      %s
      end
      redis.call('SET', fence, token)
      return {token, write({unpack(KEYS, 2)}, {unpack(ARGV, 2)})}
      """;

  private static final String SET = "return redis.call('SET', KEYS[1], ARGV[1])";
  private static final String HSET = "return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])";

  /** What Redis takes for a hash tag: the first pair of braces, if there is something in it. */
  private static final Pattern TAG = Pattern.compile("^[^{]*\\{[^}]+}.*", Pattern.DOTALL);

  private final RedisScriptingCommands<String, String> redis;

  /**
   * A fence.
   *
   * @param redis the commands of a connection, standalone or cluster
   */
  public RedisFence(RedisScriptingCommands<String, String> redis) {
    this.redis = redis;
  }

  /**
   * Sets a key.
   *
   * @param key the key, whose fence is asked
   * @param value its value
   * @param token the writer's token
   * @throws FencedOutException if a higher token was admitted; nothing was written
   */
  public void set(String key, String value, FencingToken token) {
    eval(key, SET, List.of(key), List.of(value), token);
  }

  /**
   * Sets a field of a hash.
   *
   * @param key the hash, whose fence is asked
   * @param field the field
   * @param value its value
   * @param token the writer's token
   * @throws FencedOutException if a higher token was admitted; nothing was written
   */
  public void hset(String key, String field, String value, FencingToken token) {
    eval(key, HSET, List.of(key), List.of(field, value), token);
  }

  /**
   * Runs any script behind the fence.
   *
   * @param resource whose fence is asked; in a cluster, in the slot of the keys
   * @param script Lua, with {@code KEYS} and {@code ARGV} as given here. An error it throws leaves
   *     what it has written so far, as in any script
   * @param keys its keys
   * @param arguments its arguments
   * @param token the writer's token
   * @return what the script returned, as Lettuce gives it; empty for nil
   * @throws FencedOutException if a higher token was admitted; the script did not run
   */
  public Optional<Object> eval(
      String resource,
      String script,
      List<String> keys,
      List<String> arguments,
      FencingToken token) {
    List<String> allKeys = new ArrayList<>(keys.size() + 1);
    allKeys.add(fenceKey(resource));
    allKeys.addAll(keys);
    List<String> allArguments = new ArrayList<>(arguments.size() + 1);
    allArguments.add(token.toString());
    allArguments.addAll(arguments);
    List<@Nullable Object> answer =
        run(
            GUARD.formatted(script),
            allKeys.toArray(String[]::new),
            allArguments.toArray(String[]::new));
    FencingToken fence = new FencingToken(Long.parseLong(String.valueOf(answer.get(0))));
    if (fence.supersedes(token)) {
      throw new FencedOutException(resource, token, fence);
    }
    return answer.size() < 2 ? Optional.empty() : Optional.ofNullable(answer.get(1));
  }

  /**
   * The key of a fence.
   *
   * @param resource whose
   * @return a key in the same slot of a cluster
   * @throws IllegalArgumentException if there is none: the resource has a closing brace but no hash
   *     tag
   */
  public static String fenceKey(String resource) {
    Matcher tag = TAG.matcher(resource);
    if (tag.matches()) {
      return resource + ":fence";
    }
    if (resource.isEmpty() || resource.indexOf('}') >= 0) {
      throw new IllegalArgumentException(
          "no fence can be kept beside the key '"
              + resource
              + "' in a cluster; put a hash tag into it, such as {order/42}");
    }
    return "{" + resource + "}:fence";
  }

  private List<@Nullable Object> run(String script, String[] keys, String[] arguments) {
    try {
      return redis.evalsha(redis.digest(script), ScriptOutputType.MULTI, keys, arguments);
    } catch (RedisNoScriptException e) {
      return redis.eval(script, ScriptOutputType.MULTI, keys, arguments);
    }
  }
}
