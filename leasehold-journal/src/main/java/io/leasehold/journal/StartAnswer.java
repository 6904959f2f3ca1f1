package io.leasehold.journal;

/** What a journal answers to {@link Journal#start}. */
public sealed interface StartAnswer {

  /**
   * The instance is there; the token is its opening fence.
   *
   * @param instance its id
   */
  record Started(InstanceId instance) implements StartAnswer {}

  /**
   * An instance with this id was there already; nothing changed.
   *
   * @param instance its id
   */
  record AlreadyExists(InstanceId instance) implements StartAnswer {}
}
