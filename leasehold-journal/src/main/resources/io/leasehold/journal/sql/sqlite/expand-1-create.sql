-- The journal's tables. Payloads are BLOB, so that they come back byte for byte.
-- There is no foreign key anywhere: a lease is taken before its instance exists, a parent may be
-- in another journal, and an entry is only ever written under the lock of the file.
CREATE TABLE {instance} (
  id              TEXT NOT NULL COLLATE BINARY PRIMARY KEY,
  flow            TEXT NOT NULL COLLATE BINARY,
  state           TEXT NOT NULL CHECK (state IN ('PENDING', 'RUNNING', 'SUSPENDED', 'COMPENSATING',
                    'COMPLETED', 'FAILED', 'TIMED_OUT', 'COMPENSATION_FAILED')),
  fence           INTEGER NOT NULL CHECK (fence >= 1),
  next_sequence   INTEGER NOT NULL CHECK (next_sequence >= 1),
  input           BLOB,
  snapshot        BLOB,
  hint            INTEGER,
  parent_instance TEXT,
  parent_scope    TEXT CHECK (parent_scope <> ''),
  parent_step     INTEGER,
  parent_attempt  INTEGER,
  created_at      INTEGER NOT NULL,
  touched_at      INTEGER NOT NULL
);
CREATE TABLE {entry} (
  instance     TEXT NOT NULL COLLATE BINARY,
  scope        TEXT NOT NULL CHECK (scope <> ''),
  step         INTEGER NOT NULL CHECK (step >= 0),
  attempt      INTEGER NOT NULL CHECK (attempt >= 1),
  sequence     INTEGER NOT NULL,
  token        INTEGER NOT NULL,
  action       TEXT NOT NULL,
  outcome      TEXT NOT NULL CHECK (outcome IN ('SUCCESS', 'FAILURE', 'COMPENSATED')),
  result       BLOB,
  captured     BLOB,
  duration_ms  INTEGER NOT NULL CHECK (duration_ms >= 0),
  committed_at INTEGER NOT NULL,
  PRIMARY KEY (instance, scope, step, attempt),
  UNIQUE (instance, sequence)
) WITHOUT ROWID;
CREATE TABLE {outbox} (
  position      INTEGER PRIMARY KEY AUTOINCREMENT,
  instance      TEXT NOT NULL COLLATE BINARY,
  sequence      INTEGER NOT NULL,
  ordinal       INTEGER NOT NULL,
  type          TEXT NOT NULL,
  partition_key TEXT NOT NULL,
  payload       BLOB NOT NULL,
  published_at  INTEGER
);
CREATE INDEX {index}_pending ON {outbox} (position) WHERE published_at IS NULL;
CREATE INDEX {index}_events ON {outbox} (instance);
CREATE INDEX {index}_idle ON {instance} (touched_at)
  WHERE state IN ('PENDING', 'RUNNING', 'COMPENSATING');
