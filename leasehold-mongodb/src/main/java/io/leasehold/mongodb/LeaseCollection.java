package io.leasehold.mongodb;

import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.leasehold.LeaseStoreException;
import io.leasehold.Ticker;
import java.time.Duration;
import java.util.Date;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The collection that holds the leases, and what is known of its server. Before the first call is
 * sent, the collection has been looked at and found fit.
 *
 * <p>Thread-safe.
 */
final class LeaseCollection {

  private static final Logger log = LoggerFactory.getLogger(MongoLeaseStore.class);

  private static final int COMMAND_NOT_FOUND = 59;
  private static final int UNAUTHORIZED = 13;

  private final MongoDatabase database;
  private final String name;
  private final Duration timeout;
  private final Ticker ticker;
  private final AtomicReference<@Nullable Deployment> deployment = new AtomicReference<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * @param ticker a monotonic clock, in nanoseconds
   */
  LeaseCollection(MongoDatabase database, String name, Duration timeout, Ticker ticker) {
    this.database =
        database
            .withCodecRegistry(MongoClientSettings.getDefaultCodecRegistry())
            .withReadPreference(ReadPreference.primary())
            .withReadConcern(ReadConcern.LOCAL)
            .withWriteConcern(WriteConcern.MAJORITY);
    this.name = name;
    this.timeout = timeout;
    this.ticker = ticker;
  }

  String namespace() {
    return database.getName() + "." + name;
  }

  Duration timeout() {
    return timeout;
  }

  /** The collection without a deadline, for what is followed for ever. */
  MongoCollection<Document> unbounded() {
    return database.getCollection(name);
  }

  /** Makes one call of the contract. */
  <T> T call(String what, Function<Call, T> calling) {
    Call call = new Call(database, name, what, timeout, ticker);
    if (closed.get()) {
      throw call.unsettled("the store is closed");
    }
    try {
      if (deployment.get() == null) {
        Optional<String> unfit = look(call);
        if (unfit.isPresent()) {
          throw call.unsettled(unfit.get());
        }
      }
      return calling.apply(call);
    } catch (MongoException | IllegalStateException e) {
      throw call.unanswered(e);
    }
  }

  /** Looks at the collection, if the server answers. */
  void open() {
    Call call = new Call(database, name, "opening", timeout, ticker);
    Optional<String> unfit;
    try {
      unfit = look(call);
    } catch (MongoException e) {
      LeaseStoreException unanswered = call.unanswered(e);
      log.warn("{}; the collection is looked at before the first call", unanswered.getMessage());
      return;
    }
    if (unfit.isPresent()) {
      throw new IllegalStateException("MongoDB store " + namespace() + ": " + unfit.get());
    }
  }

  /** Whether there is a replica set, whose primary may change. */
  boolean replicated() {
    Deployment known = deployment.get();
    return known != null && known.replicated();
  }

  /** The server's time, in milliseconds since the epoch. */
  long serverTime(Call call) {
    Deployment known = deployment.get();
    Document command = new Document(known == null || known.says() ? "hello" : "serverStatus", 1);
    Object time = call.asking().runCommand(command, ReadPreference.primary()).get("localTime");
    if (time instanceof Date date) {
      return date.toInstant().toEpochMilli();
    }
    throw new IllegalStateException("the server does not tell its time");
  }

  /** A call that the operator's examination makes. */
  Call newCall() {
    return new Call(database, name, "examination", timeout, ticker);
  }

  /** Whether this was the call that closed it. */
  boolean close() {
    return closed.compareAndSet(false, true);
  }

  boolean isClosed() {
    return closed.get();
  }

  /** Asks what the server and the collection are; says why the collection is unfit, if it is. */
  private Optional<String> look(Call call) {
    Deployment found = askDeployment(call);
    Optional<String> unfit;
    try {
      unfit = Fitness.of(call, name);
    } catch (MongoCommandException e) {
      if (e.getErrorCode() != UNAUTHORIZED) {
        throw e;
      }
      log.warn(
          "MongoDB store {}: this user may not list collections and indexes, so that a collation or"
              + " a TTL index would not be noticed; grant listCollections and listIndexes",
          namespace());
      unfit = Optional.empty();
    }
    if (unfit.isEmpty()) {
      deployment.set(found);
    }
    return unfit;
  }

  private static Deployment askDeployment(Call call) {
    try {
      return Deployment.of(
          call.asking().runCommand(new Document("hello", 1), ReadPreference.primary()));
    } catch (MongoCommandException e) {
      if (e.getErrorCode() == COMMAND_NOT_FOUND) {
        return Deployment.silent();
      }
      throw e;
    }
  }
}
