-- The journal's tables. Payloads are bytea, so that they come back byte for byte; jsonb would not.
-- There is no foreign key anywhere: a lease is taken before its instance exists, a parent may be
-- in another journal, and an entry is only ever written under the lock of its instance's row.
CREATE TABLE {instance} (
  id              text COLLATE "C" PRIMARY KEY,
  flow            text COLLATE "C" NOT NULL,
  state           text NOT NULL CHECK (state IN ('PENDING', 'RUNNING', 'SUSPENDED', 'COMPENSATING',
                    'COMPLETED', 'FAILED', 'TIMED_OUT', 'COMPENSATION_FAILED')),
  fence           bigint NOT NULL CHECK (fence >= 1),
  next_sequence   bigint NOT NULL CHECK (next_sequence >= 1),
  input           bytea,
  snapshot        bytea,
  hint            integer,
  parent_instance text COLLATE "C",
  parent_scope    text COLLATE "C" CHECK (parent_scope <> ''),
  parent_step     integer,
  parent_attempt  integer,
  created_at      bigint NOT NULL,
  touched_at      bigint NOT NULL
) WITH (fillfactor = 80);
CREATE TABLE {entry} (
  instance     text COLLATE "C" NOT NULL,
  scope        text COLLATE "C" NOT NULL CHECK (scope <> ''),
  step         integer NOT NULL CHECK (step >= 0),
  attempt      integer NOT NULL CHECK (attempt >= 1),
  sequence     bigint NOT NULL,
  token        bigint NOT NULL,
  action       text NOT NULL,
  outcome      text NOT NULL CHECK (outcome IN ('SUCCESS', 'FAILURE', 'COMPENSATED')),
  result       bytea,
  captured     bytea,
  duration_ms  bigint NOT NULL CHECK (duration_ms >= 0),
  committed_at bigint NOT NULL,
  PRIMARY KEY (instance, scope, step, attempt),
  UNIQUE (instance, sequence)
);
CREATE TABLE {outbox} (
  position      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  instance      text COLLATE "C" NOT NULL,
  sequence      bigint NOT NULL,
  ordinal       integer NOT NULL,
  type          text NOT NULL,
  partition_key text COLLATE "C" NOT NULL,
  payload       bytea NOT NULL,
  published_at  bigint
);
CREATE INDEX {index}_pending ON {outbox} (position) WHERE published_at IS NULL;
CREATE INDEX {index}_events ON {outbox} (instance);
CREATE INDEX {index}_idle ON {instance} (touched_at)
  WHERE state IN ('PENDING', 'RUNNING', 'COMPENSATING');
