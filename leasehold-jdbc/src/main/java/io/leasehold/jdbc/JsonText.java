package io.leasehold.jdbc;

import java.util.List;

/**
 * The one parameter that every statement takes: a JSON array with an object per name. All four
 * databases unpack it themselves, so a call for a thousand names is one statement with one
 * parameter, and no value is ever part of a statement's text.
 */
final class JsonText {

  private final StringBuilder text = new StringBuilder("{");

  static String array(List<String> objects) {
    return "[" + String.join(",", objects) + "]";
  }

  JsonText with(String field, long value) {
    key(field).append(value);
    return this;
  }

  JsonText with(String field, String value) {
    StringBuilder to = key(field).append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      // Control characters never come here: the arguments were checked.
      if (c == '"' || c == '\\') {
        to.append('\\');
      }
      to.append(c);
    }
    to.append('"');
    return this;
  }

  private StringBuilder key(String field) {
    if (text.length() > 1) {
      text.append(',');
    }
    return text.append('"').append(field).append("\":");
  }

  /** The object. */
  @Override
  public String toString() {
    return text + "}";
  }
}
