package io.leasehold.journal;

import java.util.List;
import java.util.Optional;

/**
 * A part of the instances that nobody works on, oldest first.
 *
 * @param instances the instances
 * @param next the cursor of the next page; empty after the last
 */
public record AbandonedPage(List<AbandonedInstance> instances, Optional<String> next) {

  /** Copies the list. */
  public AbandonedPage {
    instances = List.copyOf(instances);
  }
}
