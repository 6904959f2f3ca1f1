package io.leasehold.journal;

import io.leasehold.FencingToken;

/** What a journal answers to {@link Journal#fence}. */
public sealed interface FenceAnswer
    permits FenceAnswer.Raised, Refusal.NotFound, Refusal.FencedOut {

  /**
   * Lower tokens are refused from now on.
   *
   * @param fence the token that was presented
   */
  record Raised(FencingToken fence) implements FenceAnswer {}
}
