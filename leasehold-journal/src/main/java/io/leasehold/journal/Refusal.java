package io.leasehold.journal;

import io.leasehold.FencingToken;

/**
 * Why a write was refused, in the order in which the reasons are looked at. A refused write has
 * written nothing, and has not raised the fence either.
 */
public sealed interface Refusal {

  /**
   * There is no such instance.
   *
   * @param instance the id that was given
   */
  record NotFound(InstanceId instance)
      implements Refusal, FenceAnswer, AppendAnswer, CompleteAnswer {}

  /**
   * The writer has been superseded. It stops, and undoes nothing: another one carries on.
   *
   * @param instance the instance
   * @param presented the writer's token
   * @param fence the higher token that was admitted
   */
  record FencedOut(InstanceId instance, FencingToken presented, FencingToken fence)
      implements Refusal, FenceAnswer, AppendAnswer, CompleteAnswer {}

  /**
   * The instance has ended.
   *
   * @param instance the instance
   * @param state how it ended
   */
  record AlreadyTerminal(InstanceId instance, InstanceState state)
      implements Refusal, AppendAnswer, CompleteAnswer {}

  /**
   * An entry with this key is there already; it was left as it is.
   *
   * @param key the key
   */
  record DuplicateKey(StepKey key) implements Refusal, AppendAnswer {}
}
