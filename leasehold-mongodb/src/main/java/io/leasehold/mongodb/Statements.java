package io.leasehold.mongodb;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.gte;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.ne;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.inc;
import static com.mongodb.client.model.Updates.max;
import static com.mongodb.client.model.Updates.set;
import static com.mongodb.client.model.Updates.setOnInsert;
import static io.leasehold.mongodb.LeaseDocument.ATTEMPT;
import static io.leasehold.mongodb.LeaseDocument.EXPIRES;
import static io.leasehold.mongodb.LeaseDocument.GRANTED;
import static io.leasehold.mongodb.LeaseDocument.ID;
import static io.leasehold.mongodb.LeaseDocument.OWNER;
import static io.leasehold.mongodb.LeaseDocument.RELEASED;
import static io.leasehold.mongodb.LeaseDocument.RENEWED;
import static io.leasehold.mongodb.LeaseDocument.TOKEN;

import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.mongodb.StoreClock.Stamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDateTime;
import org.bson.Document;
import org.bson.conversions.Bson;

/**
 * Every filter and change that the store sends. All are classic: equality, comparison, {@code
 * $set}, {@code $inc}, {@code $max}; and {@code $expr} where the server's clock decides.
 *
 * @param clock whose clock decides
 */
record Statements(StoreClock clock) {

  /**
   * The one document that is no lease: the highest token that was ever reclaimed, below which no
   * new record starts. Its {@code _id} is a number, so no name can meet it and no listing of names
   * (which are text) shows it.
   */
  static final int RECLAIMED_ID = 0;

  static final String HIGHEST = "highestReclaimed";

  /** The attempt of a record that was created and not granted yet. */
  private static final String NO_ATTEMPT = "-";

  /** A stamp may be this far behind where no TTL says better. */
  private static final Duration BEHIND = Duration.ofSeconds(1);

  /** Below this, a loaded machine would be refused again and again. */
  private static final Duration LEAST_BEHIND = Duration.ofMillis(25);

  private static final BsonDateTime EPOCH = new BsonDateTime(0);

  /** A filter and the change it lets through. */
  record Change(Bson filter, Bson update) {
    UpdateOneModel<Document> model() {
      return new UpdateOneModel<>(filter, update);
    }
  }

  /** The record of a name, and the highest reclaimed token; ids in the order of an index scan. */
  static Bson named(Collection<String> names) {
    List<Object> ids = new ArrayList<>(names.size() + 1);
    ids.add(RECLAIMED_ID);
    ids.addAll(names);
    return in(ID, ids);
  }

  /** Takes a name whose last grant has ended. */
  Change take(AcquireRequest request, Stamp stamp) {
    return new Change(
        record(
            request.name(),
            ne(ATTEMPT, request.attempt()),
            clock.ended(stamp),
            soundFor(stamp, request.ttl())),
        combine(inc(TOKEN, 1L), grant(request, stamp)));
  }

  /**
   * Changes nothing where this very attempt has the name: a write that is acknowledged by a
   * majority, so that what was read is known to be there to stay.
   */
  Change confirm(AcquireRequest request, Stamp stamp) {
    return new Change(
        record(
            request.name(),
            eq(ATTEMPT, request.attempt()),
            eq(RELEASED, false),
            clock.taken(stamp)),
        set(ATTEMPT, request.attempt()));
  }

  /**
   * Creates a record that has ended, one below the first token. It is not granted by this
   * statement: an upsert may not ask the server's clock in its filter, so {@link #claim} follows.
   */
  UpdateOneModel<Document> create(AcquireRequest request, Stamp stamp, long beforeFirst) {
    return new UpdateOneModel<>(
        eq(ID, request.name().value()),
        combine(
            setOnInsert(OWNER, request.owner()),
            setOnInsert(ATTEMPT, NO_ATTEMPT),
            setOnInsert(TOKEN, beforeFirst),
            setOnInsert(GRANTED, stamp.date()),
            setOnInsert(RENEWED, stamp.date()),
            setOnInsert(EXPIRES, EPOCH),
            setOnInsert(RELEASED, true)),
        new UpdateOptions().upsert(true));
  }

  /** Takes the record that {@link #create} left, and no other. */
  Change claim(AcquireRequest request, Stamp stamp, long beforeFirst) {
    return new Change(
        record(
            request.name(),
            eq(ATTEMPT, NO_ATTEMPT),
            eq(TOKEN, beforeFirst),
            soundFor(stamp, request.ttl())),
        combine(set(TOKEN, beforeFirst + 1), grant(request, stamp)));
  }

  /** Where a new record's tokens start, less one. */
  static long beforeFirst(Stamp stamp, long highestReclaimed) {
    return Math.max(Math.max(1, stamp.micros()), highestReclaimed + 1) - 1;
  }

  Change renew(Lease lease, Duration ttl, Stamp stamp) {
    return new Change(
        mine(lease, clock.taken(stamp), soundFor(stamp, ttl)),
        combine(max(EXPIRES, stamp.plus(ttl)), set(RENEWED, stamp.date())));
  }

  /**
   * Gives a lease back.
   *
   * @param granted when it was granted, as the record must say too; only asked where it matters
   */
  Change release(Lease lease, Instant granted, Duration linger, Stamp stamp) {
    BsonDateTime until = stamp.date();
    Bson sound = clock.sound(stamp, BEHIND);
    if (!linger.isZero()) {
      BsonDateTime lingers = new BsonDateTime(granted.plus(linger).toEpochMilli());
      until = lingers.getValue() > until.getValue() ? lingers : until;
      sound = and(sound, eq(GRANTED, new BsonDateTime(granted.toEpochMilli())));
    }
    return new Change(mine(lease, clock.taken(stamp), sound), giveBack(until));
  }

  Change abandon(LeaseName name, String attempt, Stamp stamp) {
    return new Change(
        record(
            name,
            eq(ATTEMPT, attempt),
            eq(RELEASED, false),
            clock.taken(stamp),
            clock.sound(stamp, BEHIND)),
        giveBack(stamp.date()));
  }

  /**
   * Names from a prefix or beyond a cursor on. The names with a prefix stand together and the
   * prefix itself would be the first of them, in whatever order the server sorts text; so the
   * reader stops at the first name without it, and nothing is escaped.
   */
  static Bson from(String prefix, Optional<String> cursor) {
    Bson atPrefix = gte(ID, prefix);
    return cursor.map(last -> and(atPrefix, gt(ID, last))).orElse(atPrefix);
  }

  private static Bson mine(Lease lease, Bson taken, Bson sound) {
    return record(
        lease.name(),
        eq(TOKEN, lease.token().value()),
        eq(ATTEMPT, lease.attempt()),
        eq(RELEASED, false),
        taken,
        sound);
  }

  /**
   * The record of a name, on conditions. The name stands by itself at the top, where every server
   * sees that its index answers it.
   */
  private static Bson record(LeaseName name, Bson... conditions) {
    return new Document(ID, name.value()).append("$and", List.of(conditions));
  }

  private static Bson giveBack(BsonDateTime until) {
    return combine(set(RELEASED, true), set(EXPIRES, until));
  }

  private static Bson grant(AcquireRequest request, Stamp stamp) {
    return combine(
        set(OWNER, request.owner()),
        set(ATTEMPT, request.attempt()),
        set(GRANTED, stamp.date()),
        set(RENEWED, stamp.date()),
        set(EXPIRES, stamp.plus(request.ttl())),
        set(RELEASED, false));
  }

  /**
   * A holder serves for 5/6 of its TTL from the moment it sent the call. A stamp that is no more
   * than 1/6 behind when the server applies it lasts at least that long.
   */
  private Bson soundFor(Stamp stamp, Duration ttl) {
    Duration behind = ttl.dividedBy(6);
    return clock.sound(stamp, behind.compareTo(LEAST_BEHIND) < 0 ? LEAST_BEHIND : behind);
  }
}
