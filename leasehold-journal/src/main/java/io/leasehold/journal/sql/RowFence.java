package io.leasehold.journal.sql;

import io.leasehold.FencingToken;
import io.leasehold.journal.FencedOutException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.NoSuchElementException;
import java.util.regex.Pattern;

/**
 * Fences a row of the caller's own table by a column of that row; no trigger and no other table.
 * The column is a {@code BIGINT NOT NULL DEFAULT 0}.
 *
 * <p>A caller who updates the row anyway may put the same condition into that statement: {@code
 * UPDATE orders SET status = ?, fence = ? WHERE id = ? AND fence <= ?}, and give the number of rows
 * to {@link #confirm}. That is one statement for both.
 *
 * <pre>{@code
 * RowFence orders = RowFence.of("orders", "id", "fence");
 * orders.admit(connection, 42L, lease.token());
 * }</pre>
 *
 * <p>Immutable and thread-safe.
 */
public final class RowFence {

  private static final Pattern LEGAL = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}");

  private final String table;

  /* The condition and the change are one statement; it keeps the row locked until the transaction ends. */
  private final String raise;

  private final String look;

  private RowFence(String table, String key, String fence) {
    this.table = table;
    this.raise =
        "UPDATE {table} SET {fence} = ? WHERE {key} = ? AND {fence} <= ?"
            .replace("{table}", table)
            .replace("{key}", key)
            .replace("{fence}", fence);
    this.look =
        "SELECT {fence} FROM {table} WHERE {key} = ?"
            .replace("{table}", table)
            .replace("{key}", key)
            .replace("{fence}", fence);
  }

  /**
   * The fence of a table's rows.
   *
   * @param table the table, with a schema before it if need be
   * @param key the column that tells rows apart
   * @param fence the column that keeps the highest token admitted
   * @return the fence
   * @throws IllegalArgumentException if a name has anything but letters, digits and underscores
   */
  public static RowFence of(String table, String key, String fence) {
    int dot = table.indexOf('.');
    if (dot >= 0) {
      legal("schema", table.substring(0, dot));
    }
    legal("table", table.substring(dot + 1));
    legal("key column", key);
    legal("fence column", fence);
    return new RowFence(table, key, fence);
  }

  /**
   * Admits a token for a row, or refuses it; an equal token is admitted.
   *
   * @param connection the caller's, with a transaction open
   * @param key the row's key
   * @param token the writer's token
   * @throws FencedOutException if a higher token was admitted; roll back
   * @throws NoSuchElementException if there is no such row
   * @throws IllegalStateException if the connection commits by itself
   * @throws SQLException if the database gave no answer; roll back
   */
  public void admit(Connection connection, Object key, FencingToken token) throws SQLException {
    FencedResources.transaction(connection);
    try (PreparedStatement statement = connection.prepareStatement(raise)) {
      statement.setLong(1, token.value());
      statement.setObject(2, key);
      statement.setLong(3, token.value());
      confirm(connection, statement.executeUpdate(), key, token);
    }
  }

  /**
   * Says what the number of rows means that a caller's own fenced update changed.
   *
   * @param connection the caller's, in the same transaction
   * @param updated the number of rows
   * @param key the row's key
   * @param token the writer's token
   * @throws FencedOutException if none was changed because a higher token was admitted; roll back
   * @throws NoSuchElementException if there is no such row
   * @throws SQLException if the database gave no answer; roll back
   */
  public void confirm(Connection connection, int updated, Object key, FencingToken token)
      throws SQLException {
    if (updated > 0) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(look)) {
      statement.setObject(1, key);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw new NoSuchElementException("there is no row " + key + " in " + table);
        }
        long fence = row.getLong(1);
        // A driver may be told to count only rows that changed; then an equal fence counts none.
        if (fence != token.value()) {
          throw new FencedOutException(table + " " + key, token, new FencingToken(fence));
        }
      }
    }
  }

  private static void legal(String what, String name) {
    if (!LEGAL.matcher(name).matches()) {
      throw new IllegalArgumentException(
          what + " '" + name + "' is not legal; letters, digits and underscores, at most 63");
    }
  }
}
