package io.leasehold.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore.Subscription;
import io.leasehold.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.bson.Document;
import org.bson.codecs.DecoderContext;
import org.bson.json.JsonReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What a change event means, on events as MongoDB writes them. That a real change stream brings
 * them is shown by the conformance suite on a replica set.
 */
class ReleaseSignalsTest {

  private static final Instant NOW = Instant.parse("2026-12-01T10:00:00Z");

  private final MongoServerUnderTest server = MongoServerUnderTest.startOwn();
  private final MongoClient client = server.client();
  private final ReleaseSignals signals =
      new ReleaseSignals(
          new LeaseCollection(
              client.getDatabase("test"), "leases", Duration.ofSeconds(5), Ticker.system()),
          new StoreClock.OfCaller(InstantSource.fixed(NOW)));
  private final List<String> woken = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    signals.close();
    client.close();
    server.close();
  }

  @Test
  void aReleaseWakesThoseWhoWaitForThatName() {
    waitFor("job", "one");
    waitFor("job", "two");
    waitFor("Job", "three");
    signals.tell(release("job", NOW));
    assertThat(woken).containsExactlyInAnyOrder("one", "two");
  }

  @Test
  void aNameThatLingersIsNotFree() {
    waitFor("job", "one");
    signals.tell(release("job", NOW.plusMillis(1)));
    assertThat(woken).isEmpty();
  }

  @Test
  void aSubscriptionThatIsClosedIsNotCalledAndItsTwinIs() {
    Runnable same = () -> woken.add("same");
    Subscription first = signals.subscribe(LeaseName.of("job"), same);
    signals.subscribe(LeaseName.of("job"), same);
    first.close();
    first.close();
    signals.tell(release("job", NOW));
    assertThat(woken).containsExactly("same");
  }

  @Test
  void aSubscriberThatThrowsHarmsNobodyElse() {
    signals.subscribe(
        LeaseName.of("job"),
        () -> {
          throw new IllegalStateException("a subscriber's own fault");
        });
    waitFor("job", "two");
    signals.tell(release("job", NOW));
    assertThat(woken).containsExactly("two");
  }

  @Test
  void aStandaloneServerEndsTheThreadAtOnce() {
    waitFor("job", "one");
    await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(() -> assertThat(threads()).doesNotContain("leasehold-mongodb-signals"));
  }

  private void waitFor(String name, String label) {
    signals.subscribe(LeaseName.of(name), () -> woken.add(label));
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
  }

  private static ChangeStreamDocument<Document> release(String name, Instant expires) {
    String event =
        """
        {_id: {_data: "8265"}, operationType: "update", clusterTime: {$timestamp: {t: 1, i: 1}},
         ns: {db: "test", coll: "leases"}, documentKey: {_id: "%s"},
         updateDescription: {updatedFields: {expires: {$date: "%s"}, released: true},
                             removedFields: [], truncatedArrays: []}}
        """
            .formatted(name, expires);
    return ChangeStreamDocument.createCodec(
            Document.class, MongoClientSettings.getDefaultCodecRegistry())
        .decode(new JsonReader(event), DecoderContext.builder().build());
  }
}
