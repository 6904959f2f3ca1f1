package io.leasehold.campaign;

import io.leasehold.ElectionEvent;
import io.leasehold.FencingToken;
import io.leasehold.LeaseView;
import java.util.Optional;

/**
 * What a campaign knows of its store: whether it answers, who holds the name, which tokens it saw.
 */
final class StoreSight {

  private Optional<LeaseView> holder = Optional.empty();
  private Optional<FencingToken> highest = Optional.empty();
  private boolean regressed;
  private boolean away;
  private Moment answeredAt;
  private Optional<Throwable> lastFailure = Optional.empty();

  StoreSight(Moment start) {
    this.answeredAt = start;
  }

  /** The store answered. Gives what to tell, at the end of an outage. */
  Optional<ElectionEvent> answered(Moment now) {
    answeredAt = now;
    lastFailure = Optional.empty();
    boolean back = away;
    away = false;
    return back ? Optional.of(new ElectionEvent.StoreBack()) : Optional.empty();
  }

  /** The store did not answer. Gives what to tell, at the start of an outage. */
  Optional<ElectionEvent> unanswered(Throwable cause) {
    lastFailure = Optional.of(cause);
    boolean first = !away;
    away = true;
    return first ? Optional.of(new ElectionEvent.StoreAway(cause)) : Optional.empty();
  }

  /** The store showed a token. Gives what to tell, once, if it is lower than one seen before. */
  Optional<ElectionEvent> saw(FencingToken token) {
    if (highest.isEmpty() || !highest.get().supersedes(token)) {
      highest = Optional.of(token);
      regressed = false;
      return Optional.empty();
    }
    boolean first = !regressed;
    regressed = true;
    return first
        ? Optional.of(new ElectionEvent.TokenRegressed(highest.get(), token))
        : Optional.empty();
  }

  void heldBy(Optional<LeaseView> view) {
    holder = view;
  }

  Optional<LeaseView> holder() {
    return holder;
  }

  boolean isAway() {
    return away;
  }

  Moment answeredAt() {
    return answeredAt;
  }

  Optional<Throwable> lastFailure() {
    return lastFailure;
  }
}
