package io.leasehold.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;

/**
 * MySQL 8 and MariaDB.
 *
 * <p>Neither returns what an {@code UPDATE} did, so an operation is a change and then a look at the
 * records. The change alone decides; the look tells.
 *
 * <p><b>MariaDB</b> runs both, in a transaction, as one compound statement: one round trip,
 * whatever the pool has set (auto-commit, read-only, isolation).
 *
 * <p><b>MySQL</b> has no compound statement outside a stored procedure: two statements, two round
 * trips, each committed by itself. Something may happen between the two:
 *
 * <ul>
 *   <li>Time passes. The look after an acquire goes by the instant of the change, which {@code
 *       LAST_INSERT_ID} carries over, so a grant is told even if it has expired by then.
 *   <li>A name that was released is taken. So a release is told by the count of changed records,
 *       and only if that is short of the names asked for does it look. Which of many it released it
 *       cannot tell then, so a release of many is one transaction: what it freed stays locked until
 *       it has looked.
 *   <li>What was acquired or renewed is released by force. Then the answer says so, and is true.
 * </ul>
 *
 * <p>The clock is {@code UTC_TIMESTAMP}, counted from the epoch as a plain difference of two
 * datetimes: no conversion that a session's time zone could enter.
 */
final class MysqlDialect extends Dialect {

  private static final String ASKED =
      """
      JSON_TABLE({json}, '$[*]' COLUMNS (
        name VARCHAR(255) CHARACTER SET utf8mb4 PATH '$.name',
        owner VARCHAR(255) CHARACTER SET utf8mb4 PATH '$.owner',
        attempt VARCHAR(64) CHARACTER SET utf8mb4 PATH '$.attempt',
        token BIGINT PATH '$.token',
        ttl BIGINT PATH '$.ttl',
        linger BIGINT PATH '$.linger',
        mark BIGINT PATH '$.mark')) AS a""";

  private static final String PART =
      """
      JSON_TABLE({json}, '$[*]' COLUMNS (
        lower_name VARCHAR(255) CHARACTER SET utf8mb4 PATH '$.after',
        from_name VARCHAR(255) CHARACTER SET utf8mb4 PATH '$.from',
        to_name VARCHAR(512) CHARACTER SET utf8mb4 PATH '$.to',
        ended_for BIGINT PATH '$.endedFor')) AS p""";

  private static final String COLUMNS =
      "l.name, l.token, l.owner, l.attempt, l.granted, l.renewed, l.expires, l.released <> 0";

  private static final String CLOCK =
      "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))";

  private static final String OURS_LIVE =
      "l.token = a.token AND l.attempt = a.attempt AND l.expires > {ms} AND l.released = 0";

  private final boolean mariadb;
  private final Duration timeout;
  private volatile boolean readOnly;

  MysqlDialect(TableName table, Duration timeout, boolean mariadb) {
    super(table, "`");
    this.mariadb = mariadb;
    this.timeout = timeout;

    // On a duplicate key the assignments are made from left to right, each seeing the ones before
    // (or all at once, under a mode of MariaDB's: both give the same here). "Free" reads expires
    // and
    // attempt, so they come last; and once attempt is ours, a record that was just taken is known
    // by
    // its grant at this instant: an older grant of ours cannot have expired within the millisecond
    // in which it was made.
    script(
        Operation.ACQUIRE,
        """
        INSERT INTO {table} (name, token, owner, attempt, granted, renewed, expires, released)
        SELECT a.name, {us-kept}, a.owner, a.attempt, {ms}, {ms}, {ms} + a.ttl, 0
        FROM {asked}
        ORDER BY a.name
        ON DUPLICATE KEY UPDATE
          token = IF({free}, {table}.token + 1, {table}.token),
          owner = IF({free}, VALUES(owner), {table}.owner),
          granted = IF({free}, VALUES(granted), {table}.granted),
          renewed = IF({free}, VALUES(renewed), {table}.renewed),
          released = IF({free}, 0, {table}.released),
          attempt = IF({free}, VALUES(attempt), {table}.attempt),
          expires = IF(
            ({free}) OR
            {table}.expires <= VALUES(granted) AND {table}.granted = VALUES(granted)
              AND {table}.released = 0 AND {table}.attempt = VALUES(attempt),
            VALUES(expires), {table}.expires)
        """,
        look("0").replace("{us}", "{kept-us}").replace("{ms}", "{kept-us} DIV 1000"));

    script(
        Operation.RENEW,
        """
        UPDATE {asked} STRAIGHT_JOIN {table} AS l ON l.name = a.name
        SET l.expires = GREATEST(l.expires, {ms} + a.ttl), l.renewed = {ms}
        WHERE {ours-live}
        """,
        // Ours and still live after the update: then the update found it so and extended it.
        look("{ours-live}"));

    // Without a linger the name is free at once, even if the clock has stepped back behind the
    // grant.
    script(
        Operation.RELEASE,
        """
        UPDATE {asked} STRAIGHT_JOIN {table} AS l ON l.name = a.name
        SET l.expires = IF(a.linger = 0, {ms}, GREATEST({ms}, l.granted + a.linger)),
            l.released = a.mark
        WHERE {ours-live}
        """,
        look("l.token = a.token AND l.attempt = a.attempt AND l.released = a.mark"));

    script(
        Operation.ABANDON,
        """
        UPDATE {asked} STRAIGHT_JOIN {table} AS l ON l.name = a.name
        SET l.expires = {ms}, l.released = a.mark
        WHERE l.attempt = a.attempt AND l.expires > {ms} AND l.released = 0
        """,
        look("l.attempt = a.attempt AND l.released = a.mark"));

    script(Operation.READ, look("0"));

    script(
        Operation.INSPECT,
        """
        SELECT {columns}, {ms}, 0
        FROM {part} STRAIGHT_JOIN {table} AS l
          ON l.name > p.lower_name AND l.name >= p.from_name AND l.name <= p.to_name
        ORDER BY l.name
        LIMIT {limit}
        """);

    script(
        Operation.STRIDE,
        """
        SELECT {columns}, {ms}, 0
        FROM {part} STRAIGHT_JOIN {table} AS l ON l.name > p.lower_name
        ORDER BY l.name
        LIMIT 1 OFFSET {stride}
        """);

    script(
        Operation.RECLAIM,
        """
        DELETE l
        FROM {part} STRAIGHT_JOIN {table} AS l ON l.name > p.lower_name AND l.name <= p.to_name
        WHERE l.expires <= {ms} - p.ended_for AND l.token < {us}
        """);
  }

  private static String look(String changed) {
    return """
    SELECT {columns}, {ms}, {changed}
    FROM {asked} STRAIGHT_JOIN {table} AS l ON l.name = a.name
    """
        .replace("{changed}", changed);
  }

  private void script(Operation operation, String... statements) {
    boolean counted = operation == Operation.RELEASE || operation == Operation.ABANDON;
    Step[] steps =
        mariadb
            ? new Step[] {new Step(block(statements), changes(statements[0]))}
            : Arrays.stream(statements)
                .map(sql -> new Step(fill(sql, "?", CLOCK), changes(sql), changes(sql) && counted))
                .toArray(Step[]::new);
    script(operation, steps);
  }

  private static boolean changes(String sql) {
    return !sql.startsWith("SELECT");
  }

  /**
   * All statements of an operation as one. A transaction that is open already is somebody's, and is
   * left alone; any failure takes ours back whole.
   */
  private String block(String... statements) {
    StringBuilder body = new StringBuilder();
    for (String sql : statements) {
      String text = fill(sql, "leasehold_asked", "leasehold_us").strip();
      body.append(text).append(";\n");
      if (sql.startsWith("DELETE")) {
        body.append("    SELECT ROW_COUNT();\n");
      }
    }
    return """
    SET STATEMENT max_statement_time = {seconds} FOR
    BEGIN NOT ATOMIC
      IF @@in_transaction THEN
        SIGNAL SQLSTATE '25001' SET MESSAGE_TEXT = '{message}';
      END IF;
      BEGIN
        DECLARE leasehold_asked LONGTEXT CHARACTER SET utf8mb4 DEFAULT ?;
        DECLARE leasehold_us BIGINT DEFAULT {clock};
        DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        START TRANSACTION READ WRITE;
    {body}    COMMIT;
      END;
    END"""
        .replace("{body}", body)
        .replace("{message}", INSIDE_TRANSACTION)
        .replace("{clock}", CLOCK)
        .replace("{seconds}", String.valueOf(serverMillis(timeout) / 1_000.0));
  }

  private String fill(String sql, String json, String us) {
    return sql.replace("{asked}", ASKED)
        .replace("{part}", PART)
        .replace("{json}", json)
        .replace("{columns}", COLUMNS)
        .replace(
            "{free}", "{table}.expires <= VALUES(granted) AND {table}.attempt <> VALUES(attempt)")
        .replace("{ours-live}", OURS_LIVE)
        .replace("{stride}", Integer.toString(STRIDE - 1))
        .replace("{us-kept}", mariadb ? us : "LAST_INSERT_ID(" + us + ")")
        .replace("{kept-us}", mariadb ? us : "LAST_INSERT_ID()")
        .replace("{us}", us)
        .replace("{ms}", us + " DIV 1000")
        .replace("{table}", tableSql());
  }

  @Override
  String product() {
    return mariadb ? "MariaDB" : "MySQL";
  }

  @Override
  boolean wantsAutoCommit() {
    return false;
  }

  @Override
  boolean wantsTransaction(Operation operation, int names) {
    return !mariadb && operation == Operation.RELEASE && names > 1;
  }

  @Override
  boolean commitsItself() {
    return mariadb;
  }

  @Override
  boolean wantsWritable() {
    return readOnly && !mariadb;
  }

  @Override
  void check(Connection connection) throws SQLException {
    readOnly = connection.isReadOnly();
    try (PreparedStatement statement = connection.prepareStatement(NAME_COLUMN)) {
      boolean qualified = table().parts().size() == 2;
      statement.setString(1, qualified ? table().parts().get(0).text() : connection.getCatalog());
      statement.setString(2, table().table().text());
      try (ResultSet column = statement.executeQuery()) {
        if (!column.next()) {
          throw new UnfitTableException(missingTable(SchemaFile.MYSQL.path()));
        }
        String collation = column.getString(2);
        boolean exact =
            collation == null
                ? column.getString(1).equalsIgnoreCase("varbinary")
                : collation.endsWith("_bin");
        if (!exact) {
          throw new UnfitTableException(
              foldingTable(
                  collation == null
                      ? "the type " + column.getString(1)
                      : "the collation " + collation,
                  "name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"));
        }
      }
    }
  }

  private static final String NAME_COLUMN =
      """
      SELECT DATA_TYPE, COLLATION_NAME
      FROM information_schema.COLUMNS
      WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND COLUMN_NAME = 'name'
      """;

  @Override
  void createTable(Connection connection) throws SQLException {
    try {
      check(connection);
    } catch (UnfitTableException missing) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(SchemaFile.MYSQL.sql(tableSql()));
      }
    }
  }

  /** MariaDB's deadline is in the block. */
  @Override
  void tune(PreparedStatement statement) throws SQLException {
    if (!mariadb) {
      statement.setQueryTimeout((int) Math.max(1, serverMillis(timeout) / 1_000));
    }
  }

  /**
   * The deadline is an interruption, which no handler of the block sees; on MySQL, with auto-commit
   * off, every failure leaves its transaction open. A transaction that we were refused to enter is
   * not ours to end.
   */
  @Override
  void recover(Connection connection, SQLException error) throws SQLException {
    if (!"25001".equals(error.getSQLState())) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("ROLLBACK");
      }
    }
  }

  /**
   * A numbered error is the server's and means that the statement was taken back, except where the
   * session itself was ended.
   */
  @Override
  Verdict verdict(SQLException error) {
    String state = error.getSQLState();
    if (state == null || state.startsWith("08")) {
      return Verdict.UNKNOWN;
    }
    return switch (error.getErrorCode()) {
      // deadlock (also a cluster's conflict), lock wait timeout, row changed since it was read
      case 1213, 1205, 1020 -> Verdict.AGAIN;
      // shutdown, network, interrupted, killed, out of time, no error of the server's at all
      case 0,
          1053,
          1077,
          1079,
          1152,
          1158,
          1159,
          1160,
          1161,
          1184,
          1317,
          1927,
          1969,
          2006,
          2013,
          4031 ->
          Verdict.UNKNOWN;
      default -> Verdict.NOT_APPLIED;
    };
  }
}
