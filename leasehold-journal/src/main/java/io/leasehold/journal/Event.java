package io.leasehold.journal;

/**
 * An event to publish once the entry that carries it is committed.
 *
 * <p>Immutable and thread-safe.
 *
 * @param type what happened, such as {@code order.paid}; 1 to 255 bytes of UTF-8
 * @param partitionKey events of one key are published in order; 1 to 255 bytes of UTF-8
 * @param payload what is published
 */
public record Event(String type, String partitionKey, Payload payload) {

  /**
   * Checks the texts.
   *
   * @throws IllegalArgumentException if the type or the key is not legal
   */
  public Event {
    Texts.label("event type", type);
    Texts.label("partition key", partitionKey);
  }
}
