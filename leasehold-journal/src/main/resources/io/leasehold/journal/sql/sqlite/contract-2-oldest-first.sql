-- The index on the time alone is superseded by the one on time and id.
DROP INDEX {dropped}_idle;
