package io.leasehold.journal;

/** What a journal answers to {@link Journal#append}. */
public sealed interface AppendAnswer
    permits AppendAnswer.Appended,
        Refusal.NotFound,
        Refusal.FencedOut,
        Refusal.AlreadyTerminal,
        Refusal.DuplicateKey {

  /**
   * Entry, snapshot and events are committed.
   *
   * @param sequence the entry's place in the instance's history
   */
  record Appended(long sequence) implements AppendAnswer {}
}
