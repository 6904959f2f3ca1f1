package io.leasehold.cli;

import io.leasehold.LeaseView;
import java.util.Locale;

/** One JSON object on one line. Written by hand: a library would double the time a call takes. */
final class Json {

  private final StringBuilder text = new StringBuilder("{");

  /** A record of a store. Instants are ISO 8601 in UTC, durations milliseconds. */
  static Json of(LeaseView view) {
    return new Json()
        .add("name", view.name().value())
        .add("state", view.state().name().toLowerCase(Locale.ROOT))
        .add("owner", view.owner())
        .add("token", view.token().value())
        .add("attempt", view.attempt())
        .add("grantedAt", view.grantedAt().toString())
        .add("renewedAt", view.renewedAt().toString())
        .add("expiresAt", view.expiresAt().toString())
        .add("remainingMs", view.remaining().toMillis());
  }

  Json add(String key, String value) {
    key(key);
    quote(value);
    return this;
  }

  Json add(String key, long value) {
    key(key);
    text.append(value);
    return this;
  }

  private void key(String key) {
    if (text.length() > 1) {
      text.append(',');
    }
    quote(key);
    text.append(':');
  }

  private void quote(String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < 0x20 || c == 0x7f || Character.isSurrogate(c) || c == 0x2028 || c == 0x2029) {
        text.append(String.format("\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }

  @Override
  public String toString() {
    return text + "}";
  }
}
