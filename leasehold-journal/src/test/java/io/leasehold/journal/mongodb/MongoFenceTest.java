package io.leasehold.journal.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import io.leasehold.FencingToken;
import io.leasehold.journal.FencedOutException;
import java.util.NoSuchElementException;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Fenced updates in MongoDB; the server here is mongo-java-server. */
class MongoFenceTest {

  private static final FencingToken SEVEN = new FencingToken(7);
  private static final FencingToken EIGHT = new FencingToken(8);

  private final MongoServer server = new MongoServer(new MemoryBackend());
  private final MongoClient client = MongoClients.create(server.bindAndGetConnectionString());
  private final MongoCollection<Document> orders =
      client.getDatabase("shop").getCollection("orders");
  private final MongoFence fence = new MongoFence(orders, "fence");

  @BeforeEach
  void insert() {
    orders.insertOne(new Document("_id", "order/42").append("status", "new"));
  }

  @AfterEach
  void close() {
    client.close();
    server.shutdownNow();
  }

  private Document order() {
    return orders.find(Filters.eq("_id", "order/42")).first();
  }

  /** The worked example: what a paused holder does when it wakes. */
  @Test
  void aPausedHolderWakesAndItsWriteIsRefused() {
    fence.update("order/42", Updates.set("status", "paid"), SEVEN);
    fence.update("order/42", Updates.set("status", "shipped"), EIGHT);
    assertThatThrownBy(() -> fence.update("order/42", Updates.set("status", "paid"), SEVEN))
        .isInstanceOfSatisfying(
            FencedOutException.class,
            refused -> {
              assertThat(refused.presented()).isEqualTo(SEVEN);
              assertThat(refused.fence()).isEqualTo(EIGHT);
            })
        .hasMessageContaining("order/42");
    assertThat(order().getString("status")).isEqualTo("shipped");
    assertThat(order().getLong("fence")).isEqualTo(8);
  }

  @Test
  void theSameUpdateAgainIsAdmitted() {
    fence.update("order/42", Updates.set("status", "paid"), SEVEN);
    fence.update("order/42", Updates.set("status", "paid"), SEVEN);
    assertThat(order().getString("status")).isEqualTo("paid");
  }

  @Test
  void aNewHolderRaisesTheFenceBeforeItWrites() {
    fence.raise("order/42", EIGHT);
    assertThatThrownBy(() -> fence.update("order/42", Updates.set("status", "paid"), SEVEN))
        .isInstanceOf(FencedOutException.class);
    assertThat(order().getString("status")).isEqualTo("new");
  }

  @Test
  void aDocumentThatIsNotThereIsSaidToBeMissing() {
    assertThatThrownBy(() -> fence.update("order/43", Updates.set("status", "paid"), SEVEN))
        .isInstanceOf(NoSuchElementException.class)
        .hasMessageContaining("order/43");
  }
}
