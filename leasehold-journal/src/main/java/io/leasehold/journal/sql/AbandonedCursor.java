package io.leasehold.journal.sql;

import io.leasehold.journal.AbandonedInstance;
import java.util.Optional;

/** Where a page of abandoned instances ended: how long that one was idle, and its id. */
record AbandonedCursor(long since, String id) {

  static AbandonedCursor of(Optional<String> text) {
    if (text.isEmpty()) {
      return new AbandonedCursor(0, "");
    }
    String[] parts = text.get().split(" ", 2);
    try {
      return new AbandonedCursor(Long.parseLong(parts[0]), parts[1]);
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new IllegalArgumentException(
          "cursor '" + text.get() + "' is none of this journal's; take it from the page before", e);
    }
  }

  static AbandonedCursor after(AbandonedInstance last) {
    return new AbandonedCursor(last.touchedAt().toEpochMilli(), last.id().value());
  }

  String text() {
    return since + " " + id;
  }
}
