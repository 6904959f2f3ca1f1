package io.leasehold.journal;

/** What a journal answers to {@link Journal#complete}. */
public sealed interface CompleteAnswer
    permits CompleteAnswer.Completed,
        CompleteAnswer.Repeated,
        Refusal.NotFound,
        Refusal.FencedOut,
        Refusal.AlreadyTerminal {

  /**
   * The instance has ended.
   *
   * @param outcome how
   */
  record Completed(Outcome outcome) implements CompleteAnswer {}

  /**
   * The instance had already ended in this very way; nothing changed.
   *
   * @param outcome how
   */
  record Repeated(Outcome outcome) implements CompleteAnswer {}
}
