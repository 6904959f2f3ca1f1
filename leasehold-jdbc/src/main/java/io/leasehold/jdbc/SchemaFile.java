package io.leasehold.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The shipped definitions of the lease table: one file per database, for people and programs. */
enum SchemaFile {
  SQLITE("sqlite.sql"),
  POSTGRESQL("postgresql.sql"),
  MYSQL("mysql.sql");

  private final String path;

  SchemaFile(String path) {
    this.path = path;
  }

  String path() {
    return path;
  }

  /** The statement that creates the table under this name. */
  String sql(String table) {
    try (InputStream file = SchemaFile.class.getResourceAsStream(path)) {
      if (file == null) {
        throw new IllegalStateException("the resource " + path + " is missing from this jar");
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8)
          .replaceAll("(?m)^--.*\\R", "")
          .replaceFirst(
              "(?<=CREATE TABLE IF NOT EXISTS )lease\\b",
              java.util.regex.Matcher.quoteReplacement(table))
          .trim();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
