-- name: add_jobs
-- New jobs without deduplication, in the order given, of any queues. One whose id is taken is left out of the
-- answer; nothing else of the statement depends on that.
{added_jobs}

-- fragment: added_jobs
INSERT INTO {schema}.jobs (queue, id, place, name, state, priority, attempts_made, started_attempts, stalls,
    progress, pending_children, discarded, repeats, counted, removal, keep_millis, created_at, delay_until,
    group_id, options, data)
SELECT g.queue, g.id, nextval('{schema}.job_places') * g.direction, g.name, g.state, g.priority, 0, 0, 0, 0, 0,
    false, g.repeats, false, g.removal, g.keep_millis, g.created_at, g.delay_until, g.group_id, g.options, g.data
FROM unnest(:queues::text[], :ids::text[], :directions::smallint[], :names::text[], :states::text[],
    :priorities::float8[], :repeats::boolean[],
    :removals::smallint[], :keep_millis::bigint[], :created_times::timestamptz[], :delay_times::timestamptz[],
        :groups::text[], :options::text[], :data::text[])
  AS g(queue, id, direction, name, state, priority, repeats, removal, keep_millis, created_at, delay_until,
    group_id, options, data)
ON CONFLICT DO NOTHING
RETURNING queue, id

-- name: add_named_jobs
-- As add_jobs, of jobs whose ids others may have had before.
WITH fresh AS (
{added_jobs}
), {strays}
SELECT f.queue, f.id FROM fresh f

-- fragment: strays
-- The part that removes what is left of jobs that had the ids of the jobs fresh and are gone: a line that is written
-- while another statement removes its job is not seen by that one. What fresh jobs bring along comes with a later
-- statement. Found by keys alone: the OFFSET keeps the planner from comparing all with all.
strays AS (
  DELETE FROM {schema}.job_entries WHERE ctid = ANY (ARRAY(
    SELECT e.ctid FROM fresh f CROSS JOIN LATERAL (
      SELECT x.ctid FROM {schema}.job_entries x WHERE x.queue = f.queue AND x.job_id = f.id OFFSET 0) e))
)

-- name: insert_jobs
-- As add_named_jobs, with every column. Whoever inserts a job with a slot holds the lock of its key.
WITH fresh AS (
  INSERT INTO {schema}.jobs (place, {written})
  SELECT nextval('{schema}.job_places') * g.direction, {g_written}
  FROM unnest({arrays}, :direction::smallint[]) AS g({written}, direction)
  ON CONFLICT DO NOTHING
  RETURNING queue, id
), {strays}
SELECT f.queue, f.id FROM fresh f

-- name: lock_names
-- Locks of names, held until the transaction ends: of deduplication keys and of groups with a bounded size, and of
-- queues. Sorted by the caller, taken in that order, and before any row.
SELECT count(CASE WHEN g.shared THEN pg_advisory_xact_lock_shared(g.number) ELSE pg_advisory_xact_lock(g.number) END)
FROM unnest(:numbers::bigint[], :shared::boolean[]) AS g(number, shared)

-- name: slot_holders
-- The jobs that hold these keys, locked in the order of their ids.
SELECT j.place, {j_columns} FROM (
  SELECT o.id FROM unnest(:slots::text[]) AS g(slot)
  CROSS JOIN LATERAL (
    SELECT s.id FROM {schema}.jobs s
    WHERE s.queue = :queue AND s.deduplication_slot >= g.slot AND s.deduplication_slot <= g.slot
    ORDER BY s.deduplication_slot LIMIT 1) o
  ORDER BY o.id) h
CROSS JOIN LATERAL (
  SELECT r.place, {r_columns} FROM {schema}.jobs r WHERE r.queue = :queue AND r.id = h.id FOR UPDATE) j

-- name: states
-- The states of named jobs.
SELECT g.queue, g.id, j.state
FROM unnest(:queues::text[], :ids::text[]) AS g(queue, id)
CROSS JOIN LATERAL (SELECT s.state FROM {schema}.jobs s WHERE s.queue = g.queue AND s.id = g.id LIMIT 1) j

-- name: waiting_in_groups
-- How many jobs of each group wait, and the isolation of the transaction, which says whether that is true: only a
-- transaction that is read committed sees what those stored who had the lock of the group before.
SELECT g.group_id, (
    SELECT count(*) FROM (
      SELECT FROM {schema}.jobs j
      WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL AND j.group_id >= g.group_id
        AND j.group_id <= g.group_id
      ORDER BY j.group_id, j.priority, j.place OFFSET 0) w),
  current_setting('transaction_isolation')
FROM unnest(:groups::text[]) AS g(group_id)
