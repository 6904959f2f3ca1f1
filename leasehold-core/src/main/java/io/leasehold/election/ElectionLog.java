package io.leasehold.election;

import io.leasehold.ElectionEvent;
import io.leasehold.LeaseName;
import io.leasehold.ReleaseAnswer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes an election's edges to the log: one line an edge, none an attempt. */
final class ElectionLog implements ElectionListener {

  private static final Logger log = LoggerFactory.getLogger(Election.class);

  private final String owner;

  ElectionLog(String owner) {
    this.owner = owner;
  }

  @Override
  public void on(LeaseName name, ElectionEvent event) {
    if (event instanceof ElectionEvent.Elected elected) {
      log.info("{}: {} is elected with token {}", name, owner, elected.lease().token());
    } else if (event instanceof ElectionEvent.Ending ending) {
      ending(name, ending);
    } else if (event instanceof ElectionEvent.Ended ended) {
      ended(name, ended);
    } else if (event instanceof ElectionEvent.Released released) {
      if (released.answer() == ReleaseAnswer.RELEASED) {
        log.info("{}: {} released token {}", name, owner, released.lease().token());
      }
    } else if (event instanceof ElectionEvent.NotReleased left) {
      log.warn(
          "{}: {} could not release token {}; a successor waits until it expires: {}",
          name,
          owner,
          left.lease().token(),
          left.cause().toString());
    } else if (event instanceof ElectionEvent.StoreAway away) {
      log.warn("{}: {} cannot reach the store: {}", name, owner, away.cause().toString());
    } else if (event instanceof ElectionEvent.StoreBack) {
      log.info("{}: {} reaches the store again", name, owner);
    } else if (event instanceof ElectionEvent.TokenRegressed regressed) {
      log.error(
          "{}: the store shows token {}, but {} was seen before: it was restored from a backup or"
              + " lost writes; fences will refuse tokens until they pass {}",
          name,
          regressed.shown(),
          regressed.seen(),
          regressed.seen());
    } else if (event instanceof ElectionEvent.Moved moved) {
      log.debug("{}: {} -> {}: {}", name, moved.from(), moved.to(), moved.why());
    }
  }

  private void ending(LeaseName name, ElectionEvent.Ending ending) {
    switch (ending.reason()) {
      case SUPERSEDED, FORCED, UNREACHABLE, SUSPENDED ->
          log.warn(
              "{}: {} lost token {}: {}", name, owner, ending.lease().token(), ending.reason());
      case WORK_ENDED, WORK_FAILED, YIELDED, STOPPED ->
          log.info(
              "{}: {} steps down with token {}: {}",
              name,
              owner,
              ending.lease().token(),
              ending.reason());
    }
  }

  private void ended(LeaseName name, ElectionEvent.Ended ended) {
    if (!ended.clean()) {
      log.warn(
          "{}: the work of token {} did not return before its lease could expire; a successor may"
              + " overlap it",
          name,
          ended.lease().token());
    }
    ended
        .failure()
        .ifPresent(
            failure ->
                log.warn("{}: the work of token {} threw", name, ended.lease().token(), failure));
  }
}
