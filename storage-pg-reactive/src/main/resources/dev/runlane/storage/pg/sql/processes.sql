-- name: publish_queues
-- Replaces what one process says of its queues, forgets processes that expired an hour ago, and answers what every
-- other one says that has not expired. The row of the process itself is as it was before; the caller adds what it
-- has just said. Processes touch their own rows; of rows to forget, those that somebody else is forgetting are
-- passed over.
WITH told AS (
  INSERT INTO {schema}.processes (env, process_id, queues, queue_limits, expires_at)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (env, process_id) DO UPDATE
    SET queues = excluded.queues, queue_limits = excluded.queue_limits, expires_at = excluded.expires_at
), gone AS (
  DELETE FROM {schema}.processes WHERE env = $1 AND process_id = ANY (ARRAY(
    SELECT process_id FROM {schema}.processes
    WHERE env = $1 AND process_id <> $2 AND expires_at < $6::timestamptz - interval '1 hour'
    ORDER BY process_id LIMIT 100 FOR UPDATE SKIP LOCKED))
)
SELECT p.process_id, q.queue, q.queue_limit, p.expires_at
FROM {schema}.processes p CROSS JOIN LATERAL unnest(p.queues, p.queue_limits) AS q(queue, queue_limit)
WHERE p.env = $1 AND p.process_id <> $2 AND p.expires_at > $6

-- name: published_queues
SELECT p.process_id, q.queue, q.queue_limit, p.expires_at
FROM {schema}.processes p CROSS JOIN LATERAL unnest(p.queues, p.queue_limits) AS q(queue, queue_limit)
WHERE p.env = $1 AND p.expires_at > $2
ORDER BY p.process_id, q.queue
