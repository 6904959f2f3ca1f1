package io.leasehold.redis;

import io.leasehold.FencingToken;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import java.time.Instant;
import java.util.List;

/**
 * What a script answered: a word, the server's time and the record's fields, all as text.
 *
 * @param texts the answer as it came
 * @param line the line it came by
 */
record Answer(List<Object> texts, Line line) {

  /** What the script says. */
  String word() {
    return text(0);
  }

  /**
   * The record that the answer carries.
   *
   * @throws IllegalArgumentException if a field is not what a store writes
   */
  LeaseView view(LeaseName name) {
    return LeaseView.of(
        name,
        text(3),
        text(4),
        new FencingToken(Long.parseLong(text(2))),
        instant(5),
        instant(6),
        instant(7),
        text(8).equals("1"),
        instant(1));
  }

  private Instant instant(int index) {
    return Instant.ofEpochMilli(Long.parseLong(text(index)));
  }

  private String text(int index) {
    if (index < texts.size() && texts.get(index) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException("the answer has no text at " + index + ": " + texts);
  }
}
