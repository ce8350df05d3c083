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
-- :period, :name and :shard, where they are given. What was added is remembered in the minutes. Answers to how many
-- something had come, and the last of them.
WITH fresh AS MATERIALIZED (
  SELECT queue, period_start, name, shard, completed - added_completed AS completed, failed - added_failed AS failed,
    total_millis - added_millis AS total_millis, min_millis, max_millis
  FROM {schema}.job_metrics
  WHERE granularity = 'minute' AND completed + failed > added_completed + added_failed
    AND (queue, granularity, period_start, name, shard) > (coalesce(:queue::text, ''), 'minute',
      coalesce(:period::timestamptz, '-infinity'), coalesce(:name::text, ''), coalesce(:shard::smallint, -1::smallint))
  ORDER BY queue, granularity, period_start, name, shard LIMIT :limit FOR UPDATE
), marked AS (
  UPDATE {schema}.job_metrics m SET added_completed = m.completed, added_failed = m.failed,
    added_millis = m.total_millis
  FROM fresh f
  WHERE m.granularity = 'minute' AND m.queue = f.queue AND m.period_start = f.period_start AND m.name = f.name
    AND m.shard = f.shard
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
-- At most :limit of those that are past retention, minutes when all of them is added to their hours. What somebody else
-- holds is passed over.
DELETE FROM {schema}.job_metrics WHERE ctid = ANY (ARRAY(
  SELECT m.ctid FROM {schema}.job_metrics m
  WHERE (m.granularity = 'minute' AND m.period_start < :minutes_before
      AND m.completed + m.failed = m.added_completed + m.added_failed)
    OR (m.granularity = 'hour' AND m.period_start < :hours_before)
  LIMIT :limit FOR UPDATE SKIP LOCKED))
