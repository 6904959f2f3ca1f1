package io.leasehold.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClient;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import io.leasehold.AcquireAnswer;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.leasehold.Page;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A collection that cannot hold leases is refused at start, in one sentence. */
class UnfitCollectionTest {

  private final MongoServerUnderTest server = MongoServerUnderTest.start();
  private final MongoClient client = server.client();

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  @Test
  void aTtlIndexIsRefused() {
    client
        .getDatabase(server.database())
        .getCollection("leases")
        .createIndex(
            Indexes.ascending("expires"),
            new IndexOptions().name("cleanup").expireAfter(1L, TimeUnit.DAYS));
    assertThatThrownBy(() -> MongoLeaseStore.builder(client).database(server.database()).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "MongoDB store %s.leases: the TTL index 'cleanup' deletes records; drop it: only"
                + " reclaim may delete",
            server.database());
  }

  /** As a MongoDB server lists it; mongo-java-server has no collations. */
  @Test
  void aCollationIsRefused() {
    Document listed =
        Document.parse(
            """
            {name: "leases", type: "collection", options: {collation: {
              locale: "en", caseLevel: false, strength: 2, version: "57.1"}}}
            """);
    assertThat(Fitness.ofCollection(listed)).get().asString().contains("'en'");
    Document plain = Document.parse("{name: 'leases', type: 'collection', options: {}}");
    assertThat(Fitness.ofCollection(plain)).isEmpty();
  }

  @Test
  void aCappedCollectionAndAViewAreRefused() {
    assertThat(
            Fitness.ofCollection(
                Document.parse("{type: 'collection', options: {capped: true, size: 4096}}")))
        .isPresent();
    assertThat(Fitness.ofCollection(Document.parse("{type: 'view', options: {}}"))).isPresent();
  }

  @Test
  void namesOfTheServersOwnAreRefusedBeforeAnythingIsSent() {
    MongoLeaseStore.Builder builder = MongoLeaseStore.builder(client);
    assertThatThrownBy(() -> builder.collection("system.users"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.collection("")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.database("a b")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.callTimeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void foreignDocumentsAreNamedNotMisread() {
    client
        .getDatabase(server.database())
        .getCollection("leases")
        .insertOne(new Document("_id", "job").append("owner", ""));
    try (MongoLeaseStore store =
        MongoLeaseStore.builder(client).database(server.database()).build()) {
      assertThatThrownBy(() -> store.read(LeaseName.of("job")))
          .isInstanceOf(LeaseStoreException.class)
          .hasMessageContaining("'job' is no lease record");
    }
  }

  @Test
  void theMarkOfReclaimedTokensIsNoRecord() {
    try (MongoLeaseStore store =
        MongoLeaseStore.builder(client).database(server.database()).build()) {
      store.createIndexes();
      LeaseName name = LeaseName.of("job");
      var granted =
          (AcquireAnswer.Granted) store.acquire(name, "alice", "a1", Duration.ofMinutes(1));
      store.release(granted.lease(), Duration.ZERO);
      assertThat(store.reclaim(Duration.ZERO)).isEqualTo(1);
      assertThat(store.reclaim(Duration.ZERO)).isZero();
      assertThat(store.inspect("", Page.first(10)).leases()).isEmpty();
    }
  }

  @Test
  void createIndexesMayBeCalledAgain() {
    try (MongoLeaseStore store =
        MongoLeaseStore.builder(client).database(server.database()).build()) {
      store.createIndexes();
      store.createIndexes();
    }
  }
}
