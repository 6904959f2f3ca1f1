package io.leasehold.mongodb;

import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoServerException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseStoreException.Outcome;
import io.leasehold.Ticker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.bson.Document;

/**
 * One call of the contract: it has one deadline, whatever the number of commands it sends, and it
 * knows whether anything was sent that may have changed something.
 *
 * <p>Used by one thread.
 */
final class Call {

  /** What a server answers that certainly did nothing: not authorized, authentication failed. */
  private static final Set<Integer> DID_NOTHING = Set.of(13, 18);

  private final MongoCollection<Document> leases;
  private final MongoDatabase database;
  private final String what;
  private final Ticker ticker;
  private final long deadline;
  private int writes;

  /**
   * @param ticker a monotonic clock, in nanoseconds
   */
  Call(MongoDatabase database, String collection, String what, Duration timeout, Ticker ticker) {
    this.database = database;
    this.leases = database.getCollection(collection);
    this.what = what;
    this.ticker = ticker;
    this.deadline = ticker.nanos() + timeout.toNanos();
  }

  /** The collection, for a command that changes nothing. */
  MongoCollection<Document> reading() {
    return leases.withTimeout(remaining(), TimeUnit.MILLISECONDS);
  }

  /** The collection, for a command that may change something. */
  MongoCollection<Document> writing() {
    MongoCollection<Document> bounded = reading();
    writes++;
    return bounded;
  }

  /** The database, for a command that changes nothing. */
  MongoDatabase asking() {
    return database.withTimeout(remaining(), TimeUnit.MILLISECONDS);
  }

  private long remaining() {
    long millis = TimeUnit.NANOSECONDS.toMillis(deadline - ticker.nanos());
    if (millis < 1) {
      throw new MongoOperationTimeoutException("the call's time is over");
    }
    return millis;
  }

  /** The call got answers, but none that settles it. */
  LeaseStoreException unsettled(String why) {
    return new LeaseStoreException(
        writes == 0 ? Outcome.NOT_APPLIED : Outcome.UNKNOWN, message() + why);
  }

  /** What a failure of the driver's means for this call. */
  LeaseStoreException unanswered(RuntimeException failure) {
    if (failure instanceof MongoInterruptedException) {
      Thread.currentThread().interrupt();
    }
    boolean nothing = writes == 0 || (writes == 1 && certainlyNotSent(failure));
    return new LeaseStoreException(
        nothing ? Outcome.NOT_APPLIED : Outcome.UNKNOWN, message() + reason(failure), failure);
  }

  private String message() {
    return "MongoDB store " + leases.getNamespace() + ": " + what + " was not answered: ";
  }

  private static String reason(RuntimeException failure) {
    if (failure instanceof MongoServerException refusal) {
      return refusal.getClass().getSimpleName() + " " + refusal.getCode();
    }
    return failure.getClass().getSimpleName() + ": " + failure.getMessage();
  }

  /**
   * Whether the last write was never sent. When the driver repeats a write and finds no server for
   * the repetition, it throws what the first try met; so a failure to find a server or to connect
   * says that there was no first try.
   *
   * <p>"Not writable primary" is left out on purpose: it may be the answer to the driver's second
   * try, after a first one that was applied and whose answer was lost.
   */
  private static boolean certainlyNotSent(RuntimeException failure) {
    if (failure instanceof MongoOperationTimeoutException timeout) {
      String message = timeout.getMessage();
      return message != null && message.startsWith("Timed out while waiting for a server");
    }
    return failure instanceof MongoTimeoutException
        || failure instanceof MongoSocketOpenException
        || failure instanceof MongoConnectionPoolClearedException
        || failure instanceof MongoSecurityException
        || (failure instanceof MongoException refusal && DID_NOTHING.contains(refusal.getCode()));
  }
}
