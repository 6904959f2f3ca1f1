package io.leasehold.journal;

/**
 * An event that is committed and not yet marked as published.
 *
 * <p>Immutable and thread-safe.
 *
 * @param position where it stands in the outbox; grows, with gaps
 * @param instance whose entry carried it
 * @param sequence the sequence of that entry
 * @param ordinal which of the entry's events it is, from 1
 * @param event what to publish
 */
public record PendingEvent(
    long position, InstanceId instance, long sequence, int ordinal, Event event) {

  /**
   * An id for receivers that must tell a repetition: the same at every publication.
   *
   * @return instance, sequence and ordinal
   */
  public String id() {
    return instance + "#" + sequence + "." + ordinal;
  }
}
