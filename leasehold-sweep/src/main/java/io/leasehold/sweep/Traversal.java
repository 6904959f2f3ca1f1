package io.leasehold.sweep;

import java.time.Instant;

/**
 * A look back to the horizon that is not finished: it takes as many deep passes as it takes.
 *
 * @param started when its first pass began
 * @param resume where its next pass begins
 * @param still how many of its passes in a row got nowhere
 */
record Traversal(Instant started, Position resume, int still) {

  /** One failure is a blip; after two the traversal waits for the next deep pass to be due. */
  private static final int PARKED_AFTER = 2;

  boolean parked() {
    return still >= PARKED_AFTER;
  }

  Traversal after(PassReport pass) {
    return new Traversal(started, pass.reached(), pass.moved() ? 0 : still + 1);
  }
}
