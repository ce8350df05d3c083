-- fragment: next_queue
-- A step along the key, from a queue with metrics to the next.
SELECT n.queue FROM queues q CROSS JOIN LATERAL (
    SELECT m.queue FROM {schema}.job_metrics m WHERE m.queue > q.queue ORDER BY m.queue LIMIT 1) n

-- name: list_metrics
SELECT m.queue, m.name, m.period_start, m.granularity, sum(m.completed)::bigint, sum(m.failed)::bigint,
  sum(m.total_millis)::bigint, min(m.min_millis), max(m.max_millis)
FROM {schema}.job_metrics m
WHERE m.queue = :queue AND m.granularity = :granularity AND m.period_start >= :from AND m.period_start <= :to
GROUP BY m.queue, m.name, m.period_start, m.granularity
ORDER BY m.period_start, m.name

-- name: lock_metrics
-- One process adds up at a time, until its transaction ends.
SELECT pg_advisory_xact_lock(:lock)

-- name: aggregate_metrics
-- Adds to the hours what came to at most :limit of their minutes since the last time, behind the bucket of :queue,
-- :period, :name and :shard, where they are given. What was added is remembered in the minutes. With :recent, of each
-- queue only from there or from an hour before its newest hour on, whichever is first: what lies before was added with
-- that hour, but for what was counted late. Each minute is there, and marked by its key: joined, the planner may read
-- them all. Answers to how many something had come, and the last of them.
WITH RECURSIVE queues AS (
  (SELECT m.queue FROM {schema}.job_metrics m WHERE m.queue >= coalesce(:queue::text, '') ORDER BY m.queue LIMIT 1)
  UNION ALL
  {next_queue}
), starts AS MATERIALIZED (
  SELECT q.queue, greatest(CASE q.queue WHEN :queue THEN :period::timestamptz END,
    CASE WHEN :recent::timestamptz IS NOT NULL THEN (
      SELECT least(:recent, h.period_start - interval '1 hour') FROM {schema}.job_metrics h
      WHERE h.queue = q.queue AND h.granularity = 'hour' ORDER BY h.period_start DESC LIMIT 1) END,
    timestamptz '-infinity') AS period
  FROM queues q
), fresh AS MATERIALIZED (
  SELECT f.* FROM starts s CROSS JOIN LATERAL (
    SELECT m.queue, m.period_start, m.name, m.shard, m.completed - m.added_completed AS completed,
      m.failed - m.added_failed AS failed, m.total_millis - m.added_millis AS total_millis, m.min_millis, m.max_millis
    FROM {schema}.job_metrics m
    WHERE m.queue = s.queue AND m.granularity = 'minute' AND m.period_start >= s.period
      AND m.completed + m.failed > m.added_completed + m.added_failed
      AND (:queue IS NULL
        OR (m.queue, m.period_start, m.name, m.shard) > (:queue, :period, :name::text, :shard::smallint))
    ORDER BY m.period_start, m.name, m.shard LIMIT :limit FOR UPDATE) f
  LIMIT :limit
), marked AS (
  INSERT INTO {schema}.job_metrics AS m (queue, granularity, period_start, name, shard, completed, failed, total_millis)
  SELECT f.queue, 'minute', f.period_start, f.name, f.shard, 0, 0, 0 FROM fresh f
  ON CONFLICT (queue, granularity, period_start, name, shard) DO UPDATE SET
    added_completed = m.completed, added_failed = m.failed, added_millis = m.total_millis
), added AS (
  INSERT INTO {schema}.job_metrics AS m (queue, granularity, period_start, name, shard, completed, failed,
      total_millis, min_millis, max_millis)
  SELECT f.queue, 'hour', date_trunc('hour', f.period_start, 'UTC'), f.name, f.shard, sum(f.completed), sum(f.failed),
    sum(f.total_millis), min(f.min_millis), max(f.max_millis)
  FROM fresh f
  GROUP BY f.queue, date_trunc('hour', f.period_start, 'UTC'), f.name, f.shard
  ON CONFLICT (queue, granularity, period_start, name, shard) DO UPDATE SET
    completed = m.completed + excluded.completed, failed = m.failed + excluded.failed,
    total_millis = m.total_millis + excluded.total_millis, min_millis = least(m.min_millis, excluded.min_millis),
    max_millis = greatest(m.max_millis, excluded.max_millis)
)
SELECT (SELECT count(*) FROM fresh), l.queue, l.period_start, l.name, l.shard
FROM (SELECT) one LEFT JOIN (
  SELECT f.queue, f.period_start, f.name, f.shard FROM fresh f
  ORDER BY f.queue DESC, f.period_start DESC, f.name DESC, f.shard DESC LIMIT 1) l ON true

-- name: drop_metrics
-- At most :limit of those that are past retention, minutes when all of them is added to their hours: of each queue the
-- first, so that what stays is not read. What somebody else holds is passed over.
WITH RECURSIVE queues AS (
  (SELECT m.queue FROM {schema}.job_metrics m ORDER BY m.queue LIMIT 1)
  UNION ALL
  {next_queue}
), past AS MATERIALIZED (
  SELECT o.at FROM queues q
  CROSS JOIN (VALUES ('minute', :minutes_before::timestamptz), ('hour', :hours_before::timestamptz))
    AS k(granularity, until)
  CROSS JOIN LATERAL (
    SELECT m.ctid AS at FROM {schema}.job_metrics m
    WHERE m.queue = q.queue AND m.granularity = k.granularity AND m.period_start < k.until
      AND (k.granularity = 'hour' OR m.completed + m.failed = m.added_completed + m.added_failed)
    ORDER BY m.period_start, m.name, m.shard LIMIT :limit FOR UPDATE SKIP LOCKED) o
  LIMIT :limit
)
DELETE FROM {schema}.job_metrics WHERE ctid = ANY (ARRAY(SELECT at FROM past))
