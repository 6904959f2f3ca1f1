package io.leasehold.mongodb;

import static com.mongodb.client.model.Filters.eq;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.ReadConcern;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.WriteModel;
import io.leasehold.LeaseName;
import io.leasehold.mongodb.Statements.Change;
import io.leasehold.mongodb.StoreClock.Stamp;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * Reading and changing records, one command each.
 *
 * @param clock whose time comes with every record that is read
 */
record Records(LeaseCollection collection, StoreClock clock) {

  private static final FindOneAndUpdateOptions AFTER =
      new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER);

  /** More than any batch of names, so that one reply has them all (a reply may have 16 MB). */
  private static final int READ_BATCH = 20_000;

  /** What a look found. */
  record Known(Map<String, LeaseDocument> records, long highestReclaimed) {}

  /**
   * What the primary has now, durable or not. Good for deciding what to try: a stale look costs a
   * try, since the change is decided for itself.
   */
  Known look(Call call, Collection<String> names) {
    return look(call, names, ReadConcern.LOCAL);
  }

  private Known look(Call call, Collection<String> names, ReadConcern concern) {
    Map<String, LeaseDocument> records = new HashMap<>();
    long highest = 0;
    for (Document each : documents(call, concern, Statements.named(names))) {
      if (each.get(Statements.HIGHEST) instanceof Number reclaimed) {
        highest = reclaimed.longValue();
      } else {
        LeaseDocument record = LeaseDocument.of(each, clock.told(each, call));
        records.put(record.name(), record);
      }
    }
    return new Known(records, highest);
  }

  /**
   * What the record is, for certain. On a replica set the read is linearizable: a primary that was
   * replaced and does not know it yet may neither have the record nor know that it has not; asked
   * like this it must reach a majority before it answers, so an election is "no answer" and never
   * "lost".
   */
  @Nullable LeaseDocument ascertain(Call call, LeaseName name) {
    return one(call, certain(), name);
  }

  /** What many records are, for certain. */
  Known ascertain(Call call, Collection<String> names) {
    return look(call, names, certain());
  }

  /** What was seen, with these names read again for certain where a plain look is not enough. */
  Known ascertainAfter(Call call, Known seen, Collection<String> names) {
    if (names.isEmpty() || !collection.replicated()) {
      return seen;
    }
    Map<String, LeaseDocument> records = new HashMap<>(seen.records());
    records.keySet().removeAll(names);
    records.putAll(ascertain(call, names).records());
    return new Known(records, seen.highestReclaimed());
  }

  private ReadConcern certain() {
    return collection.replicated() ? ReadConcern.LINEARIZABLE : ReadConcern.LOCAL;
  }

  /** What a majority has: what was acknowledged, and nothing that an election may undo. */
  @Nullable LeaseDocument settled(Call call, LeaseName name) {
    return one(call, collection.replicated() ? ReadConcern.MAJORITY : ReadConcern.LOCAL, name);
  }

  /** The first so many records of a filter, by name. */
  List<LeaseDocument> ordered(Call call, Bson filter, int limit) {
    List<Bson> stages =
        new ArrayList<>(
            List.of(
                Aggregates.match(filter),
                Aggregates.sort(Sorts.ascending(LeaseDocument.ID)),
                Aggregates.limit(limit)));
    stages.addAll(clock.telling());
    List<LeaseDocument> found = new ArrayList<>();
    for (Document each : call.reading().aggregate(stages).batchSize(limit)) {
      found.add(LeaseDocument.of(each, clock.told(each, call)));
    }
    return found;
  }

  /** Makes one change; the record as it is then, if the filter let it through. */
  Optional<LeaseDocument> change(Call call, Change change, Stamp stamp) {
    Document after = call.writing().findOneAndUpdate(change.filter(), change.update(), AFTER);
    return Optional.ofNullable(after).map(each -> LeaseDocument.of(each, stamp.millis()));
  }

  /** Makes one change; whether the filter matched, whatever was modified. */
  boolean changed(Call call, Change change) {
    return call.writing().updateOne(change.filter(), change.update()).getMatchedCount() == 1;
  }

  /**
   * Makes many changes in order.
   *
   * @return how many matched or inserted, up to the first that met another's insert of the same
   *     name (a duplicate key: the name is another's)
   */
  int bulk(Call call, List<? extends WriteModel<Document>> changes) {
    BulkWriteResult result;
    try {
      result = call.writing().bulkWrite(changes);
    } catch (MongoBulkWriteException e) {
      if (e.getWriteConcernError() != null
          || !e.getWriteErrors().stream()
              .allMatch(each -> each.getCategory() == ErrorCategory.DUPLICATE_KEY)) {
        throw e;
      }
      result = e.getWriteResult();
    }
    return result.getMatchedCount() + result.getUpserts().size();
  }

  private @Nullable LeaseDocument one(Call call, ReadConcern concern, LeaseName name) {
    for (Document each : documents(call, concern, eq(LeaseDocument.ID, name.value()))) {
      return LeaseDocument.of(each, clock.told(each, call));
    }
    return null;
  }

  private List<Document> documents(Call call, ReadConcern concern, Bson filter) {
    List<Bson> stages = new ArrayList<>();
    stages.add(Aggregates.match(filter));
    stages.addAll(clock.telling());
    return call.reading()
        .withReadConcern(concern)
        .aggregate(stages)
        .batchSize(READ_BATCH)
        .into(new ArrayList<>());
  }
}
