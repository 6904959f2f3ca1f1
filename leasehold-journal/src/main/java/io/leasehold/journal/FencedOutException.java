package io.leasehold.journal;

import io.leasehold.FencingToken;

/**
 * A write was refused because its writer has been superseded. It is unchecked, so that a
 * transaction around the write rolls back.
 */
public class FencedOutException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** What was to be written. */
  private final String resource;

  /** The writer's token. */
  private final long presented;

  /** The higher one. */
  private final long fence;

  /**
   * A refused write.
   *
   * @param resource what was to be written
   * @param presented the writer's token
   * @param fence the higher token that the resource has admitted
   */
  public FencedOutException(String resource, FencingToken presented, FencingToken fence) {
    super(
        "the write to "
            + resource
            + " with token "
            + presented
            + " is refused: token "
            + fence
            + " was admitted since, so another holder has taken over; stop, and undo nothing");
    this.resource = resource;
    this.presented = presented.value();
    this.fence = fence.value();
  }

  /**
   * What was to be written.
   *
   * @return the resource
   */
  public final String resource() {
    return resource;
  }

  /**
   * The token of the refused writer.
   *
   * @return the lower token
   */
  public final FencingToken presented() {
    return new FencingToken(presented);
  }

  /**
   * The token that the resource has admitted.
   *
   * @return the higher token
   */
  public final FencingToken fence() {
    return new FencingToken(fence);
  }
}
