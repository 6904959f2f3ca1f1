package io.leasehold.journal.sql;

import java.util.regex.Pattern;

/**
 * What the journal's tables are called: {@code journal} gives {@code journal_instance}, {@code
 * journal_entry}, {@code journal_outbox} and {@code journal_version}; {@code ops.journal} has them
 * in the schema {@code ops}.
 *
 * <p>Immutable and thread-safe.
 *
 * @param prefix what the names start with, with a schema before it if need be; letters, digits and
 *     underscores only, at most 40 characters a part
 */
public record JournalTables(String prefix) {

  /** Before the default, which is checked against it. */
  private static final Pattern LEGAL =
      Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,39}\\.)?[A-Za-z_][A-Za-z0-9_]{0,39}");

  /** The default: {@code journal}. */
  public static final JournalTables DEFAULT = new JournalTables("journal");

  /**
   * Checks the prefix.
   *
   * @throws IllegalArgumentException if it is not legal; nothing was sent
   */
  public JournalTables {
    if (!LEGAL.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "table prefix '"
              + prefix
              + "' is not legal; such as journal or ops.journal:"
              + " letters, digits and underscores, at most 40 a part");
    }
  }

  /** A statement with the names put in for <code>{instance}</code> and the others. */
  String fill(String sql) {
    int dot = prefix.indexOf('.');
    return sql.replace("{instance}", prefix + "_instance")
        .replace("{entry}", prefix + "_entry")
        .replace("{outbox}", prefix + "_outbox")
        .replace("{version}", prefix + "_version")
        // An index is created by its bare name and dropped by its full one.
        .replace("{index}", prefix.substring(dot + 1))
        .replace("{dropped}", prefix);
  }

  /** The prefix. */
  @Override
  public String toString() {
    return prefix;
  }
}
