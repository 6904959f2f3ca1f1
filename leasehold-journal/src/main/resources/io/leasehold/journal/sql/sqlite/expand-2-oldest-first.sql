-- Pages of unfinished instances in the order of the index, and ended ones for retention.
CREATE INDEX {index}_oldest ON {instance} (touched_at, id)
  WHERE state IN ('PENDING', 'RUNNING', 'COMPENSATING');
CREATE INDEX {index}_ended ON {instance} (touched_at)
  WHERE state IN ('COMPLETED', 'FAILED', 'TIMED_OUT', 'COMPENSATION_FAILED');
CREATE INDEX {index}_published ON {outbox} (published_at) WHERE published_at IS NOT NULL;
