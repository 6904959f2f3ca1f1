package io.leasehold.journal.sql;

import io.leasehold.journal.Event;
import java.util.HexFormat;
import java.util.List;

/**
 * Events as one JSON text, because a statement with as many parameters as there are events would
 * have a text of its own for each number. Payloads are in hexadecimal: they may be any bytes.
 */
final class EventJson {

  private EventJson() {}

  static String of(List<Event> events) {
    StringBuilder json = new StringBuilder("[");
    for (Event event : events) {
      json.append(json.length() == 1 ? "" : ",").append("{\"type\":");
      text(json, event.type());
      json.append(",\"key\":");
      text(json, event.partitionKey());
      json.append(",\"payload\":\"")
          .append(HexFormat.of().formatHex(event.payload().bytes()))
          .append("\"}");
    }
    return json.append("]").toString();
  }

  /** Control characters cannot occur: an event refuses them. */
  private static void text(StringBuilder json, String value) {
    json.append('"').append(value.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
  }
}
