package io.leasehold.journal;

import io.leasehold.EndReason;
import java.util.Optional;

/** What became of an owner's write. */
public sealed interface WriteAnswer {

  /**
   * The entry is committed.
   *
   * @param sequence its place in the history
   */
  record Written(long sequence) implements WriteAnswer {}

  /**
   * The instance has ended, now or before, in this way.
   *
   * @param outcome how
   */
  record Ended(Outcome outcome) implements WriteAnswer {}

  /**
   * The journal refused the write.
   *
   * @param refusal why; after {@code FencedOut} the ownership is lost
   */
  record Refused(Refusal refusal) implements WriteAnswer {}

  /**
   * The lease is no longer held, so nothing was sent. Another owner may carry on: stop, and undo
   * nothing.
   *
   * @param reason why it ended; empty if the journal said so first
   */
  record Lost(Optional<EndReason> reason) implements WriteAnswer {}
}
