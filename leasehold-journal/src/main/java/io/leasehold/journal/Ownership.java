package io.leasehold.journal;

import io.leasehold.EndReason;
import io.leasehold.FencingToken;
import io.leasehold.keeper.Claim;
import io.leasehold.keeper.HeldLease;
import io.leasehold.keeper.LeaseKeeper;
import java.util.Optional;

/**
 * The right to work on an instance, when leases and journal are in different stores that share no
 * transaction. It is taken in the one order that is safe:
 *
 * <ol>
 *   <li><b>acquire</b> the lease, which gives a token greater than every one before;
 *   <li><b>fence</b> the journal with it: from here on the predecessor can write no more;
 *   <li><b>read</b> the history, which is therefore final;
 *   <li><b>write</b>, with the token.
 * </ol>
 *
 * <p>A process that dies between any two of these leaves a lease that expires. The next owner gets
 * a greater token, because tokens never restart, and its fence repairs whatever was left. Between
 * acquiring and fencing the predecessor's token is still admitted; what it writes in that moment is
 * in the history that is read afterwards.
 *
 * <p>The keeper renews the lease and tells its listeners when it is lost. An ownership that is lost
 * refuses further writes. It neither interrupts the work nor undoes anything: another owner carries
 * on from the same history, and would find it undone.
 *
 * <pre>{@code
 * if (Ownership.take(keeper, journal, order) instanceof TakeAnswer.Owned owned) {
 *   try (Ownership mine = owned.ownership()) {
 *     if (!mine.history().isCommitted(Scope.ROOT, 0)) {
 *       mine.write(Entry.of(StepKey.of(order, 0), "charge-card").result(charge()).build());
 *     }
 *   }
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class Ownership implements AutoCloseable {

  private final HeldLease lease;
  private final Journal journal;
  private final InstanceId instance;
  private final Frontier history;
  private volatile boolean fencedOut;

  private Ownership(HeldLease lease, Journal journal, InstanceId instance, Frontier history) {
    this.lease = lease;
    this.journal = journal;
    this.instance = instance;
    this.history = history;
  }

  /**
   * Takes an instance that was started before.
   *
   * @param leases takes and renews the lease, whose name is the instance's id
   * @param journal the journal
   * @param instance the instance
   * @return the ownership, or why it cannot be had
   * @throws io.leasehold.LeaseStoreException if the lease store gave no answer
   * @throws JournalException if the journal gave no answer; the lease was given back
   */
  public static TakeAnswer take(LeaseKeeper leases, Journal journal, InstanceId instance) {
    return claim(leases, instance, lease -> fence(lease, journal, instance));
  }

  /**
   * Takes an instance and starts it if it is not there. Its lease is taken first, so there is no
   * row to fence: the token is the opening fence.
   *
   * @param leases takes and renews the lease, whose name is the instance's id
   * @param journal the journal
   * @param instance what to start
   * @return the ownership, with an empty history or with that of an instance that was there; or why
   *     it cannot be had
   * @throws io.leasehold.LeaseStoreException if the lease store gave no answer
   * @throws JournalException if the journal gave no answer; the lease was given back
   */
  public static TakeAnswer start(LeaseKeeper leases, Journal journal, NewInstance instance) {
    return claim(
        leases,
        instance.id(),
        lease -> {
          journal.start(instance, lease.token());
          // It may have been there before, or an unanswered start may be: the fence settles it.
          return fence(lease, journal, instance.id());
        });
  }

  /** What is done first with a lease that was just taken. */
  @FunctionalInterface
  private interface First {
    TakeAnswer with(HeldLease lease);
  }

  private static TakeAnswer claim(LeaseKeeper leases, InstanceId instance, First first) {
    Claim claim = leases.claim(instance.leaseName());
    if (claim instanceof Claim.Refused refused) {
      return new TakeAnswer.Held(refused.view());
    }
    HeldLease lease = ((Claim.Won) claim).lease();
    boolean owned = false;
    try {
      TakeAnswer answer = first.with(lease);
      owned = answer instanceof TakeAnswer.Owned;
      return answer;
    } finally {
      if (!owned) {
        lease.close();
      }
    }
  }

  private static TakeAnswer fence(HeldLease lease, Journal journal, InstanceId instance) {
    FenceAnswer answer = journal.fence(instance, lease.token());
    if (answer instanceof Refusal.FencedOut refusal) {
      return new TakeAnswer.FencedOut(refusal.presented(), refusal.fence());
    }
    // After the fence, never before: until then the predecessor may still add to it.
    Optional<Frontier> history =
        answer instanceof FenceAnswer.Raised ? journal.frontier(instance) : Optional.empty();
    return history.isEmpty()
        ? new TakeAnswer.NotFound(instance)
        : new TakeAnswer.Owned(new Ownership(lease, journal, instance, history.get()));
  }

  /**
   * The instance and what was done before this ownership. It is not updated by writes.
   *
   * @return the history, as it was when the fence was up
   */
  public Frontier history() {
    return history;
  }

  /**
   * The token, for fenced writes to other resources.
   *
   * @return the token that goes with every write
   */
  public FencingToken token() {
    return lease.token();
  }

  /**
   * Whether the instance may still be worked on. Once false, it stays false.
   *
   * @return whether the lease is held and the journal has refused no write for a higher token
   */
  public boolean isHeld() {
    return !fencedOut && lease.isHeld();
  }

  /**
   * Why the lease ended, once it has.
   *
   * @return the reason; empty while it is held, and when the journal was the first to say so
   */
  public Optional<EndReason> end() {
    return lease.end();
  }

  /**
   * Appends an entry with the token, if the lease is held.
   *
   * @param entry what to append, of this instance
   * @return {@code Written}, {@code Refused} or {@code Lost}
   * @throws IllegalArgumentException if the entry is of another instance
   * @throws JournalException if there was no answer; writing it again is safe
   */
  public WriteAnswer write(Entry entry) {
    if (!entry.key().instance().equals(instance)) {
      throw new IllegalArgumentException(
          "the entry " + entry.key() + " is not of the instance " + instance + " that is owned");
    }
    if (!isHeld()) {
      return new WriteAnswer.Lost(lease.end());
    }
    AppendAnswer answer = journal.append(entry, lease.token());
    return answer instanceof AppendAnswer.Appended appended
        ? new WriteAnswer.Written(appended.sequence())
        : refused((Refusal) answer);
  }

  /**
   * Ends the instance with the token, if the lease is held.
   *
   * @param completion how it ended
   * @return {@code Ended}, also when it had ended in this way before; {@code Refused} or {@code
   *     Lost}
   * @throws JournalException if there was no answer; completing again is safe
   */
  public WriteAnswer complete(Completion completion) {
    if (!isHeld()) {
      return new WriteAnswer.Lost(lease.end());
    }
    CompleteAnswer answer = journal.complete(instance, completion, lease.token());
    return answer instanceof Refusal refusal
        ? refused(refusal)
        : new WriteAnswer.Ended(completion.outcome());
  }

  private WriteAnswer refused(Refusal refusal) {
    if (refusal instanceof Refusal.FencedOut) {
      fencedOut = true;
    }
    return new WriteAnswer.Refused(refusal);
  }

  /**
   * Ends the renewal, then gives the lease back, waiting for the answer at most 5 s. Idempotent;
   * throws nothing when the lease is lost already.
   */
  @Override
  public void close() {
    lease.close();
  }

  @Override
  public String toString() {
    return "ownership of " + instance + " with token " + token();
  }
}
