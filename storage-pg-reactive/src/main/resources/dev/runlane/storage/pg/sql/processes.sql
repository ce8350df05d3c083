-- fragment: queues_of_processes
-- What processes say of their queues.
SELECT p.process_id, q.queue, q.queue_limit, p.expires_at
FROM {schema}.processes p CROSS JOIN LATERAL unnest(p.queues, p.queue_limits) AS q(queue, queue_limit)

-- name: publish_queues
-- Replaces what one process says of its queues, forgets processes that expired before :kept_from, and answers what
-- every other one says that has not expired; the caller adds what it has just said. Of processes that publish at once
-- the first is seen by the second. The row of the environment says whose turn it is: every publication writes it anew,
-- and one that finds another version of it than its snapshot shows was overtaken, writes nothing and answers no row; it
-- is sent again. Otherwise there is one row at least, which is empty where nobody else says anything. Of rows to
-- forget, those that somebody else is forgetting are passed over.
WITH seen AS MATERIALIZED (
  SELECT env, xmin AS version FROM {schema}.environments WHERE env = :env
), turn AS (
  UPDATE {schema}.environments e SET environment_key = e.environment_key
  FROM seen WHERE e.env = seen.env AND e.xmin = seen.version
  RETURNING e.env
), told AS (
  INSERT INTO {schema}.processes (env, process_id, queues, queue_limits, expires_at)
  SELECT t.env, :process_id, :queues, :queue_limits, :expires_at FROM turn t
  ON CONFLICT (env, process_id) DO UPDATE
    SET queues = excluded.queues, queue_limits = excluded.queue_limits, expires_at = excluded.expires_at
), gone AS (
  DELETE FROM {schema}.processes WHERE env = (SELECT t.env FROM turn t) AND process_id = ANY (ARRAY(
    SELECT process_id FROM {schema}.processes
    WHERE env = :env AND process_id <> :process_id AND expires_at < :kept_from
    ORDER BY process_id LIMIT 100 FOR UPDATE SKIP LOCKED))
)
SELECT o.process_id, o.queue, o.queue_limit, o.expires_at FROM turn t LEFT JOIN (
  {queues_of_processes}
  WHERE p.env = :env AND p.process_id <> :process_id AND p.expires_at > :now
) o ON true

-- name: published_queues
{queues_of_processes}
WHERE p.env = :env AND p.expires_at > :now
ORDER BY p.process_id, q.queue
