-- The journal's tables. Payloads are LONGBLOB, so that they come back byte for byte. Ids are
-- compared byte for byte, trailing spaces included.
-- There is no foreign key anywhere: a lease is taken before its instance exists, a parent may be
-- in another journal, and an entry is only ever written under the lock of its instance's row.
CREATE TABLE {instance} (
  id              VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL PRIMARY KEY,
  flow            VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  state           VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                    CHECK (state IN ('PENDING', 'RUNNING', 'SUSPENDED', 'COMPENSATING',
                    'COMPLETED', 'FAILED', 'TIMED_OUT', 'COMPENSATION_FAILED')),
  fence           BIGINT NOT NULL CHECK (fence >= 1),
  next_sequence   BIGINT NOT NULL CHECK (next_sequence >= 1),
  input           LONGBLOB,
  snapshot        LONGBLOB,
  hint            INT,
  parent_instance VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
  parent_scope    VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin CHECK (parent_scope <> ''),
  parent_step     INT,
  parent_attempt  INT,
  created_at      BIGINT NOT NULL,
  touched_at      BIGINT NOT NULL,
  idle_since      BIGINT AS (CASE WHEN state IN ('PENDING', 'RUNNING', 'COMPENSATING')
                    THEN touched_at END) PERSISTENT,
  INDEX {index}_idle (idle_since)
) ENGINE = InnoDB;
CREATE TABLE {entry} (
  instance     VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  scope        VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL CHECK (scope <> ''),
  step         INT NOT NULL CHECK (step >= 0),
  attempt      INT NOT NULL CHECK (attempt >= 1),
  sequence     BIGINT NOT NULL,
  token        BIGINT NOT NULL,
  action       VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  outcome      VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                 CHECK (outcome IN ('SUCCESS', 'FAILURE', 'COMPENSATED')),
  result       LONGBLOB,
  captured     LONGBLOB,
  duration_ms  BIGINT NOT NULL CHECK (duration_ms >= 0),
  committed_at BIGINT NOT NULL,
  PRIMARY KEY (instance, scope, step, attempt),
  UNIQUE (instance, sequence)
) ENGINE = InnoDB;
CREATE TABLE {outbox} (
  position      BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  instance      VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  sequence      BIGINT NOT NULL,
  ordinal       INT NOT NULL,
  type          VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  partition_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  payload       LONGBLOB NOT NULL,
  published_at  BIGINT,
  INDEX {index}_pending (published_at, position),
  INDEX {index}_events (instance)
) ENGINE = InnoDB;
