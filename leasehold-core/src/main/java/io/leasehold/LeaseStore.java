package io.leasehold;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where leases are kept: the service-provider interface. A store is proved by the conformance suite
 * in {@code leasehold-tck}; SPEC.md gives every rule its id and its reason.
 *
 * <p>Guarantees on every store:
 *
 * <ul>
 *   <li>A call is decided atomically, by the store's clock. {@code expiresAt <= now} is expired.
 *   <li>A record outlives its lease: release and expiry leave the token in place. Only {@link
 *       #reclaim} deletes.
 *   <li>The token of a name is strictly greater at every grant, for ever. A new record starts from
 *       the store's clock in microseconds since the epoch, and each later grant of the record adds
 *       one, so that a record which was reclaimed, evicted or lost comes back with a greater token.
 *   <li>An exception means that there was no answer, never that the call was refused. The call may
 *       have happened: see {@link LeaseStoreException.Outcome}.
 * </ul>
 *
 * <p>Calls block, take part in no transaction of the caller's, and honour interrupts where the
 * driver does. Implementations are thread-safe.
 *
 * <pre>{@code
 * if (store.acquire(name, owner, attempt, ttl) instanceof AcquireAnswer.Granted granted) {
 *   write(granted.lease().token());
 * }
 * }</pre>
 */
public interface LeaseStore extends AutoCloseable {

  /**
   * Takes a name that is free.
   *
   * @param name what to lease
   * @param owner who asks, shown to operators; 1 to 255 bytes of UTF-8
   * @param attempt the id of this attempt; 1 to 64 bytes of UTF-8. Sending it again while its lease
   *     is live gives the same grant; it never takes a second one
   * @param ttl for how long, 1 ms to 366 days
   * @return {@code Granted} when the name is free or this very attempt holds it already; {@code
   *     Held} otherwise, also when the current owner asks with another attempt: a holder renews
   * @throws IllegalArgumentException if an argument is unusable; nothing was sent
   * @throws LeaseStoreException if there was no answer
   */
  AcquireAnswer acquire(LeaseName name, String owner, String attempt, Duration ttl);

  /**
   * Extends a live lease to a TTL from now, never backward. Never creates a lease.
   *
   * @param lease the lease to renew, recognised by its token and attempt
   * @param ttl for how long from now, 1 ms to 366 days
   * @return {@code Renewed} with the same token; {@code Lost} when the lease was superseded,
   *     released or has expired
   * @throws IllegalArgumentException if the TTL is unusable; nothing was sent
   * @throws LeaseStoreException if there was no answer
   */
  RenewAnswer renew(Lease lease, Duration ttl);

  /**
   * Gives a lease back. The record and its token stay.
   *
   * @param lease the lease to give back, recognised by its token and attempt
   * @param linger keeps the name taken, and held by nobody, until this long after the
   *     <em>grant</em>; zero frees it at once; at most 366 days
   * @return what became of it
   * @throws IllegalArgumentException if the linger is unusable; nothing was sent
   * @throws LeaseStoreException if there was no answer
   */
  ReleaseAnswer release(Lease lease, Duration linger);

  /**
   * Gives back what an unanswered {@link #acquire} may have taken: ends the lease of exactly this
   * attempt, if it is live. Otherwise nothing happens.
   *
   * @param name the name that was asked for
   * @param owner the owner that asked
   * @param attempt the attempt that was not answered
   * @throws IllegalArgumentException if an argument is unusable; nothing was sent
   * @throws LeaseStoreException if there was no answer
   */
  void abandon(LeaseName name, String owner, String attempt);

  /**
   * Who holds a name.
   *
   * @param name the name
   * @return the live lease; empty when the name is free, expired or lingers
   * @throws LeaseStoreException if there was no answer
   */
  Optional<LeaseView> read(LeaseName name);

  /**
   * Lists records, live or ended, in no particular order. A record that is there during the whole
   * listing is returned at least once.
   *
   * @param prefix what the names start with, byte for byte; the empty text matches every name
   * @param page which part
   * @return the records
   * @throws IllegalArgumentException if an argument is unusable; nothing was sent
   * @throws LeaseStoreException if there was no answer
   */
  LeasePage inspect(String prefix, Page page);

  /**
   * Deletes the records that ended at least this long ago, in bounded steps that do not block the
   * store. Tokens of the deleted names still grow.
   *
   * @param endedFor how long ago, 0 to 366 days
   * @return how many records were deleted
   * @throws IllegalArgumentException if the duration is unusable; nothing was sent
   * @throws LeaseStoreException if there was no answer; some may have been deleted
   */
  long reclaim(Duration endedFor);

  /**
   * Makes many attempts in as few round trips as the store allows. Each is decided for itself.
   *
   * @param requests the attempts, for distinct names
   * @return one answer per request, in the same order
   * @throws LeaseStoreException if an answer is missing; any of them may have happened
   */
  default List<AcquireAnswer> acquireAll(List<AcquireRequest> requests) {
    List<AcquireAnswer> answers = new ArrayList<>(requests.size());
    for (AcquireRequest request : requests) {
      answers.add(acquire(request.name(), request.owner(), request.attempt(), request.ttl()));
    }
    return answers;
  }

  /**
   * Renews many leases in as few round trips as the store allows. Each is decided for itself.
   *
   * @param leases the leases, of distinct names
   * @param ttl for how long from now, 1 ms to 366 days
   * @return one answer per lease, in the same order
   * @throws IllegalArgumentException if the TTL is unusable; nothing was sent
   * @throws LeaseStoreException if an answer is missing; any of them may have happened
   */
  default List<RenewAnswer> renewAll(List<Lease> leases, Duration ttl) {
    LeaseArguments.ttl(ttl);
    List<RenewAnswer> answers = new ArrayList<>(leases.size());
    for (Lease lease : leases) {
      answers.add(renew(lease, ttl));
    }
    return answers;
  }

  /**
   * Gives many leases back in as few round trips as the store allows. Each is decided for itself.
   *
   * @param leases the leases, of distinct names
   * @param linger as in {@link #release}
   * @return one answer per lease, in the same order
   * @throws IllegalArgumentException if the linger is unusable; nothing was sent
   * @throws LeaseStoreException if an answer is missing; any of them may have happened
   */
  default List<ReleaseAnswer> releaseAll(List<Lease> leases, Duration linger) {
    LeaseArguments.linger(linger);
    List<ReleaseAnswer> answers = new ArrayList<>(leases.size());
    for (Lease lease : leases) {
      answers.add(release(lease, linger));
    }
    return answers;
  }

  /**
   * Asks to be told when a name is given back, so that a candidate need not wait for its next poll.
   * A store without signals never calls; a signal may be lost, late or doubled, and costs only the
   * poll. The call does not wait for the store.
   *
   * @param name the name
   * @param onRelease called on a thread of the store's; returns quickly and throws nothing
   * @return the subscription, to be closed when signals are no longer wanted
   */
  default Subscription subscribe(LeaseName name, Runnable onRelease) {
    return Subscription.NONE;
  }

  /**
   * Frees what the store opened itself; never a pool or client that it was given. Bounded and
   * idempotent. Leases that are held stay held until they expire.
   */
  @Override
  void close();

  /**
   * A wish to be told of releases; closing it ends it. Closing is idempotent and does not block.
   */
  @FunctionalInterface
  interface Subscription extends AutoCloseable {
    /** The subscription of a store that has no signals. */
    Subscription NONE = () -> {};

    @Override
    void close();
  }
}
