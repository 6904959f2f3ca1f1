package io.leasehold.jdbc;

import io.leasehold.LeaseName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Notices releases by any process that shares the file. SQLite tells nobody of a change, but says
 * cheaply whether there was one: {@code data_version} is in memory that the processes share. So the
 * watch asks every {@value #POLL_MILLIS} ms, and reads records only after a change.
 */
final class SqliteWatcher extends Signals {

  static final long POLL_MILLIS = 40;

  private static final String RELEASED =
      """
      SELECT l.name, l.token || ' ' || l.attempt
      FROM json_each(?) AS a CROSS JOIN {table} AS l
      WHERE l.name = a.value ->> 'name' AND l.released <> 0
        AND l.expires <= CAST(round(unixepoch('subsec') * 1000) AS INTEGER)
      """;

  private final SqliteFile file;
  private final String released;

  SqliteWatcher(SqliteFile file, Dialect dialect) {
    super("leasehold-sqlite-watcher");
    this.file = file;
    this.released = RELEASED.replace("{table}", dialect.tableSql());
  }

  @Override
  void watch() throws SQLException, InterruptedException {
    try (Connection connection = file.open();
        PreparedStatement version = connection.prepareStatement("PRAGMA data_version");
        PreparedStatement find = connection.prepareStatement(released)) {
      long seen = -1;
      Map<String, String> told = new HashMap<>();
      Set<LeaseName> watched = Set.of();
      while (isWanted()) {
        // The version first: a change between the two is seen again by the next round.
        long now = number(version);
        if (now != seen || !watched.equals(names())) {
          seen = now;
          watched = new HashSet<>(names());
          tellReleased(find, watched, told);
        }
        sleep(POLL_MILLIS);
      }
    }
  }

  /** Tells of every grant that was given back, once per grant. */
  private void tellReleased(
      PreparedStatement find, Set<LeaseName> watched, Map<String, String> told)
      throws SQLException {
    Map<String, String> found = new HashMap<>();
    List<String> asked =
        watched.stream().map(name -> new JsonText().with("name", name.value()).toString()).toList();
    find.setString(1, JsonText.array(asked));
    try (ResultSet rows = find.executeQuery()) {
      while (rows.next()) {
        found.put(rows.getString(1), rows.getString(2));
      }
    }
    found.forEach(
        (name, grant) -> {
          if (!grant.equals(told.get(name))) {
            tell(new LeaseName(name));
          }
        });
    told.clear();
    told.putAll(found);
  }

  private static long number(PreparedStatement query) throws SQLException {
    try (ResultSet rows = query.executeQuery()) {
      return rows.next() ? rows.getLong(1) : -1;
    }
  }

  @Override
  void interruptWatch(Thread watching) {
    watching.interrupt();
  }
}
