package io.leasehold.jdbc;

import io.leasehold.spi.Finding;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.sqlite.JDBC;
import org.sqlite.SQLiteJDBCLoader;

/** Looks at a SQLite file for an operator, without making it or changing it. */
final class SqliteExamination {

  private final Path file;
  private final List<Finding> findings = new ArrayList<>();

  SqliteExamination(Path file) {
    this.file = file.toAbsolutePath();
  }

  List<Finding> findings() {
    findings.add(
        Finding.ok("server", "none: SQLite " + SQLiteJDBCLoader.getVersion() + " in " + file));
    findings.add(
        Finding.warn(
            "scope",
            "the processes of this host; the file must not be on a network file system",
            "for replicas on several hosts use a server"));
    findings.add(Finding.ok("clock", "this host's clock decides, the same for all its processes"));
    findings.add(Finding.ok("persistence", "every grant is on the disk before it is answered"));
    if (Files.exists(file)) {
      existing();
    } else {
      missing();
    }
    findings.add(Finding.ok("names", "byte for byte, 1 to 255 bytes of UTF-8"));
    findings.add(Finding.ok("signals", "on: processes are told of a release within some 50 ms"));
    return List.copyOf(findings);
  }

  private void existing() {
    Path directory = file.getParent();
    if (!Files.isWritable(file) || (directory != null && !Files.isWritable(directory))) {
      findings.add(
          Finding.fail(
              "rights",
              "this user may not write the file or the files beside it",
              "give the file and its directory to the user that the processes run as"));
    } else {
      findings.add(Finding.ok("rights", "may write the file and the files beside it"));
    }
    Properties readOnly = new Properties();
    readOnly.setProperty("open_mode", "1");
    Dialect dialect = new SqliteDialect(TableName.parse(JdbcLeaseStore.Builder.DEFAULT_TABLE));
    try (Connection connection = JDBC.createConnection(JDBC.PREFIX + file, readOnly)) {
      if (isEmpty(connection)) {
        findings.add(Finding.ok("schema", "the table is created when the store is opened"));
        return;
      }
      dialect.check(connection);
      findings.add(Finding.ok("schema", "the table " + dialect.table() + " is fit"));
    } catch (UnfitTableException e) {
      findings.add(Finding.fail("schema", String.valueOf(e.getMessage()), "use another file"));
    } catch (SQLException e) {
      findings.add(
          Finding.fail(
              "schema",
              "the file cannot be read as a SQLite database (error " + e.getErrorCode() + ")",
              "name a file of Leasehold's own"));
    }
  }

  /** No lease table yet: the store creates it, whatever else is in the file. */
  private static boolean isEmpty(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery(
                "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'lease'"
                    + " COLLATE NOCASE")) {
      return found.next() && found.getInt(1) == 0;
    }
  }

  private void missing() {
    Path directory = file.getParent();
    while (directory != null && !Files.exists(directory)) {
      directory = directory.getParent();
    }
    findings.add(
        directory != null && Files.isWritable(directory)
            ? Finding.ok("schema", "the file is created when the store is opened")
            : Finding.fail(
                "schema",
                "the file does not exist and this user may not create it",
                "create the directory for the user that the processes run as"));
  }
}
