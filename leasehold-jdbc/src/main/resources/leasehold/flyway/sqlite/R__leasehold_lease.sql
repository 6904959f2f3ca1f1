-- Flyway: add classpath:leasehold/flyway/sqlite to your locations. Repeatable, so that it takes no
-- version number of yours; the same table as io/leasehold/jdbc/sqlite.sql.
CREATE TABLE IF NOT EXISTS lease (
  name     TEXT    NOT NULL COLLATE BINARY PRIMARY KEY,
  token    INTEGER NOT NULL,
  owner    TEXT    NOT NULL,
  attempt  TEXT    NOT NULL,
  granted  INTEGER NOT NULL,
  renewed  INTEGER NOT NULL,
  expires  INTEGER NOT NULL,
  released INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
