package io.leasehold.mongodb;

import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore.Subscription;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells candidates of releases, by a change stream, where the deployment has one: a replica set or
 * a sharded cluster. One thread, started by the first subscription, ended by {@link #close}.
 *
 * <p>Losing the stream costs only the poll, so nothing is resumed: it is opened again.
 *
 * <p>Thread-safe.
 */
final class ReleaseSignals {

  private static final Logger log = LoggerFactory.getLogger(MongoLeaseStore.class);

  private static final long REOPEN_MILLIS = 1_000;
  private static final long AWAIT_MILLIS = 1_000;
  private static final long CLOSE_MILLIS = 2_000;

  private final LeaseCollection collection;
  private final StoreClock clock;
  private final ConcurrentHashMap<String, List<Runnable>> waiting = new ConcurrentHashMap<>();
  private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
  private final CountDownLatch closing = new CountDownLatch(1);

  ReleaseSignals(LeaseCollection collection, StoreClock clock) {
    this.collection = collection;
    this.clock = clock;
  }

  Subscription subscribe(LeaseName name, Runnable onRelease) {
    String key = name.value();
    // A wrapper of its own, so that closing one of two equal subscriptions leaves the other.
    Runnable waker = () -> wake(key, onRelease);
    waiting.compute(
        key,
        (ignored, wakers) -> {
          List<Runnable> all = wakers == null ? new CopyOnWriteArrayList<>() : wakers;
          all.add(waker);
          return all;
        });
    start();
    return () ->
        waiting.computeIfPresent(
            key,
            (ignored, wakers) -> {
              wakers.remove(waker);
              return wakers.isEmpty() ? null : wakers;
            });
  }

  void close() {
    closing.countDown();
    Thread running = thread.get();
    if (running == null || running == Thread.currentThread()) {
      return;
    }
    running.interrupt();
    try {
      running.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void start() {
    if (thread.get() != null || isClosing()) {
      return;
    }
    Thread follower = new Thread(this::follow, "leasehold-mongodb-signals");
    follower.setDaemon(true);
    if (thread.compareAndSet(null, follower)) {
      follower.start();
      if (isClosing()) {
        follower.interrupt();
      }
    }
  }

  private boolean isClosing() {
    return closing.getCount() == 0;
  }

  private void follow() {
    boolean reported = false;
    while (!isClosing()) {
      try {
        // The first call looks at the deployment.
        collection.call("following of releases", call -> true);
        if (!collection.replicated()) {
          log.info(
              "MongoDB store {}: signals are off, since a standalone server has no change streams;"
                  + " candidates poll",
              collection.namespace());
          return;
        }
        followStream();
      } catch (RuntimeException e) {
        if (!reported && !isClosing()) {
          reported = true;
          log.warn(
              "MongoDB store {}: releases are not followed now, candidates poll; trying again"
                  + " every second",
              collection.namespace(),
              e);
        }
      }
      pause();
    }
  }

  private void followStream() {
    var released =
        Aggregates.match(
            Filters.and(
                Filters.eq("operationType", "update"),
                Filters.eq("updateDescription.updatedFields." + LeaseDocument.RELEASED, true)));
    try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> stream =
        collection
            .unbounded()
            .watch(List.of(released))
            .maxAwaitTime(AWAIT_MILLIS, TimeUnit.MILLISECONDS)
            .cursor()) {
      while (!isClosing()) {
        ChangeStreamDocument<Document> change = stream.tryNext();
        if (change != null) {
          tell(change);
        }
      }
    }
  }

  /** Wakes those who wait for a name that is free now; one that lingers is not. */
  void tell(ChangeStreamDocument<Document> change) {
    BsonDocument key = change.getDocumentKey();
    var description = change.getUpdateDescription();
    if (key == null || description == null) {
      return;
    }
    BsonDocument fields = description.getUpdatedFields();
    BsonValue expires = fields == null ? null : fields.get(LeaseDocument.EXPIRES);
    BsonValue name = key.get(LeaseDocument.ID);
    if (name == null || !name.isString()) {
      return;
    }
    if (expires != null
        && expires.isDateTime()
        && expires.asDateTime().getValue() > clock.atMost()) {
      return;
    }
    waiting.getOrDefault(name.asString().getValue(), List.of()).forEach(Runnable::run);
  }

  private void wake(String name, Runnable onRelease) {
    try {
      onRelease.run();
    } catch (RuntimeException e) {
      log.warn("a subscriber to releases of '{}' threw", name, e);
    }
  }

  private void pause() {
    try {
      if (closing.await(REOPEN_MILLIS, TimeUnit.MILLISECONDS)) {
        log.debug("no longer following releases of {}", collection.namespace());
      }
    } catch (InterruptedException e) {
      // close() interrupts this thread after it has said so; the loop looks at that.
      log.trace("interrupted", e);
    }
  }
}
