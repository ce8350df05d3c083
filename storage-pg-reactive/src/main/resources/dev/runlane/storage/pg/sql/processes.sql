-- fragment: queues_of_processes
-- What processes say of their queues.
SELECT p.process_id, q.queue, q.queue_limit, p.expires_at
FROM {schema}.processes p CROSS JOIN LATERAL unnest(p.queues, p.queue_limits) AS q(queue, queue_limit)

-- fragment: publication
-- The parts that replace what one process says of its queues and forget processes that expired before :kept_from. Of
-- processes that publish at once the first is seen by the second. The row of the environment says whose turn it is:
-- every publication writes it anew, and one that finds another version of it than its snapshot shows was overtaken,
-- writes nothing and answers no row; it is sent again. Otherwise there is one row at least, which is empty where nobody
-- else says anything. Of rows to forget, those that somebody else is forgetting are passed over.
seen AS MATERIALIZED (
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

-- name: publish_queues
-- Publishes, and answers what every other process says that has not expired; the caller adds what it has just said.
WITH {publication}
SELECT o.process_id, o.queue, o.queue_limit, o.expires_at FROM turn t LEFT JOIN (
  {queues_of_processes}
  WHERE p.env = :env AND p.process_id <> :process_id AND p.expires_at > :now
) o ON true

-- name: publish_and_compare
-- Publishes, and answers of each of the process's own queues with which lowest and highest limit others have it, where
-- that is not its own limit; 0 is none, which is the highest. Processes of one program say the same, so that what many
-- say is looked at once: to compare the arrays as a whole costs a tenth of looking at what is in each. Where they say
-- different things each is looked up in a hash of the own ones: nobody knows how many rows there are, and a join sorts
-- them.
WITH {publication}, said AS MATERIALIZED (
  SELECT min(p.process_id) AS process_id, p.queues, p.queue_limits FROM {schema}.processes p
  WHERE p.env = :env AND p.process_id <> :process_id AND p.expires_at > :now
  GROUP BY p.queues, p.queue_limits
), own AS MATERIALIZED (
  SELECT o.queue, o.queue_limit FROM unnest(:queues::text[], :queue_limits::integer[]) AS o(queue, queue_limit)
), compared AS (
  SELECT s.process_id, q.queue, q.queue_limit,
    row_number() OVER (PARTITION BY q.queue ORDER BY nullif(q.queue_limit, 0) NULLS LAST, s.process_id) AS from_lowest,
    row_number() OVER (PARTITION BY q.queue ORDER BY nullif(q.queue_limit, 0) DESC NULLS FIRST, s.process_id)
      AS from_highest
  FROM said s CROSS JOIN LATERAL unnest(s.queues, s.queue_limits) AS q(queue, queue_limit)
  WHERE CASE WHEN q.queue IN (SELECT o.queue FROM own o)
    AND (q.queue, q.queue_limit) NOT IN (SELECT o.queue, o.queue_limit FROM own o) THEN true ELSE false END
)
SELECT o.process_id, o.queue, o.queue_limit, o.expires_at FROM turn t LEFT JOIN (
  SELECT c.process_id, c.queue, c.queue_limit, p.expires_at
  FROM compared c JOIN {schema}.processes p ON p.env = :env AND p.process_id = c.process_id
  WHERE c.from_lowest = 1 OR c.from_highest = 1
) o ON true

-- name: published_queues
-- All of them, or those of some names.
{queues_of_processes}
WHERE p.env = :env AND p.expires_at > :now
  AND CASE WHEN :queues::text[] IS NULL OR q.queue IN (SELECT unnest(:queues::text[])) THEN true ELSE false END
ORDER BY p.process_id, q.queue
