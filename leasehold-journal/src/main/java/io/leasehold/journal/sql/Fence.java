package io.leasehold.journal.sql;

import io.leasehold.FencingToken;
import io.leasehold.journal.FencedOutException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Fences what an application writes in its own transactions: one statement admits the lease's token
 * for a resource, or throws, so that the transaction rolls back.
 *
 * <p>The fence of each resource is a row of one small table. Admission locks that row until the
 * caller's transaction ends, so of two transactions with tokens 7 and 8, in whatever order they
 * commit, 7 never commits after 8 was admitted: it is refused, or 8 waits until 7 has ended.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * Fence.admit(connection, "ledger/42", lease.token());
 * // ... the caller's own statements ...
 * connection.commit();
 * }</pre>
 *
 * <p>PostgreSQL, MariaDB 10.5 or later, SQLite 3.35 or later. Immutable and thread-safe.
 */
public final class Fence {

  /** The name of the table, unless another is given: {@code leasehold_fence}. */
  public static final String DEFAULT_TABLE = "leasehold_fence";

  private static final Pattern LEGAL =
      Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,62}");

  private static final Fence DEFAULT = new Fence(DEFAULT_TABLE);

  /*
   * One statement: it inserts the row or locks it and then decides. A token below the fence leaves
   * the fence as it is, and the caller sees that from what comes back.
   */
  private static final String ADMIT =
      """
      INSERT INTO {table} AS f (resource, token) VALUES (?, ?)
      ON CONFLICT (resource) DO UPDATE
      SET token = CASE WHEN f.token < excluded.token THEN excluded.token ELSE f.token END
      RETURNING token
      """;

  private static final String ADMIT_MARIADB =
      """
      INSERT INTO {table} (resource, token) VALUES (?, ?)
      ON DUPLICATE KEY UPDATE token = GREATEST(token, VALUES(token))
      RETURNING token
      """;

  private final String table;

  private Fence(String table) {
    if (!LEGAL.matcher(table).matches()) {
      throw new IllegalArgumentException(
          "fence table '" + table + "' is not legal; such as leasehold_fence or ops.fence");
    }
    this.table = table;
  }

  /**
   * Fences in a table of this name.
   *
   * @param table letters, digits and underscores, with a schema before it if need be
   * @return the fence
   * @throws IllegalArgumentException if the name is not legal
   */
  public static Fence in(String table) {
    return new Fence(table);
  }

  /**
   * Admits a token in the table {@value #DEFAULT_TABLE}, or refuses it.
   *
   * @param connection the caller's, with a transaction open
   * @param resource what is written to; 1 to 255 bytes of UTF-8
   * @param token the writer's token
   * @throws FencedOutException if a higher token was admitted; roll back
   * @throws IllegalStateException if the connection commits by itself
   * @throws SQLException if the database gave no answer; roll back
   */
  public static void admit(Connection connection, String resource, FencingToken token)
      throws SQLException {
    DEFAULT.admitted(connection, resource, token);
  }

  /**
   * Admits a token, or refuses it; an equal token is admitted.
   *
   * @param connection the caller's, with a transaction open
   * @param resource what is written to; 1 to 255 bytes of UTF-8
   * @param token the writer's token
   * @throws FencedOutException if a higher token was admitted; roll back
   * @throws IllegalStateException if the connection commits by itself
   * @throws SQLException if the database gave no answer; roll back
   */
  public void admitted(Connection connection, String resource, FencingToken token)
      throws SQLException {
    FencedResources.check(connection, resource);
    String sql = isMariaDb(connection) ? ADMIT_MARIADB : ADMIT;
    try (PreparedStatement statement = connection.prepareStatement(sql.replace("{table}", table))) {
      statement.setString(1, resource);
      statement.setLong(2, token.value());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        FencingToken fence = new FencingToken(row.getLong(1));
        if (fence.supersedes(token)) {
          throw new FencedOutException(resource, token, fence);
        }
      }
    }
  }

  /**
   * Creates the table, for development; in production the same statement belongs to the
   * application's own migrations.
   *
   * @param connection any connection
   * @throws SQLException if the database refuses
   */
  public void createTableIfMissing(Connection connection) throws SQLException {
    String resource =
        switch (product(connection)) {
          case "mariadb" ->
              "VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL PRIMARY KEY";
          case "postgresql" -> "text COLLATE \"C\" PRIMARY KEY";
          default -> "TEXT NOT NULL PRIMARY KEY";
        };
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE IF NOT EXISTS "
              + table
              + " (resource "
              + resource
              + ", token BIGINT NOT NULL)");
    }
  }

  private static boolean isMariaDb(Connection connection) throws SQLException {
    return product(connection).equals("mariadb");
  }

  private static String product(Connection connection) throws SQLException {
    return connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
  }
}
