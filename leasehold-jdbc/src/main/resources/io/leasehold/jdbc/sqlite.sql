-- The lease table of Leasehold in SQLite. Instants are milliseconds since the epoch.
-- Deleting a row by hand is safe once its lease has ended: a new record starts above every old token.
CREATE TABLE IF NOT EXISTS lease (
  name     TEXT    NOT NULL COLLATE BINARY PRIMARY KEY,
  token    INTEGER NOT NULL,
  owner    TEXT    NOT NULL,
  attempt  TEXT    NOT NULL,
  granted  INTEGER NOT NULL,
  renewed  INTEGER NOT NULL,
  expires  INTEGER NOT NULL,
  released INTEGER NOT NULL
) STRICT, WITHOUT ROWID
