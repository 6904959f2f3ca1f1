-- The index on the time alone is superseded by the one on time and id.
ALTER TABLE {instance} DROP INDEX IF EXISTS {index}_idle;
