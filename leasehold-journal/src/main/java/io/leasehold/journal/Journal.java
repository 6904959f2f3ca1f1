package io.leasehold.journal;

import io.leasehold.FencingToken;
import io.leasehold.Page;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * An append-only record of what was done, per instance, behind a fence. The conformance suite in
 * {@code leasehold-journal-tck} proves an implementation; SPEC-JOURNAL.md gives every rule its id
 * and its reason.
 *
 * <p>Guarantees on every journal:
 *
 * <ul>
 *   <li>A write with a token below the instance's fence is refused and writes nothing. An equal
 *       token is admitted, so one lease commits many steps; a higher one raises the fence. The
 *       fence never goes down.
 *   <li>Reasons for a refusal are looked at in this order: not found, fenced out, already terminal,
 *       duplicate key.
 *   <li>An entry, the snapshot and the events it carries are committed together or not at all.
 *   <li>Sequences are per instance: 1, 2, 3, without gaps.
 *   <li>Payloads come back byte for byte.
 * </ul>
 *
 * <p>An exception means that there was no answer, never that the write was refused. Calls block,
 * take part in no transaction of the caller's, and are thread-safe.
 *
 * <pre>{@code
 * if (journal.append(entry, lease.token()) instanceof Refusal.FencedOut) {
 *   return; // another owner carries on
 * }
 * }</pre>
 */
public interface Journal extends AutoCloseable {

  /** The most appends that are committed together. */
  int MAX_APPENDS = 1_000;

  /**
   * Starts an instance; the token is its opening fence.
   *
   * @param instance what to start
   * @param token the token of the lease on it, which was taken before
   * @return whether it was started, or there already
   * @throws JournalException if there was no answer
   */
  StartAnswer start(NewInstance instance, FencingToken token);

  /**
   * Raises the fence. A new owner does this first, before it reads or writes anything: from then on
   * its predecessor can write no more, and what is read next is final.
   *
   * @param instance the instance, in any state
   * @param token the new owner's token
   * @return {@code Raised}, also when the fence was there already
   * @throws JournalException if there was no answer
   */
  FenceAnswer fence(InstanceId instance, FencingToken token);

  /**
   * Appends an entry with its snapshot and events.
   *
   * @param entry what to append
   * @param token the token of the lease on the entry's instance
   * @return the entry's sequence, or why it was refused
   * @throws JournalException if there was no answer; sending it again is safe
   */
  AppendAnswer append(Entry entry, FencingToken token);

  /**
   * Appends many entries and commits once for all of them. Each is decided for itself: a refused
   * one does not hinder the others. If the answer is lost, all are committed or none.
   *
   * @param appends what to append, at most {@value #MAX_APPENDS}; entries of one instance keep
   *     their order
   * @return one answer per append, in the same order
   * @throws IllegalArgumentException if there are more; nothing was sent
   * @throws JournalException if there was no answer; sending all of them again is safe
   */
  List<AppendAnswer> appendAll(List<Append> appends);

  /**
   * Ends an instance.
   *
   * @param instance the instance
   * @param completion how it ended
   * @param token the token of the lease on it
   * @return {@code Completed}; {@code Repeated} if it had ended in the same way; {@code
   *     AlreadyTerminal} if it had ended in another
   * @throws JournalException if there was no answer; sending it again is safe
   */
  CompleteAnswer complete(InstanceId instance, Completion completion, FencingToken token);

  /**
   * An instance without its history.
   *
   * @param instance its id
   * @return the instance; empty if there is none
   * @throws JournalException if there was no answer
   */
  Optional<Instance> read(InstanceId instance);

  /**
   * An instance with its history, in one round trip and as of one moment.
   *
   * @param instance its id
   * @return the instance and its entries; empty if there is none
   * @throws JournalException if there was no answer
   */
  Optional<Frontier> frontier(InstanceId instance);

  /**
   * Lists the instances that somebody ought to work on (not ended, not suspended) and nobody has
   * touched for longer than this, oldest first.
   *
   * @param idleFor for how long, 0 to 366 days. At least the leases' TTL, so that an owner that
   *     works is not listed for nothing
   * @param page which part
   * @return the instances
   * @throws IllegalArgumentException if an argument is unusable
   * @throws JournalException if there was no answer
   */
  AbandonedPage abandoned(Duration idleFor, Page page);

  /**
   * Events that are committed and not yet marked as published, in the order of their position.
   *
   * @param after the position after which to look; 0 for all
   * @param limit the most to return, 1 to 10,000
   * @return the events
   * @throws IllegalArgumentException if the limit is out of range
   * @throws JournalException if there was no answer
   */
  List<PendingEvent> pendingEvents(long after, int limit);

  /**
   * Marks events as published. Marking twice is nothing.
   *
   * @param positions the positions of the events
   * @throws JournalException if there was no answer; some may have been marked
   */
  void markPublished(Collection<Long> positions);

  /**
   * Deletes ended instances and published events that were kept long enough, in bounded steps.
   *
   * @param retention how long they are kept
   * @return what was deleted
   * @throws JournalException if there was no answer; some may have been deleted
   */
  PurgeReport purge(Retention retention);

  /** Frees what the journal opened itself; never a pool that it was given. Idempotent. */
  @Override
  void close();
}
