package io.leasehold;

import java.util.List;
import java.util.Optional;

/**
 * A part of a listing.
 *
 * @param leases the records of this page; may be fewer than asked for, even none, while {@code
 *     next} is present
 * @param next the cursor of the next page; absent when this was the last
 */
public record LeasePage(List<LeaseView> leases, Optional<String> next) {

  /** Copies the list. */
  public LeasePage {
    leases = List.copyOf(leases);
  }
}
