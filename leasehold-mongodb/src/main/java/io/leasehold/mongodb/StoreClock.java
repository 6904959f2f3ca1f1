package io.leasehold.mongodb;

import com.mongodb.client.model.Filters;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.bson.BsonDateTime;
import org.bson.Document;
import org.bson.conversions.Bson;

/**
 * Whose clock decides expiry, and how a statement says so.
 *
 * <p>A <em>stamp</em> is what a statement writes where it needs the time. Classic update operators
 * cannot compute, so a stamp is taken before the statement is sent.
 */
sealed interface StoreClock permits ServerClock, StoreClock.OfCaller {

  /** A stamp for what is sent next. May ask the server. */
  Stamp stamp(Call call);

  /** An instant that this clock has not passed, or only just; asks nobody. For signals. */
  long atMost();

  /** Filter: the record's expiry has passed. */
  Bson ended(Stamp stamp);

  /** Filter: the record's expiry has not passed. */
  Bson taken(Stamp stamp);

  /** Filter: the record ended at least this long ago. */
  Bson endedFor(Stamp stamp, Duration endedFor);

  /** Filter: the stamp is not ahead of the deciding clock, nor further behind it than this. */
  Bson sound(Stamp stamp, Duration behind);

  /** Aggregation stages that add to each document what the deciding clock says. */
  List<Bson> telling();

  /** What the deciding clock said when this document was read. */
  long told(Document document, Call call);

  /** A statement was refused although nothing but the stamp can explain it: forget the estimate. */
  void doubt();

  /** An instant to write. */
  record Stamp(long millis, long micros) {
    BsonDateTime date() {
      return new BsonDateTime(millis);
    }

    BsonDateTime plus(Duration duration) {
      return new BsonDateTime(millis + duration.toMillis());
    }
  }

  /** The caller's own clock: exact, and the same for filters and stamps. */
  record OfCaller(InstantSource source) implements StoreClock {

    @Override
    public Stamp stamp(Call call) {
      var now = source.instant();
      return new Stamp(
          now.toEpochMilli(),
          Math.addExact(
              Math.multiplyExact(now.getEpochSecond(), 1_000_000L), now.getNano() / 1_000));
    }

    @Override
    public long atMost() {
      return source.millis();
    }

    @Override
    public Bson ended(Stamp stamp) {
      return Filters.lte(LeaseDocument.EXPIRES, stamp.date());
    }

    @Override
    public Bson taken(Stamp stamp) {
      return Filters.gt(LeaseDocument.EXPIRES, stamp.date());
    }

    @Override
    public Bson endedFor(Stamp stamp, Duration endedFor) {
      return Filters.lte(LeaseDocument.EXPIRES, stamp.plus(endedFor.negated()));
    }

    @Override
    public Bson sound(Stamp stamp, Duration behind) {
      return Filters.empty();
    }

    @Override
    public List<Bson> telling() {
      return List.of();
    }

    @Override
    public long told(Document document, Call call) {
      return source.millis();
    }

    @Override
    public void doubt() {}
  }
}
