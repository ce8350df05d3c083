-- fragment: queues_of_processes
-- What processes say of their queues.
SELECT p.process_id, q.queue, q.queue_limit, p.expires_at
FROM {schema}.processes p CROSS JOIN LATERAL unnest(p.queues, p.queue_limits) AS q(queue, queue_limit)

-- name: publish_queues
-- Replaces what one process says of its queues, forgets processes that expired before :kept_from, and answers what
-- every other one says that has not expired. The row of the process itself is as it was before; the caller adds what
-- it has just said. Processes touch their own rows; of rows to forget, those that somebody else is forgetting are
-- passed over.
WITH told AS (
  INSERT INTO {schema}.processes (env, process_id, queues, queue_limits, expires_at)
  VALUES (:env, :process_id, :queues, :queue_limits, :expires_at)
  ON CONFLICT (env, process_id) DO UPDATE
    SET queues = excluded.queues, queue_limits = excluded.queue_limits, expires_at = excluded.expires_at
), gone AS (
  DELETE FROM {schema}.processes WHERE env = :env AND process_id = ANY (ARRAY(
    SELECT process_id FROM {schema}.processes
    WHERE env = :env AND process_id <> :process_id AND expires_at < :kept_from
    ORDER BY process_id LIMIT 100 FOR UPDATE SKIP LOCKED))
)
{queues_of_processes}
WHERE p.env = :env AND p.process_id <> :process_id AND p.expires_at > :now

-- name: published_queues
{queues_of_processes}
WHERE p.env = :env AND p.expires_at > :now
ORDER BY p.process_id, q.queue
