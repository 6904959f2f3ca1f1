package io.leasehold.mongodb;

import com.mongodb.client.model.Filters;
import io.leasehold.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToLongFunction;
import org.bson.BsonDateTime;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * The server's clock. Expiry is decided by the server itself, by {@code $$NOW} inside the filter;
 * only what a statement <em>writes</em> is an estimate of that clock.
 *
 * <p>The estimate is a lower bound. A sample is what the server said between the moment its request
 * was sent and the moment the answer came; carried forward by the monotonic clock from the later
 * moment, less an allowance for drift, it cannot be ahead of the server's clock unless that clock
 * was set back. It is behind by at most the sample's round trip, 1 ms of rounding and the drift
 * allowance (5 ms after 10 s, when a new sample is taken).
 *
 * <p>None of this is trusted. Every statement that grants or extends a lease carries the filter
 * {@link #sound}: the server compares the stamp with its own clock and refuses one that is ahead or
 * too far behind. So a clock that was set, a suspended machine or a request that was long on its
 * way costs another try with a new sample, and never a lease that expires before its holder's hold.
 */
final class ServerClock implements StoreClock {

  /** A sample is not used for longer than this. */
  static final Duration SAMPLE_LIFE = Duration.ofSeconds(10);

  /**
   * How fast the two clocks may drift apart: one part in this, ten times what NTP allows itself.
   */
  private static final long DRIFT = 2_000;

  /** The estimates of two processes differ by less. */
  private static final long AHEAD_MILLIS = 1_000;

  private static final String NOW = "now";
  private static final String SERVER_NOW = "$$NOW";
  private static final String EXPIRES = "$" + LeaseDocument.EXPIRES;

  private record Sample(long serverMillis, long answeredNanos) {
    long at(long nanos) {
      long elapsed = nanos - answeredNanos;
      return serverMillis + (elapsed - elapsed / DRIFT) / 1_000_000;
    }
  }

  private final ToLongFunction<Call> serverTime;
  private final Ticker ticker;
  private final AtomicReference<@Nullable Sample> best = new AtomicReference<>();

  /**
   * @param serverTime asks the server for its time, in milliseconds since the epoch
   * @param ticker a monotonic clock, in nanoseconds
   */
  ServerClock(ToLongFunction<Call> serverTime, Ticker ticker) {
    this.serverTime = serverTime;
    this.ticker = ticker;
  }

  @Override
  public Stamp stamp(Call call) {
    long nanos = ticker.nanos();
    Sample sample = best.get();
    if (sample == null || nanos - sample.answeredNanos() > SAMPLE_LIFE.toNanos()) {
      sample = offer(serverTime.applyAsLong(call));
      nanos = ticker.nanos();
    }
    long millis = sample.at(nanos);
    return new Stamp(millis, millis * 1_000);
  }

  @Override
  public long atMost() {
    Sample sample = best.get();
    return sample == null ? Long.MAX_VALUE : sample.at(ticker.nanos()) + AHEAD_MILLIS;
  }

  @Override
  public Bson ended(Stamp stamp) {
    return Filters.expr(new Document("$lte", List.of(EXPIRES, SERVER_NOW)));
  }

  @Override
  public Bson taken(Stamp stamp) {
    return Filters.expr(new Document("$gt", List.of(EXPIRES, SERVER_NOW)));
  }

  @Override
  public Bson endedFor(Stamp stamp, Duration endedFor) {
    Document then = new Document("$subtract", List.of(SERVER_NOW, endedFor.toMillis()));
    return Filters.expr(new Document("$lte", List.of(EXPIRES, then)));
  }

  @Override
  public Bson sound(Stamp stamp, Duration behind) {
    BsonDateTime latest = stamp.plus(behind);
    return Filters.and(
        Filters.expr(new Document("$gte", List.of(SERVER_NOW, stamp.date()))),
        Filters.expr(new Document("$lte", List.of(SERVER_NOW, latest))));
  }

  @Override
  public List<Bson> telling() {
    return List.of(new Document("$addFields", new Document(NOW, SERVER_NOW)));
  }

  @Override
  public long told(Document document, Call call) {
    long millis = document.getDate(NOW).toInstant().toEpochMilli();
    offer(millis);
    return millis;
  }

  @Override
  public void doubt() {
    best.set(null);
  }

  /** Takes a sample, unless the one at hand is as good and still young. */
  private Sample offer(long serverMillis) {
    long nanos = ticker.nanos();
    Sample fresh = new Sample(serverMillis, nanos);
    Sample kept =
        best.accumulateAndGet(
            fresh,
            (old, offered) ->
                old != null
                        && offered != null
                        && nanos - old.answeredNanos() < SAMPLE_LIFE.toNanos() / 2
                        && old.at(nanos) >= offered.serverMillis()
                    ? old
                    : offered);
    return kept == null ? fresh : kept;
  }
}
