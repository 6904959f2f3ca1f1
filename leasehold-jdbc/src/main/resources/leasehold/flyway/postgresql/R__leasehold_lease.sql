-- Flyway: add classpath:leasehold/flyway/postgresql to your locations. Repeatable, so that it takes no
-- version number of yours; the same table as io/leasehold/jdbc/postgresql.sql.
CREATE TABLE IF NOT EXISTS lease (
  name     text COLLATE "C" PRIMARY KEY,
  token    bigint  NOT NULL,
  owner    text    NOT NULL,
  attempt  text    NOT NULL,
  granted  bigint  NOT NULL,
  renewed  bigint  NOT NULL,
  expires  bigint  NOT NULL,
  released boolean NOT NULL
) WITH (fillfactor = 50);
