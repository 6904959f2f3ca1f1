package io.leasehold.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The name of the lease table, with its schema if it was given one. A name becomes part of a
 * statement's text, so it is taken apart here and anything that is not a name is refused.
 *
 * @param parts the schema, if any, and the table
 */
record TableName(List<Part> parts) {

  private static final Pattern PART =
      Pattern.compile(
          "(?<plain>[A-Za-z_][A-Za-z0-9_$]{0,62})|\"(?<quoted>(?:[^\"\\p{Cntrl}]|\"\"){1,63})\"");

  /**
   * One part of a name.
   *
   * @param text the part without its quotes
   * @param quoted whether it was quoted, so that its case counts
   */
  record Part(String text, boolean quoted) {
    private String sql(String quote) {
      return quoted ? quote + text.replace(quote, quote + quote) + quote : text;
    }
  }

  /**
   * Takes a name apart.
   *
   * @throws IllegalArgumentException if the text is not a table's name
   */
  static TableName parse(String text) {
    List<Part> parts = new ArrayList<>();
    Matcher matcher = PART.matcher(text);
    int at = 0;
    while (matcher.find(at) && matcher.start() == at) {
      String plain = matcher.group("plain");
      String quoted = matcher.group("quoted");
      parts.add(plain != null ? new Part(plain, false) : new Part(unescape(quoted), true));
      at = matcher.end();
      if (at == text.length() && parts.size() <= 2) {
        return new TableName(List.copyOf(parts));
      }
      if (at == text.length() || text.charAt(at) != '.') {
        break;
      }
      at++;
    }
    throw new IllegalArgumentException(
        "'"
            + text
            + "' is not a table name; give lease, schema.lease or, where case or other characters"
            + " count, \"Lease\"");
  }

  private static String unescape(String quoted) {
    return quoted.replace("\"\"", "\"");
  }

  Part table() {
    return parts.get(parts.size() - 1);
  }

  /** The name as a statement has it, quoted by this quote where it was quoted. */
  String sql(String quote) {
    return parts.stream().map(part -> part.sql(quote)).collect(Collectors.joining("."));
  }

  /** The name as it was given. */
  @Override
  public String toString() {
    return sql("\"");
  }
}
