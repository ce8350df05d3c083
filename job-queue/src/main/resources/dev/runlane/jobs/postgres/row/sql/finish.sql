-- fragment: complete
-- The part of a statement that ends hand-outs of a queue that succeeded, each only under its token. A job of a flow,
-- one whose cancellation was asked for and one that is counted among those that are kept need more than their own row:
-- they are left, and not named in the answer, like one whose token is another by now. A token is null unless the job is
-- active. Rows are probed by their keys and changed at their places, in the order of the keys: by arrays of ids
-- Postgres before 17 may read the whole queue. A row that somebody changed meanwhile has another place, and is left
-- too. Those that go at once are looked for only where not all others were found; who holds them both in another order
-- loses 50 ms. No row ever says that they have ended: a setting of this transaction says so to the trigger of webhooks,
-- where there is one.
probed AS MATERIALIZED (
  SELECT r.at, r.removal, g.id, g.token, g.returnvalue, g.now
  FROM (
    SELECT * FROM unnest(:ids::text[], :tokens::text[], :returnvalues::text[], :now_times::timestamptz[])
      AS u(id, token, returnvalue, now)
    ORDER BY u.id COLLATE "C") g
  CROSS JOIN LATERAL (
    SELECT j.ctid AS at, j.removal FROM {schema}.jobs j
    WHERE j.queue = :queue AND j.id = g.id AND j.lock_token = g.token AND j.parent_id IS NULL AND j.cancelled_at IS NULL
    LIMIT 1) r
), ended AS (
  UPDATE {schema}.jobs j SET state = 'completed', returnvalue = g.returnvalue, completed_at = g.now,
    remove_at = g.now + j.keep_millis * interval '1 millisecond',
    lock_until = NULL, locked_by = NULL, lock_token = NULL, deduplication_slot = NULL
  FROM probed g
  WHERE g.removal = 0 AND j.ctid = g.at AND j.lock_token = g.token AND j.parent_id IS NULL AND j.cancelled_at IS NULL
    AND j.removal = 0
  RETURNING j.id, j.name, j.processed_at, g.now, j.failed_reason
), gone AS (
  DELETE FROM {schema}.jobs j
  USING probed g
  WHERE (SELECT count(*) FROM ended) < cardinality(:ids::text[])
    AND g.removal = 1 AND j.ctid = g.at AND j.lock_token = g.token AND j.parent_id IS NULL AND j.cancelled_at IS NULL
    AND j.removal = 1
  RETURNING j.id, j.name, j.processed_at, g.now, j.failed_reason,
    set_config('runlane.job_completed_at', g.now::text, true) AS said
), gone_entries AS (
  DELETE FROM {schema}.job_entries WHERE ctid = ANY (ARRAY(
    SELECT e.at FROM gone d CROSS JOIN LATERAL (
      SELECT x.ctid AS at FROM {schema}.job_entries x WHERE x.queue = :queue AND x.job_id = d.id OFFSET 0) e))
), e AS MATERIALIZED (
  SELECT ended.id, ended.name, ended.processed_at, ended.now, ended.failed_reason, false AS removed FROM ended
  UNION ALL
  SELECT gone.id, gone.name, gone.processed_at, gone.now, gone.failed_reason, true FROM gone
){counting}

-- fragment: complete_counting
-- The part of complete that counts; locked after the jobs, in the order of the buckets.
, counted AS (
  INSERT INTO {schema}.job_metrics AS m (queue, granularity, period_start, name, shard, completed, failed,
      total_millis, min_millis, max_millis)
  SELECT :queue, 'minute', date_trunc('minute', c.now, 'UTC'), c.name, :shard::smallint, count(*), 0,
    coalesce(sum(c.millis), 0), min(c.millis), max(c.millis)
  FROM (
    SELECT e.now, n.name,
      greatest(0, floor(extract(epoch FROM e.now - e.processed_at) * 1000))::bigint AS millis
    FROM e CROSS JOIN LATERAL (VALUES (e.name), ('__all__')) n(name)) c
  GROUP BY date_trunc('minute', c.now, 'UTC'), c.name
  ORDER BY date_trunc('minute', c.now, 'UTC'), c.name
  ON CONFLICT (queue, granularity, period_start, name, shard) DO UPDATE SET
    completed = m.completed + excluded.completed, total_millis = m.total_millis + excluded.total_millis,
    min_millis = least(m.min_millis, excluded.min_millis), max_millis = greatest(m.max_millis, excluded.max_millis)
)

-- name: complete_jobs
WITH {complete}
SELECT e.id, e.removed, e.failed_reason FROM e

-- name: complete_and_fetch
-- Both at once. No row is of both parts: what ends is active, what is handed out waits. The rows of the fetch come
-- first, in any order, then those of the ends, without a job.
WITH {complete}, {choose}, u AS (
{hand_out}
)
SELECT u.place, {u_columns}, NULL::text, NULL::boolean, NULL::text FROM u
UNION ALL
SELECT u.place, {u_columns}, e.id, e.removed, e.failed_reason FROM e LEFT JOIN u ON false

-- name: lock_with_ancestors
-- Named jobs and all above them in their flows, locked in the order of queue and id. Who is
-- whose parent is read without a lock: that does not change.
WITH RECURSIVE family AS (
  SELECT k.queue, k.id, k.parent_queue, k.parent_id
  FROM unnest(:queues::text[], :ids::text[]) AS g(queue, id)
  CROSS JOIN LATERAL (
    SELECT f.queue, f.id, f.parent_queue, f.parent_id FROM {schema}.jobs f
    WHERE f.queue = g.queue AND f.id = g.id LIMIT 1) k
  UNION
  SELECT p.queue, p.id, p.parent_queue, p.parent_id FROM family c
  CROSS JOIN LATERAL (
    SELECT f.queue, f.id, f.parent_queue, f.parent_id FROM {schema}.jobs f
    WHERE f.queue = c.parent_queue AND f.id = c.parent_id LIMIT 1) p
)
SELECT j.place, {j_columns}
FROM (SELECT f.queue, f.id FROM family f ORDER BY f.queue, f.id) k
CROSS JOIN LATERAL (
  SELECT r.place, {r_columns} FROM {schema}.jobs r WHERE r.queue = k.queue AND r.id = k.id FOR UPDATE) j

-- name: write_jobs
-- Jobs whose rows the transaction has locked, written with every column but their place. Here and below they are probed
-- by their keys and changed where they are, which nobody else changes: by arrays of ids Postgres before 17 may read the
-- whole queue.
UPDATE {schema}.jobs j SET ({written}) = ROW ({g_written})
FROM (
  SELECT r.at, g.* FROM unnest({arrays}) AS g({written})
  CROSS JOIN LATERAL (
    SELECT x.ctid AS at FROM {schema}.jobs x WHERE x.queue = g.queue AND x.id = g.id LIMIT 1) r) g
WHERE j.ctid = g.at

-- name: count_children
-- Parents whose rows the transaction has locked, with how many of their children are open, and whether they wait now.
UPDATE {schema}.jobs j SET pending_children = g.pending, state = g.state, delay_until = g.delay
FROM (
  SELECT r.at, g.pending, g.state, g.delay
  FROM unnest(:queues::text[], :ids::text[], :pending::integer[], :states::text[], :delays::timestamptz[])
    AS g(queue, id, pending, state, delay)
  CROSS JOIN LATERAL (
    SELECT x.ctid AS at FROM {schema}.jobs x WHERE x.queue = g.queue AND x.id = g.id LIMIT 1) r) g
WHERE j.ctid = g.at

-- name: delete_jobs
-- Named jobs, with all that belongs to them.
WITH g AS MATERIALIZED (
  SELECT * FROM unnest(:queues::text[], :ids::text[]) AS g(queue, id)
), entries AS (
  DELETE FROM {schema}.job_entries WHERE ctid = ANY (ARRAY(
    SELECT e.at FROM g CROSS JOIN LATERAL (
      SELECT x.ctid AS at FROM {schema}.job_entries x WHERE x.queue = g.queue AND x.job_id = g.id OFFSET 0) e))
)
DELETE FROM {schema}.jobs WHERE ctid = ANY (ARRAY(
  SELECT r.at FROM g CROSS JOIN LATERAL (
    SELECT x.ctid AS at FROM {schema}.jobs x WHERE x.queue = g.queue AND x.id = g.id LIMIT 1) r))

-- name: delete_ended_jobs
-- The same for jobs that end by this very transaction: no trigger sees that, since their rows never say it.
WITH g AS MATERIALIZED (
  SELECT * FROM unnest(:queues::text[], :ids::text[], :states::text[], :end_times::timestamptz[], :attempts::integer[],
      :cancelled::boolean[])
    AS g(queue, id, state, ended_at, attempts_made, cancelled)
), entries AS (
  DELETE FROM {schema}.job_entries WHERE ctid = ANY (ARRAY(
    SELECT e.at FROM g CROSS JOIN LATERAL (
      SELECT x.ctid AS at FROM {schema}.job_entries x WHERE x.queue = g.queue AND x.job_id = g.id OFFSET 0) e))
), gone AS (
  DELETE FROM {schema}.jobs j USING (
    SELECT r.at, g.* FROM g CROSS JOIN LATERAL (
      SELECT x.ctid AS at FROM {schema}.jobs x WHERE x.queue = g.queue AND x.id = g.id LIMIT 1) r) g
  WHERE j.ctid = g.at
  RETURNING j.queue, j.id, j.name, j.created_at, g.state, g.ended_at, g.attempts_made, g.cancelled
)
INSERT INTO {schema}.job_webhook_deliveries (webhook_id, queue, job_id, name, state, created_at, ended_at,
  attempts_made, cancelled, next_at)
SELECT w.webhook_id, gone.queue, gone.id, gone.name, gone.state, gone.created_at, gone.ended_at, gone.attempts_made,
  gone.cancelled, gone.ended_at
FROM gone CROSS JOIN LATERAL
  {schema}.job_webhooks_of(gone.queue, gone.name, gone.state, gone.ended_at) AS w(webhook_id)

-- name: surplus_jobs
-- The jobs of a queue that ended like the present ones (:present_ids) before them, longest ago, beyond the :most that
-- are kept, at most 1 000, and fewer where they have very many lines: the others go with the next end.
WITH l AS MATERIALIZED (
  SELECT s.id, s.ctid AS at, NULL::timestamptz AS turn FROM {schema}.jobs s
  WHERE s.queue = :queue AND s.state = '{state}' AND s.id <> ALL (:present_ids::text[])
  ORDER BY s.{ended} DESC, abs(s.place) DESC OFFSET :most LIMIT 1000
), {few}, locked AS MATERIALIZED (
  SELECT r.id, r.at FROM (SELECT c.id FROM c ORDER BY c.id) o CROSS JOIN LATERAL (
    SELECT j.id, j.ctid AS at FROM {schema}.jobs j WHERE j.queue = :queue AND j.id = o.id AND j.state || '' = '{state}'
    FOR UPDATE SKIP LOCKED) r
), entries AS (
  DELETE FROM {schema}.job_entries WHERE ctid = ANY (ARRAY(
    SELECT e.at FROM locked d CROSS JOIN LATERAL (
      SELECT x.ctid AS at FROM {schema}.job_entries x WHERE x.queue = :queue AND x.job_id = d.id OFFSET 0) e))
)
DELETE FROM {schema}.jobs WHERE ctid = ANY (ARRAY(SELECT d.at FROM locked d))

-- name: count_ends
-- Raises the minute's buckets, locked in their order after the jobs: that of the table's columns, which arrays do not
-- have by themselves.
INSERT INTO {schema}.job_metrics AS m (queue, granularity, period_start, name, shard, completed, failed,
    total_millis, min_millis, max_millis)
SELECT c.queue, 'minute', c.period_start, c.name, :shard::smallint, sum(c.completed), sum(c.failed),
  coalesce(sum(c.millis), 0), min(c.millis), max(c.millis)
FROM unnest(:queues::text[], :periods::timestamptz[], :names::text[], :completed::integer[], :failed::integer[],
    :millis::bigint[])
  AS c(queue, period_start, name, completed, failed, millis)
GROUP BY c.queue, c.period_start, c.name
ORDER BY c.queue COLLATE "C", c.period_start, c.name COLLATE "C"
ON CONFLICT (queue, granularity, period_start, name, shard) DO UPDATE SET
  completed = m.completed + excluded.completed, failed = m.failed + excluded.failed,
  total_millis = m.total_millis + excluded.total_millis, min_millis = least(m.min_millis, excluded.min_millis),
  max_millis = greatest(m.max_millis, excluded.max_millis)

-- name: append_entries
-- One entry more for each job and kind, whose rows the transaction has locked, and the oldest beyond :limits dropped.
-- Numbers have no gaps, so that is one entry at most.
WITH g AS MATERIALIZED (
  SELECT e.queue, e.job_id, e.kind, e.attempt, e.body, e.most, 1 + coalesce((
      SELECT max(n.number) FROM {schema}.job_entries n
      WHERE n.queue = e.queue AND n.job_id = e.job_id AND n.kind = e.kind), 0) AS number
  FROM unnest(:queues::text[], :ids::text[], :kinds::smallint[], :attempts::integer[], :bodies::text[],
      :limits::integer[])
    AS e(queue, job_id, kind, attempt, body, most)
), dropped AS (
  DELETE FROM {schema}.job_entries WHERE ctid = ANY (ARRAY(
    SELECT e.at FROM g CROSS JOIN LATERAL (
      SELECT x.ctid AS at FROM {schema}.job_entries x
      WHERE x.queue = g.queue AND x.job_id = g.job_id AND x.kind = g.kind AND x.number = g.number - g.most LIMIT 1) e))
)
INSERT INTO {schema}.job_entries (queue, job_id, kind, number, attempt, body)
SELECT g.queue, g.job_id, g.kind, g.number, g.attempt, g.body FROM g

-- name: delete_entries
-- All entries of one kind of one job, whose row the transaction has locked.
DELETE FROM {schema}.job_entries WHERE queue = :queue AND job_id = :id AND kind = :kind

-- name: insert_entries
-- Entries of jobs that have none of their kinds, numbered as given.
INSERT INTO {schema}.job_entries (queue, job_id, kind, number, attempt, body)
SELECT e.queue, e.job_id, e.kind, e.number, e.attempt, e.body
FROM unnest(:queues::text[], :ids::text[], :kinds::smallint[], :numbers::bigint[], :attempts::integer[],
    :bodies::text[])
  AS e(queue, job_id, kind, number, attempt, body)
