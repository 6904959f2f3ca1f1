package io.leasehold.journal;

import java.util.Optional;

/**
 * The end of an instance.
 *
 * @param outcome how it ended
 * @param snapshot the last snapshot; without it the one before stays
 */
public record Completion(Outcome outcome, Optional<Payload> snapshot) {

  /**
   * An end that leaves the last snapshot as it is.
   *
   * @param outcome how it ended
   * @return the completion
   */
  public static Completion of(Outcome outcome) {
    return new Completion(outcome, Optional.empty());
  }
}
