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
FROM {schema}.jobs j WHERE j.queue = :queue AND j.id = :id

-- name: queues_with_job
-- The queues that have a job of this id, the oldest job's first. A loose scan walks the queues.
WITH RECURSIVE queues AS (
  SELECT (SELECT j.queue FROM {schema}.jobs j ORDER BY j.queue, j.id LIMIT 1) AS queue
  UNION ALL
  SELECT (SELECT j.queue FROM {schema}.jobs j WHERE j.queue > q.queue ORDER BY j.queue, j.id LIMIT 1)
  FROM queues q WHERE q.queue IS NOT NULL
)
SELECT f.queue FROM queues q CROSS JOIN LATERAL (
  SELECT j.queue, j.created_at, j.place FROM {schema}.jobs j WHERE j.queue = q.queue AND j.id = :id LIMIT 1) f
WHERE q.queue IS NOT NULL
ORDER BY f.created_at, abs(f.place)

-- name: find_slot_holder
-- The open job that holds a deduplication key and whose time is not past. In the order of the index that has the keys,
-- as a range: any index begins with the queue.
SELECT j.place, {j_columns} FROM {schema}.jobs j
WHERE j.queue = :queue AND j.deduplication_slot >= :slot AND j.deduplication_slot <= :slot
  AND (j.deduplication_until IS NULL OR j.deduplication_until >= :now)
ORDER BY j.deduplication_slot LIMIT 1

-- name: count_state
SELECT count(*) FROM {schema}.jobs j WHERE j.queue = :queue AND j.state = '{state}'

-- name: count_states
-- One count a state, each along an index of its own.
SELECT
  (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NULL)
  + (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL),
  (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = :queue AND j.state = 'waiting-children'),
  (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = :queue AND j.state = 'delayed'),
  (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = :queue AND j.state = 'active'),
  (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = :queue AND j.state = 'completed'),
  (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = :queue AND j.state = 'failed')

-- name: count_waiting
-- Jobs without and with a group have an index each.
SELECT
  (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NULL)
  + (SELECT count(*) FROM {schema}.jobs j WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL)

-- name: list_waiting
-- Waiting jobs, oldest first.
SELECT j.place, {j_columns} FROM (
  SELECT a.id, a.created_at, abs(a.place) AS place FROM {schema}.jobs a
  WHERE a.queue = :queue AND a.state = 'waiting' AND a.group_id IS NULL
  UNION ALL
  SELECT b.id, b.created_at, abs(b.place) AS place FROM {schema}.jobs b
  WHERE b.queue = :queue AND b.state = 'waiting' AND b.group_id IS NOT NULL
  ORDER BY created_at, place OFFSET :start LIMIT :limit) p
CROSS JOIN LATERAL (
  SELECT r.place, {r_columns} FROM {schema}.jobs r WHERE r.queue = :queue AND r.id = p.id LIMIT 1) j
ORDER BY p.created_at, p.place

-- name: list_jobs
-- Jobs of a state, oldest first, or last ended first: then an index is walked backwards, and those that ended in the
-- same millisecond are sorted. Jobs that were said to have ended without saying when come first, as it has them.
SELECT j.place, {j_columns} FROM {schema}.jobs j
WHERE j.queue = :queue AND j.state = '{state}'
ORDER BY {order} OFFSET :start LIMIT :limit

-- fragment: queues
-- The part that walks the queues, a loose scan, or is the one asked for.
queues AS (
  SELECT coalesce({queue}::text, (
    SELECT j.queue FROM {schema}.jobs j ORDER BY j.queue, j.id LIMIT 1)) AS queue
  UNION ALL
  SELECT (SELECT j.queue FROM {schema}.jobs j WHERE j.queue > q.queue ORDER BY j.queue, j.id LIMIT 1)
  FROM queues q WHERE q.queue IS NOT NULL AND {queue}::text IS NULL
)

-- fragment: looked_at
-- The part that reads jobs of a queue, of each state no more than so many, the last of its index: the cost does not
-- grow with the jobs there are. Those that wait without and with a group are two indexes.
SELECT a0.* FROM (
  SELECT j.id, j.name, j.state, j.place, j.created_at, j.processed_at, j.completed_at, j.failed_at, j.repeats, j.data
  FROM {schema}.jobs j
  WHERE j.queue = q.queue AND j.state = 'waiting' AND j.group_id IS NULL AND (cardinality({states}::text[]) = 0
      OR 'waiting' = ANY ({states}))
  ORDER BY j.queue DESC, j.priority DESC, j.place DESC LIMIT {most}) a0
UNION ALL
SELECT a1.* FROM (
  SELECT j.id, j.name, j.state, j.place, j.created_at, j.processed_at, j.completed_at, j.failed_at, j.repeats, j.data
  FROM {schema}.jobs j
  WHERE j.queue = q.queue AND j.state = 'waiting' AND j.group_id IS NOT NULL AND (cardinality({states}::text[]) = 0
      OR 'waiting' = ANY ({states}))
  ORDER BY j.queue DESC, j.priority DESC, j.place DESC LIMIT {most}) a1
UNION ALL
SELECT a2.* FROM (
  SELECT j.id, j.name, j.state, j.place, j.created_at, j.processed_at, j.completed_at, j.failed_at, j.repeats, j.data
  FROM {schema}.jobs j
  WHERE j.queue = q.queue AND j.state = 'waiting-children' AND (cardinality({states}::text[]) = 0
      OR 'waiting-children' = ANY ({states}))
  ORDER BY j.queue DESC, j.created_at DESC LIMIT {most}) a2
UNION ALL
SELECT a3.* FROM (
  SELECT j.id, j.name, j.state, j.place, j.created_at, j.processed_at, j.completed_at, j.failed_at, j.repeats, j.data
  FROM {schema}.jobs j
  WHERE j.queue = q.queue AND j.state = 'delayed' AND (cardinality({states}::text[]) = 0 OR 'delayed' = ANY ({states}))
  ORDER BY j.queue DESC, j.delay_until DESC LIMIT {most}) a3
UNION ALL
SELECT a4.* FROM (
  SELECT j.id, j.name, j.state, j.place, j.created_at, j.processed_at, j.completed_at, j.failed_at, j.repeats, j.data
  FROM {schema}.jobs j
  WHERE j.queue = q.queue AND j.state = 'active' AND (cardinality({states}::text[]) = 0 OR 'active' = ANY ({states}))
  ORDER BY j.queue DESC, j.group_id DESC LIMIT {most}) a4
UNION ALL
SELECT a5.* FROM (
  SELECT j.id, j.name, j.state, j.place, j.created_at, j.processed_at, j.completed_at, j.failed_at, j.repeats, j.data
  FROM {schema}.jobs j
  WHERE j.queue = q.queue AND j.state = 'completed' AND (cardinality({states}::text[]) = 0
      OR 'completed' = ANY ({states}))
  ORDER BY j.queue DESC, j.completed_at DESC LIMIT {most}) a5
UNION ALL
SELECT a6.* FROM (
  SELECT j.id, j.name, j.state, j.place, j.created_at, j.processed_at, j.completed_at, j.failed_at, j.repeats, j.data
  FROM {schema}.jobs j
  WHERE j.queue = q.queue AND j.state = 'failed' AND (cardinality({states}::text[]) = 0 OR 'failed' = ANY ({states}))
  ORDER BY j.queue DESC, j.failed_at DESC LIMIT {most}) a6

-- name: list_queues
-- Queues that have jobs, as far as their jobs are looked at.
WITH RECURSIVE {queues}
SELECT q.queue,
  c.waiting, c.waiting_children, c.delayed, c.active, c.completed, c.failed,
  EXISTS (SELECT FROM {schema}.job_pauses p WHERE p.queue = q.queue AND p.name = '__all__'),
  c.latest, c.repeating,
  ARRAY(SELECT p.name FROM {schema}.job_pauses p WHERE p.queue = q.queue AND p.name <> '__all__' ORDER BY p.name)
FROM queues q CROSS JOIN LATERAL (
  SELECT least({most}, count(*) FILTER (WHERE l.state = 'waiting')) AS waiting,
    count(*) FILTER (WHERE l.state = 'waiting-children') AS waiting_children,
    count(*) FILTER (WHERE l.state = 'delayed') AS delayed, count(*) FILTER (WHERE l.state = 'active') AS active,
    count(*) FILTER (WHERE l.state = 'completed') AS completed, count(*) FILTER (WHERE l.state = 'failed') AS failed,
    greatest(max(l.created_at), max(l.processed_at), max(l.completed_at), max(l.failed_at)) AS latest,
    count(*) FILTER (WHERE l.repeats) AS repeating
  FROM ({looked_at}) l) c
WHERE q.queue IS NOT NULL
ORDER BY q.queue

-- fragment: found
-- The part that finds jobs that fit, among those that are looked at. {fold} is the collation that knows upper and lower
-- case.
found AS MATERIALIZED (
  SELECT q.queue, l.id, l.created_at, abs(l.place) AS place
  FROM queues q CROSS JOIN LATERAL ({looked_at}) l
  WHERE q.queue IS NOT NULL
    AND (:name::text IS NULL
      OR position(lower(:name::text COLLATE {fold}) IN lower(l.name COLLATE {fold})) > 0)
    AND (:created_after::timestamptz IS NULL OR l.created_at >= :created_after)
        AND (:created_before::timestamptz IS NULL OR l.created_at <= :created_before)
    AND (:payload::text IS NULL OR position(lower(:payload::text COLLATE {fold}) IN lower(l.data COLLATE {fold})) > 0)
)

-- fragment: r_summary
-- What a list shows of a job: its columns in their order, of which those that may be large are not read, or are cut.
r.queue, r.id, r.name, 'null'::text AS data, r.state, r.options, r.created_at, r.attempts_made, r.started_attempts,
  r.stalls, r.progress, r.pending_children, r.discarded, r.counted, r.processed_at, r.completed_at, r.failed_at,
  r.delay_until, r.cancelled_at, r.lock_until, r.locked_by, r.lock_token, r.group_id, r.parent_queue, r.parent_id,
  r.deduplication_key, r.deduplication_slot, r.schedule_key, NULL::text AS children,
  CASE WHEN octet_length(r.dead_letter) > 1000
    THEN json_build_object('queueName', r.dead_letter::json -> 'queueName', 'jobId', r.dead_letter::json -> 'jobId',
      'reason', left(r.dead_letter::json ->> 'reason', 1000), 'failedAt', r.dead_letter::json -> 'failedAt',
      'opts', r.dead_letter::json -> 'opts')::text
    ELSE r.dead_letter END AS dead_letter,
  NULL::text AS returnvalue, left(r.failed_reason, 1000) AS failed_reason

-- name: search_jobs
-- Jobs that fit, the newest first: whole or in summaries.
WITH RECURSIVE {queues}, {found}
SELECT j.place, {j_columns} FROM (
  SELECT f.queue, f.id, f.created_at, f.place FROM found f ORDER BY f.created_at DESC,
      f.place DESC OFFSET :start LIMIT :limit) p
CROSS JOIN LATERAL (
  SELECT r.place, {shown} FROM {schema}.jobs r WHERE r.queue = p.queue AND r.id = p.id LIMIT 1) j
ORDER BY p.created_at DESC, p.place DESC

-- name: count_jobs
WITH RECURSIVE {queues}, {found}
SELECT count(*) FROM found

-- name: list_parents
SELECT j.place, {j_columns} FROM {schema}.jobs j
WHERE j.children IS NOT NULL AND (:state::text IS NULL OR j.state = :state)
ORDER BY j.created_at DESC, abs(j.place) DESC LIMIT :limit

-- name: list_children
SELECT j.place, {j_columns} FROM {schema}.jobs j
WHERE j.parent_id IS NOT NULL AND j.parent_queue = :queue AND j.parent_id = :id
ORDER BY j.created_at, abs(j.place)

-- name: list_children_summaries
-- Children that their parent names, or all of one that names none, in summaries: one of an earlier flow with a parent
-- of that id is none.
WITH parent AS MATERIALIZED (
  SELECT p.children FROM {schema}.jobs p WHERE p.queue = :queue AND p.id = :id LIMIT 1
), named AS MATERIALIZED (
  SELECT c.id FROM parent p CROSS JOIN LATERAL json_array_elements_text(p.children::json) AS c(id)
), first AS MATERIALIZED (
  SELECT j.queue, j.id, j.created_at, abs(j.place) AS place FROM parent p CROSS JOIN {schema}.jobs j
  WHERE j.parent_id IS NOT NULL AND j.parent_queue = :queue AND j.parent_id = :id
    AND (p.children IS NULL OR j.id IN (SELECT n.id FROM named n))
  ORDER BY j.created_at, abs(j.place) LIMIT :limit
)
SELECT r.place, {r_summary} FROM first f JOIN {schema}.jobs r ON r.queue = f.queue AND r.id = f.id
ORDER BY f.created_at, f.place

-- name: next_delayed
SELECT j.delay_until FROM {schema}.jobs j
WHERE j.queue = :queue AND j.state = 'delayed' ORDER BY j.delay_until LIMIT 1

-- name: list_stalled
-- Active jobs whose lock has run out. Few jobs are active, so no index has the end of the lock, and the extension
-- of a lock touches none.
SELECT j.place, {j_columns} FROM {schema}.jobs j
WHERE j.queue = :queue AND j.state = 'active' AND j.lock_until < :now
ORDER BY j.lock_until LIMIT :limit

-- name: count_group_active
SELECT count(*) FROM {schema}.jobs j
WHERE j.queue = :queue AND j.state = 'active' AND j.group_id = :group

-- name: count_group_waiting
SELECT count(*) FROM (
  SELECT FROM {schema}.jobs j
  WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL AND j.group_id >= :group
    AND j.group_id <= :group
  ORDER BY j.group_id, j.priority, j.place OFFSET 0) w

-- name: list_lines
SELECT e.body FROM {schema}.job_entries e
WHERE e.queue = :queue AND e.job_id = :id AND e.kind = 0
ORDER BY e.queue, e.job_id, e.kind, e.number OFFSET :start LIMIT :limit

-- name: collations
-- A collation that folds letters of every script, the best there is.
SELECT c.collname FROM pg_catalog.pg_collation c
JOIN pg_catalog.pg_namespace n ON n.oid = c.collnamespace
WHERE n.nspname = 'pg_catalog' AND c.collname = ANY (:names::text[])
  AND c.collencoding IN (-1, pg_char_to_encoding(getdatabaseencoding()))

-- name: record_of_attempt
SELECT FROM {schema}.job_entries e
WHERE e.queue = :queue AND e.job_id = :id AND e.kind = 2 AND e.attempt = :attempt LIMIT 1

-- name: records_with_lines
-- The records of a job, oldest first, if one of them brought its lines along.
SELECT e.body FROM {schema}.job_entries e
WHERE e.queue = :queue AND e.job_id = :id AND e.kind = 2 AND EXISTS (
  SELECT FROM {schema}.job_entries w
  WHERE w.queue = :queue AND w.job_id = :id AND w.kind = 2 AND position('"logs"' IN w.body) > 0)
ORDER BY e.queue, e.job_id, e.kind, e.number
