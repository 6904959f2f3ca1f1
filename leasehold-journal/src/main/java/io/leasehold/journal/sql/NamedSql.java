package io.leasehold.journal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement whose parameters have names, so that one text may use a value twice and three
 * dialects are bound by one piece of code.
 *
 * @param text what is sent, with a question mark for every parameter
 * @param names the names in the order of the question marks
 */
record NamedSql(String text, List<String> names) {

  /** A colon and a name; not the two colons of a cast. */
  private static final Pattern NAME = Pattern.compile("(?<!:):([a-z][A-Za-z]*)");

  static NamedSql of(String template) {
    Matcher matcher = NAME.matcher(template);
    List<String> names = new ArrayList<>();
    String text =
        matcher.replaceAll(
            (MatchResult found) -> {
              names.add(found.group(1));
              return "?";
            });
    return new NamedSql(text, List.copyOf(names));
  }

  /** Binds all parameters once, or once for each of several repetitions of the same text. */
  void bind(PreparedStatement statement, List<Values> repetitions) throws SQLException {
    int index = 1;
    for (Values values : repetitions) {
      for (String name : names) {
        values.bind(statement, index, name);
        index++;
      }
    }
  }

  void bind(PreparedStatement statement, Values values) throws SQLException {
    bind(statement, List.of(values));
  }
}
