package io.leasehold.mongodb;

import com.mongodb.client.model.Filters;
import java.util.Optional;
import org.bson.Document;

/** Whether a collection can hold leases. */
final class Fitness {

  private Fitness() {}

  /** Why the collection is unfit; empty when it is fit or does not exist yet. */
  static Optional<String> of(Call call, String collection) {
    for (Document each : call.asking().listCollections().filter(Filters.eq("name", collection))) {
      Optional<String> unfit = ofCollection(each);
      if (unfit.isPresent()) {
        return unfit;
      }
      for (Document index : call.reading().listIndexes()) {
        Optional<String> deletes = ofIndex(index);
        if (deletes.isPresent()) {
          return deletes;
        }
      }
    }
    return Optional.empty();
  }

  /** An entry of {@code listCollections}. */
  static Optional<String> ofCollection(Document entry) {
    Document options = entry.get("options", new Document());
    if (options.get("collation") instanceof Document collation
        && !"simple".equals(collation.get("locale"))) {
      return Optional.of(
          "the collection has the collation '"
              + collation.get("locale")
              + "', which may take two names for one; leases need a collection without a"
              + " collation");
    }
    if (options.containsKey("capped") && Boolean.TRUE.equals(options.get("capped"))) {
      return Optional.of(
          "the collection is capped, so that records would vanish; leases need one that is not");
    }
    if (!"collection".equals(entry.get("type", "collection"))) {
      return Optional.of("it is a " + entry.get("type") + "; leases need a plain collection");
    }
    return Optional.empty();
  }

  /** An entry of {@code listIndexes}. */
  static Optional<String> ofIndex(Document index) {
    return index.containsKey("expireAfterSeconds")
        ? Optional.of(
            "the TTL index '"
                + index.get("name")
                + "' deletes records; drop it: only reclaim may delete")
        : Optional.empty();
  }
}
