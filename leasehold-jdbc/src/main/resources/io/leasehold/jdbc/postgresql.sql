-- The lease table of Leasehold in PostgreSQL 14 and later. Instants are milliseconds since the epoch.
-- The fill factor leaves room for renewals to stay on their page (no column but name is indexed).
CREATE TABLE IF NOT EXISTS lease (
  name     text COLLATE "C" PRIMARY KEY,
  token    bigint  NOT NULL,
  owner    text    NOT NULL,
  attempt  text    NOT NULL,
  granted  bigint  NOT NULL,
  renewed  bigint  NOT NULL,
  expires  bigint  NOT NULL,
  released boolean NOT NULL
) WITH (fillfactor = 50)
