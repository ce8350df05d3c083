-- name: get_job
-- A job with its entries: lines and the hand-outs they belong to, stacks, records.
SELECT j.place, {j_columns},
  ARRAY(SELECT e.body FROM {schema}.job_entries e WHERE e.queue = j.queue AND e.job_id = j.id AND e.kind = 0
        ORDER BY e.queue, e.job_id, e.kind, e.number) AS lines,
  ARRAY(SELECT e.attempt FROM {schema}.job_entries e WHERE e.queue = j.queue AND e.job_id = j.id AND e.kind = 0
        ORDER BY e.queue, e.job_id, e.kind, e.number) AS line_attempts,
  ARRAY(SELECT e.body FROM {schema}.job_entries e WHERE e.queue = j.queue AND e.job_id = j.id AND e.kind = 1
        ORDER BY e.queue, e.job_id, e.kind, e.number) AS stacks,
  ARRAY(SELECT e.body FROM {schema}.job_entries e WHERE e.queue = j.queue AND e.job_id = j.id AND e.kind = 2
        ORDER BY e.queue, e.job_id, e.kind, e.number) AS records
FROM {schema}.jobs j WHERE j.queue = $1 AND j.id = $2

-- name: queues_with_job
-- The queues that have a job of this id, the oldest job's first. A loose scan walks the queues.
WITH RECURSIVE queues AS (
  SELECT (SELECT j.queue FROM {schema}.jobs j ORDER BY j.queue, j.id LIMIT 1) AS queue
  UNION ALL
  SELECT (SELECT j.queue FROM {schema}.jobs j WHERE j.queue > q.queue ORDER BY j.queue, j.id LIMIT 1)
  FROM queues q WHERE q.queue IS NOT NULL
)
SELECT f.queue FROM queues q CROSS JOIN LATERAL (
  SELECT j.queue, j.created_at, j.place FROM {schema}.jobs j WHERE j.queue = q.queue AND j.id = $1 LIMIT 1) f
WHERE q.queue IS NOT NULL
ORDER BY f.created_at, abs(f.place)

-- name: find_slot_holder
-- The open job that holds a deduplication key and whose time is not past.
SELECT j.place, {j_columns} FROM {schema}.jobs j
WHERE j.queue = $1 AND j.deduplication_slot = $2
  AND (j.deduplication_until IS NULL OR j.deduplication_until >= $3)

-- name: count_state
SELECT count(*) FROM {schema}.jobs j WHERE j.queue = $1 AND j.state = '{state}'

-- name: count_states
-- One count a state, each along an index of its own.
SELECT
  (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NULL)
  + (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NOT NULL),
  (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = $1 AND j.state = 'waiting-children'),
  (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = $1 AND j.state = 'delayed'),
  (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = $1 AND j.state = 'active'),
  (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = $1 AND j.state = 'completed'),
  (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = $1 AND j.state = 'failed')

-- name: count_waiting
-- Jobs without and with a group have an index each.
SELECT
  (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NULL)
  + (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NOT NULL)

-- name: list_waiting
-- Waiting jobs, oldest first.
SELECT j.place, {j_columns} FROM (
  SELECT a.id, a.created_at, abs(a.place) AS place FROM {schema}.jobs a
  WHERE a.queue = $1 AND a.state = 'waiting' AND a.group_id IS NULL
  UNION ALL
  SELECT b.id, b.created_at, abs(b.place) AS place FROM {schema}.jobs b
  WHERE b.queue = $1 AND b.state = 'waiting' AND b.group_id IS NOT NULL
  ORDER BY created_at, place OFFSET $2 LIMIT $3) p
CROSS JOIN LATERAL (
  SELECT r.place, {r_columns} FROM {schema}.jobs r WHERE r.queue = $1 AND r.id = p.id LIMIT 1) j
ORDER BY p.created_at, p.place

-- name: list_jobs
-- Jobs of a state, oldest first, or last ended first: then an index is walked backwards, and those that ended in the
-- same millisecond are sorted. Jobs that were said to have ended without saying when come first, as it has them.
SELECT j.place, {j_columns} FROM {schema}.jobs j
WHERE j.queue = $1 AND j.state = '{state}'
ORDER BY {order} OFFSET $2 LIMIT $3

-- name: list_queues
-- Queues that have jobs. A whole index is read, as all jobs are counted.
SELECT j.queue,
  count(*) FILTER (WHERE j.state = 'waiting'), count(*) FILTER (WHERE j.state = 'waiting-children'),
  count(*) FILTER (WHERE j.state = 'delayed'), count(*) FILTER (WHERE j.state = 'active'),
  count(*) FILTER (WHERE j.state = 'completed'), count(*) FILTER (WHERE j.state = 'failed'),
  EXISTS (SELECT FROM {schema}.job_pauses p WHERE p.queue = j.queue AND p.name = '__all__'),
  greatest(max(j.created_at), max(j.processed_at), max(j.completed_at), max(j.failed_at)),
  count(*) FILTER (WHERE j.repeats)
FROM {schema}.jobs j GROUP BY j.queue ORDER BY j.queue

-- name: search_jobs
-- Jobs that fit, the newest first. {fold} is the collation that knows
-- upper and lower case.
SELECT j.place, {j_columns} FROM {schema}.jobs j
WHERE ($1::text IS NULL OR j.queue = $1) AND (cardinality($2::text[]) = 0 OR j.state = ANY ($2))
  AND ($3::text IS NULL
    OR position(lower($3::text COLLATE {fold}) IN lower(j.name COLLATE {fold})) > 0)
  AND ($4::timestamptz IS NULL OR j.created_at >= $4) AND ($5::timestamptz IS NULL OR j.created_at <= $5)
  AND ($6::text IS NULL OR position(lower($6::text COLLATE {fold}) IN lower(j.data COLLATE {fold})) > 0)
ORDER BY j.created_at DESC, abs(j.place) DESC OFFSET $7 LIMIT $8

-- name: count_jobs
SELECT count(*) FROM {schema}.jobs j
WHERE ($1::text IS NULL OR j.queue = $1) AND (cardinality($2::text[]) = 0 OR j.state = ANY ($2))
  AND ($3::text IS NULL
    OR position(lower($3::text COLLATE {fold}) IN lower(j.name COLLATE {fold})) > 0)
  AND ($4::timestamptz IS NULL OR j.created_at >= $4) AND ($5::timestamptz IS NULL OR j.created_at <= $5)

-- name: list_parents
SELECT j.place, {j_columns} FROM {schema}.jobs j
WHERE j.children IS NOT NULL AND ($1::text IS NULL OR j.state = $1)
ORDER BY j.created_at DESC, abs(j.place) DESC LIMIT $2

-- name: list_children
SELECT j.place, {j_columns} FROM {schema}.jobs j
WHERE j.parent_id IS NOT NULL AND j.parent_queue = $1 AND j.parent_id = $2
ORDER BY j.created_at, abs(j.place)

-- name: next_delayed
SELECT j.delay_until FROM {schema}.jobs j
WHERE j.queue = $1 AND j.state = 'delayed' ORDER BY j.delay_until LIMIT 1

-- name: list_stalled
-- Active jobs whose lock has run out. Few jobs are active, so no index has the end of the lock, and the extension
-- of a lock touches none.
SELECT j.place, {j_columns} FROM {schema}.jobs j
WHERE j.queue = $1 AND j.state = 'active' AND j.lock_until < $2
ORDER BY j.lock_until LIMIT $3

-- name: count_group_active
SELECT count(*) FROM {schema}.jobs j
WHERE j.queue = $1 AND j.state = 'active' AND j.group_id = $2

-- name: count_group_waiting
SELECT count(*) FROM {schema}.jobs j
WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NOT NULL AND j.group_id = $2

-- name: list_lines
SELECT e.body FROM {schema}.job_entries e
WHERE e.queue = $1 AND e.job_id = $2 AND e.kind = 0
ORDER BY e.queue, e.job_id, e.kind, e.number OFFSET $3 LIMIT $4

-- name: collations
-- A collation that folds letters of every script, the best there is.
SELECT c.collname FROM pg_catalog.pg_collation c
JOIN pg_catalog.pg_namespace n ON n.oid = c.collnamespace
WHERE n.nspname = 'pg_catalog' AND c.collname = ANY ($1::text[])
  AND c.collencoding IN (-1, pg_char_to_encoding(getdatabaseencoding()))

-- name: record_of_attempt
SELECT FROM {schema}.job_entries e
WHERE e.queue = $1 AND e.job_id = $2 AND e.kind = 2 AND e.attempt = $3 LIMIT 1

-- name: records_with_lines
-- The records of a job, oldest first, if one of them brought its lines along.
SELECT e.body FROM {schema}.job_entries e
WHERE e.queue = $1 AND e.job_id = $2 AND e.kind = 2 AND EXISTS (
  SELECT FROM {schema}.job_entries w
  WHERE w.queue = $1 AND w.job_id = $2 AND w.kind = 2 AND position('"logs"' IN w.body) > 0)
ORDER BY e.queue, e.job_id, e.kind, e.number
