package io.leasehold.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The operations, each one Lua script on one key.
 *
 * <p>Atomicity: Redis runs a script to its end before it runs any other command, so what a script
 * reads is still true when it writes. Each script writes with a single command at most, so that it
 * has happened whole or not at all, and an error reply means that nothing happened.
 *
 * <p>Time: {@code TIME} is the server's clock. Instants are milliseconds since the epoch, tokens
 * start from microseconds; both stay far below 2<sup>53</sup>, so Lua's doubles hold them exactly,
 * and {@code %.0f} writes them without exponent. Numbers leave as text.
 *
 * <p>No script ever gives a key a time to live: an expiry is a value, and the record outlives it.
 *
 * <p>Answers are lists of texts: a word, the server's time, and the seven fields if there is a
 * record. An absent record has its own word, so a missing field is never told as an empty text.
 */
enum LeaseScript {
  /** ARGV: owner, attempt, ttl. Answers granted or held. */
  ACQUIRE(
      """
      if broken then return {'broken', text(now)} end
      local owner, attempt, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3])
      if found and r.attempt == attempt and r.expires > now and r.released == '0' then
        -- The same attempt again. Written once more so that WAIT has a write to wait for.
        redis.call('HSET', key, 'attempt', attempt)
        return view('granted')
      end
      if found and (r.expires > now or r.attempt == attempt) then
        return view('held')
      end
      local token = seconds * 1000000 + micros
      if found then token = tonumber(r.token) + 1 end
      if token > 9007199254740991 then
        return redis.error_reply('LEASEHOLD the tokens of this name are used up')
      end
      r.token, r.owner, r.attempt, r.released = text(token), owner, attempt, '0'
      r.granted, r.renewed, r.expires = text(now), text(now), now + ttl
      redis.call('HSET', key, 'token', r.token, 'owner', owner, 'attempt', attempt,
          'granted', r.granted, 'renewed', r.renewed, 'expires', text(r.expires), 'released', '0')
      return view('granted')
      """),

  /** ARGV: token, attempt, ttl. Answers renewed, lost or absent. */
  RENEW(
      """
      if broken then return {'broken', text(now)} end
      if not found then return {'absent', text(now)} end
      if r.token ~= ARGV[1] or r.attempt ~= ARGV[2] or r.expires <= now or r.released ~= '0' then
        return view('lost')
      end
      r.renewed, r.expires = text(now), math.max(r.expires, now + tonumber(ARGV[3]))
      redis.call('HSET', key, 'renewed', r.renewed, 'expires', text(r.expires))
      return view('renewed')
      """),

  /** ARGV: token, attempt, linger, and channel and name if signals are on. */
  RELEASE(
      """
      if broken then return {'broken', text(now)} end
      if not found then return {'ended', text(now)} end
      if r.token ~= ARGV[1] or r.attempt ~= ARGV[2] then
        if r.expires > now then return {'lost', text(now)} end
        return {'ended', text(now)}
      end
      if r.expires <= now or r.released ~= '0' then return {'ended', text(now)} end
      local ends = now -- without a linger at once, though the clock may be behind the grant
      if tonumber(ARGV[3]) > 0 then
        ends = math.max(now, tonumber(r.granted) + tonumber(ARGV[3]))
      end
      redis.call('HSET', key, 'expires', text(ends), 'released', '1')
      -- pcall: a signal that is not permitted must not fail a release that has happened.
      if ends <= now and ARGV[4] then redis.pcall('PUBLISH', ARGV[4], ARGV[5]) end
      return {'released', text(now)}
      """),

  /** ARGV: attempt, and channel and name if signals are on. */
  ABANDON(
      """
      if broken then return {'broken', text(now)} end
      if found and r.attempt == ARGV[1] and r.expires > now and r.released == '0' then
        redis.call('HSET', key, 'expires', text(now), 'released', '1')
        if ARGV[2] then redis.pcall('PUBLISH', ARGV[2], ARGV[3]) end
        return {'released', text(now)}
      end
      return {'ended', text(now)}
      """),

  /** Answers found or absent. */
  VIEW(
      """
      if broken then return {'broken', text(now)} end
      if not found then return {'absent', text(now)} end
      return view('found')
      """),

  /**
   * ARGV: how long ago a record must have ended. Decides again what the listing saw, so a name that
   * was taken in between stays. A record whose token is ahead of the clock stays too: the clock was
   * set back, and a new record would start below it.
   */
  RECLAIM(
      """
      if broken or not found then return {'kept', text(now)} end
      if r.expires > now - tonumber(ARGV[1]) then return {'kept', text(now)} end
      if tonumber(r.token) >= seconds * 1000000 + micros then return {'kept', text(now)} end
      redis.call('DEL', key)
      return {'reclaimed', text(now)}
      """);

  private final String text;
  private final String sha;

  LeaseScript(String body) {
    this.text = Prelude.TEXT + body;
    this.sha = sha1(text);
  }

  /** The whole script, as it is sent. */
  String text() {
    return text;
  }

  /** The name under which the server keeps the script. */
  String sha() {
    return sha;
  }

  private static String sha1(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }

  /**
   * What every script starts with. A class of its own, since an enum is built before its fields.
   */
  private static final class Prelude {
    static final String TEXT =
        """
      local key = KEYS[1]
      -- A write that changes nothing and is not replicated. A replica, or a server that refuses
      -- writes, fails here instead of judging a lease by a copy that may be old.
      redis.call('HDEL', key, '-')
      local time = redis.call('TIME')
      local seconds, micros = tonumber(time[1]), tonumber(time[2])
      local now = seconds * 1000 + math.floor(micros / 1000)
      local function text(number) return string.format('%.0f', number) end

      local fields = {'token', 'owner', 'attempt', 'granted', 'renewed', 'expires', 'released'}
      local values = redis.call('HMGET', key, unpack(fields))
      local r, present = {}, 0
      for i, field in ipairs(fields) do
        -- A missing field is false here, never an empty text.
        if values[i] then
          r[field] = values[i]
          present = present + 1
        end
      end
      local found = present == #fields
      local broken = not found and (present > 0 or redis.call('EXISTS', key) == 1)
      if found then
        r.expires = tonumber(r.expires)
        broken = not (r.expires and tonumber(r.token) and tonumber(r.granted) and tonumber(r.renewed))
        found = not broken
      end
      local function view(word)
        return {word, text(now), r.token, r.owner, r.attempt, r.granted, r.renewed,
            text(r.expires), r.released}
      end
      """;

    private Prelude() {}
  }
}
