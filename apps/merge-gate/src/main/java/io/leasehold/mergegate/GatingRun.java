package io.leasehold.mergegate;

import java.time.Instant;

/**
 * A run whose verdict a pull request waits for.
 *
 * @param id the run, at its producer: a retry is another run
 * @param repository {@code owner/name}
 * @param pull the number of the pull request; 0 if the event did not say
 * @param head the commit it judges
 * @param context the required check it answers
 * @param url where people can look at it; may be empty
 * @param state what is known of it
 * @param reason why it died; empty while it has not
 * @param dueAt when it died or, while it runs, when it is overdue
 */
record GatingRun(
    String id,
    String repository,
    long pull,
    String head,
    String context,
    String url,
    State state,
    String reason,
    Instant dueAt) {

  enum State {
    RUNNING,
    DEAD,
    SETTLED
  }

  /** Why the pull request is told that there is no verdict. */
  String causeOfDeath() {
    return state == State.DEAD ? reason : "not heard from in time";
  }
}
