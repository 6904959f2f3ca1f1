-- Pages of unfinished instances in the order of the index, and ended ones for retention.
ALTER TABLE {instance}
  ADD COLUMN IF NOT EXISTS ended_since BIGINT AS (CASE WHEN state IN ('COMPLETED', 'FAILED',
    'TIMED_OUT', 'COMPENSATION_FAILED') THEN touched_at END) PERSISTENT,
  ADD INDEX IF NOT EXISTS {index}_oldest (idle_since, id),
  ADD INDEX IF NOT EXISTS {index}_ended (ended_since);
