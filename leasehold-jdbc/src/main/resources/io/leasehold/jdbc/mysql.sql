-- The lease table of Leasehold in MySQL 8 and MariaDB 10.11 and later. Instants are milliseconds
-- since the epoch. The _bin collation compares names byte by byte.
CREATE TABLE IF NOT EXISTS lease (
  name     VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
  token    BIGINT NOT NULL,
  owner    VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  attempt  VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  granted  BIGINT NOT NULL,
  renewed  BIGINT NOT NULL,
  expires  BIGINT NOT NULL,
  released BIGINT NOT NULL COMMENT '0, or the mark of the call that gave the lease back'
) ENGINE = InnoDB
