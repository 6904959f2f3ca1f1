package io.leasehold.journal.mongodb;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import com.mongodb.client.result.UpdateResult;
import io.leasehold.FencingToken;
import io.leasehold.journal.FencedOutException;
import java.util.NoSuchElementException;
import org.bson.Document;
import org.bson.conversions.Bson;

/**
 * Fences updates of a document in MongoDB by a field of that document. The filter and the update
 * are decided together by the server, so a superseded writer's update matches nothing.
 *
 * <p>Use a collection with write concern {@code majority}: a fence that a failover can take back
 * admits again what it had refused.
 *
 * <pre>{@code
 * MongoFence fence = new MongoFence(orders, "fence");
 * fence.update("order/42", Updates.set("status", "paid"), lease.token());
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class MongoFence {

  private final MongoCollection<Document> collection;
  private final String field;

  /**
   * A fence.
   *
   * @param collection whose documents are fenced
   * @param field the field that keeps the highest token admitted; a document without it admits
   *     every token
   */
  public MongoFence(MongoCollection<Document> collection, String field) {
    if (field.isBlank() || field.startsWith("$") || field.indexOf('.') >= 0) {
      throw new IllegalArgumentException(
          "fence field '" + field + "' is not legal; one plain field of the document");
    }
    this.collection = collection;
    this.field = field;
  }

  /**
   * Updates a document and raises its fence, in one step.
   *
   * @param id the document's {@code _id}
   * @param update what to change; it must not change the fence's field
   * @param token the writer's token; an equal one is admitted
   * @throws FencedOutException if a higher token was admitted; nothing was written
   * @throws NoSuchElementException if there is no such document
   */
  public void update(Object id, Bson update, FencingToken token) {
    UpdateResult result =
        collection.updateOne(
            Filters.and(Filters.eq("_id", id), Filters.not(Filters.gt(field, token.value()))),
            Updates.combine(update, Updates.set(field, token.value())));
    // Never the modified count: the same update again modifies nothing and is admitted all the
    // same.
    if (result.getMatchedCount() > 0) {
      return;
    }
    Document current = collection.find(Filters.eq("_id", id)).first();
    if (current == null) {
      throw new NoSuchElementException(
          "there is no document " + id + " in " + collection.getNamespace());
    }
    throw new FencedOutException(
        collection.getNamespace() + " " + id,
        token,
        new FencingToken(current.get(field, Number.class).longValue()));
  }

  /**
   * Raises a document's fence and changes nothing else: what a new holder does first.
   *
   * @param id the document's {@code _id}
   * @param token the writer's token; an equal one is admitted
   * @throws FencedOutException if a higher token was admitted
   * @throws NoSuchElementException if there is no such document
   */
  public void raise(Object id, FencingToken token) {
    update(id, new Document(), token);
  }
}
