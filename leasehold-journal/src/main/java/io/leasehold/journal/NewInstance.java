package io.leasehold.journal;

import java.util.Optional;

/**
 * An instance to start.
 *
 * <p>Immutable and thread-safe.
 *
 * @param id its id
 * @param flow what kind of work it is, such as {@code order@3}; retention is set by it; 1 to 255
 *     bytes of UTF-8
 * @param input what it starts from
 * @param parent the step of another instance that started it. That instance may be unknown to this
 *     journal
 */
public record NewInstance(
    InstanceId id, String flow, Optional<Payload> input, Optional<StepKey> parent) {

  /**
   * Checks the flow.
   *
   * @throws IllegalArgumentException if the flow is not legal
   */
  public NewInstance {
    Texts.label("flow", flow);
  }

  /**
   * An instance without a parent.
   *
   * @param id its id
   * @param flow what kind of work it is
   * @param input what it starts from
   * @return the instance
   */
  public static NewInstance of(InstanceId id, String flow, Payload input) {
    return new NewInstance(id, flow, Optional.of(input), Optional.empty());
  }

  /**
   * An instance without input or parent.
   *
   * @param id its id
   * @param flow what kind of work it is
   * @return the instance
   */
  public static NewInstance of(InstanceId id, String flow) {
    return new NewInstance(id, flow, Optional.empty(), Optional.empty());
  }

  /**
   * The same, started by a step of another instance.
   *
   * @param step the step that started it
   * @return the instance
   */
  public NewInstance startedBy(StepKey step) {
    return new NewInstance(id, flow, input, Optional.of(step));
  }
}
