-- fragment: claimable_columns
-- Of a run that is claimed, what is answered and changed.
r.env, r.run_id, r.task_id, r.queue, r.partition, r.status, r.kind, r.occupies, r.due_at, r.sequence,
  r.attempts, r.failures, r.retries, r.releases, r.run_at, r.created_at, r.updated_at, r.started_at,
  r.lease_token, r.lease_worker, r.lease_expires_at, r.dispatched_at, r.dispatch_expires_at,
  r.trace_carrier, r.failure, r.awaiting

-- fragment: lines
-- A line of each unbounded queue, task and kind.
line AS MATERIALIZED (
  SELECT q.queue, q.task_id, k.kind,
    CASE k.kind WHEN 0 THEN q.low ELSE timestamptz '-infinity' END AS low
  FROM unnest(:line_queues::text[], :line_lows::timestamptz[], :line_task_ids::text[]) AS q(queue, low, task_id)
  CROSS JOIN (VALUES (0), (1)) AS k(kind)
)

-- fragment: first_of_line
-- The first of a line, without a lock.
SELECT r.due_at, r.run_id FROM {schema}.active_runs r
  WHERE r.env = :env AND r.queue = l.queue AND r.partition IS NULL AND r.task_id = l.task_id
    AND r.kind = l.kind AND r.due_at >= l.low AND r.due_at <= :now AND r.updated_at < :expires_at
  ORDER BY r.due_at, r.run_id LIMIT :limit

-- fragment: wanted_of_line
-- As many of a line as are wanted, locked.
SELECT {claimable_columns}
  FROM {schema}.active_runs r
  WHERE r.env = :env AND r.queue = w.queue AND r.partition IS NULL AND r.task_id = w.task_id
    AND r.kind = w.kind AND r.due_at >= w.low AND r.due_at <= :now AND r.updated_at < :expires_at
  ORDER BY r.due_at, r.run_id LIMIT w.n FOR UPDATE SKIP LOCKED

-- fragment: named_and_due
-- What a named run must be to be claimed.
r.env = :env AND r.partition IS NULL AND r.queue = ANY (:queues::text[]) AND r.task_id = ANY (:task_ids::text[])
  AND r.kind IN (0, 1) AND r.due_at <= :now AND r.updated_at < :expires_at

-- fragment: waiting_of_task
-- Runs of one task that wait in a partition.
r.env = :env AND r.queue = w.queue AND r.partition IS NOT NULL AND r.partition = w.partition
  AND NOT r.occupies AND r.task_id = t.task_id AND r.due_at <= :now AND r.kind IN (0, 1)
  AND r.updated_at < :expires_at

-- fragment: stretches
-- Up to :bounded_steps partitions of each bounded queue from :bounded_starts on.
walk AS (
  SELECT b.queue, b.most, b.steps, p.partition
  FROM unnest(:bounded_queues::text[], :bounded_starts::text[], :bounded_steps::integer[], :bounded_limits::integer[])
      AS b(queue, start, steps, most) CROSS JOIN LATERAL (
    SELECT a.partition FROM {schema}.active_runs a
    WHERE a.env = :env AND a.queue = b.queue AND a.partition IS NOT NULL AND a.partition >= b.start
    ORDER BY a.partition LIMIT 1) p
  UNION ALL
  SELECT w.queue, w.most, w.steps - 1, p.partition FROM walk w CROSS JOIN LATERAL (
    SELECT a.partition FROM {schema}.active_runs a
    WHERE a.env = :env AND a.queue = w.queue AND a.partition IS NOT NULL AND a.partition > w.partition
    ORDER BY a.partition LIMIT 1) p
  WHERE w.steps > 1
)

-- fragment: without_partition
-- Whether a run of the bounded queue b was written as if it had no limit; null: none was.
(SELECT 1 FROM {schema}.active_runs a WHERE a.env = :env AND a.queue = b.queue AND a.partition IS NULL
  ORDER BY a.task_id LIMIT 1)

-- fragment: event_ids
-- The ids of the two events of each claim.
SELECT x.*, nextval('{schema}.event_ids') AS claimed_id, nextval('{schema}.event_ids') AS started_id

-- fragment: lease_written
-- What a claim writes, and answers: what it leaves as it was is known from the row before.
due_at = :expires_at, sequence = sequence + 2,
    attempts = attempts + 1, updated_at = greatest(updated_at, :now),
    started_at = greatest(updated_at, :now), lease_token = :token, lease_worker = :worker,
    lease_expires_at = :expires_at, dispatched_at = NULL, dispatch_expires_at = NULL, failure = NULL,
    awaiting = NULL
  {claimed_runs_by_key}
  RETURNING a.run_id, status, sequence, attempts, updated_at, started_at, lease_token, lease_worker, lease_expires_at,
    dispatched_at, dispatch_expires_at, failure, awaiting

-- fragment: claim_events
-- The two events of each claim.
INSERT INTO {schema}.run_events (env, run_id, sequence, event_id, type, occurred_at, body)
  SELECT :env, run_id, sequence + step, CASE step WHEN 1 THEN claimed_id ELSE started_id END, type,
    greatest(updated_at, :now),
    CASE step WHEN 1 THEN :lease_body ELSE '{"attempt":' || (attempts + 1)::text || '}' END
  FROM c CROSS JOIN (VALUES (1, 'run.lease_claimed'), (2, 'run.started')) s(step, type)

-- fragment: claimed_runs
-- Each claimed run as it was, and what was written of it.
SELECT c.run_id, c.task_id, c.queue, c.status, c.sequence, c.attempts, c.failures, c.retries, c.releases,
  c.run_at, c.created_at, c.updated_at, c.started_at, NULL::timestamptz AS finished_at, c.lease_token,
  c.lease_worker, c.lease_expires_at, c.dispatched_at, c.dispatch_expires_at, c.trace_carrier, c.failure,
  c.awaiting, b.body, NULL::text AS output_body, c.claimed_id, c.started_id, c.due_at, c.kind
FROM c CROSS JOIN LATERAL (
  SELECT x.body FROM {schema}.run_events x
  WHERE x.env = :env AND x.run_id = c.run_id AND x.sequence = 1 LIMIT 1) b
UNION ALL
SELECT u.run_id, NULL, NULL, u.status, u.sequence, u.attempts, NULL, NULL, NULL, NULL, NULL, u.updated_at, u.started_at,
  NULL, u.lease_token, u.lease_worker, u.lease_expires_at, u.dispatched_at, u.dispatch_expires_at, NULL, u.failure,
  u.awaiting, NULL, NULL, NULL, NULL, NULL, NULL
FROM u

-- name: acquire_runs
-- Claims leases of named runs and reserves dispatch for named runs. Runs and capacity rows are locked with
-- SKIP LOCKED, so this statement waits for nobody: what somebody else holds is lost. A run that occupies a
-- slot already needs no second one; of the others, each partition accepts as many as its locked capacity
-- row has room for. Events are written after the capacity row is locked. A run that was found but not
-- accepted is answered with sequence 0. Where the queue has a limit and the run no partition yet, since who created it
-- did not know of the limit, it gets the partition here.
WITH p AS MATERIALIZED (
  SELECT * FROM unnest(:run_ids::text[], :expected_sequences::bigint[], :statuses::text[], :kinds::smallint[],
      :due_times::timestamptz[], :sequences::bigint[], :attempts::integer[], :run_times::timestamptz[],
      :updated_times::timestamptz[], :started_times::timestamptz[], :lease_tokens::text[], :lease_workers::text[],
      :lease_expires_times::timestamptz[], :dispatched_times::timestamptz[], :dispatch_expires_times::timestamptz[],
      :trace_carriers::text[], :failure_records::text[], :reserving::boolean[], :concurrency_limits::integer[],
      :due_by_times::timestamptz[], :now_times::timestamptz[])
    AS p(run_id, expected, status, kind, due_at, sequence, attempts, run_at, updated_at, started_at,
      lease_token, lease_worker, lease_expires_at, dispatched_at, dispatch_expires_at, trace_carrier, failure,
      reserving, concurrency_limit, due_by, now)
  ORDER BY run_id COLLATE "C"
), l AS MATERIALIZED (
  SELECT p.*, r.task_id, r.queue,
    CASE WHEN p.concurrency_limit IS NULL THEN r.partition
      ELSE coalesce(r.partition, r.concurrency_key, '') END AS partition,
    r.occupies AS occupied, r.failures, r.retries, r.releases, r.created_at, r.concurrency_key, r.idempotency_key,
    r.singleton_key
  FROM p CROSS JOIN LATERAL (
    SELECT a.task_id, a.queue, a.partition, a.occupies, a.failures, a.retries, a.releases, a.created_at,
      a.concurrency_key, a.idempotency_key, a.singleton_key
    FROM {schema}.active_runs a
    WHERE a.env = :env AND a.run_id = p.run_id AND a.sequence = p.expected
      AND ((a.kind IN (0, 1) AND a.due_at <= p.due_by)
        OR (a.kind = 3 AND NOT p.reserving AND a.dispatch_expires_at > p.now
          AND coalesce(a.run_at, a.updated_at) <= p.now)
        OR (a.kind = 3 AND p.reserving AND a.dispatch_expires_at <= p.now))
    FOR UPDATE SKIP LOCKED) r
), wanting AS MATERIALIZED (
  SELECT run_id, queue, partition, coalesce(concurrency_limit, 2147483647) AS concurrency_limit,
    row_number() OVER (PARTITION BY queue, partition ORDER BY run_id) AS place
  FROM l WHERE partition IS NOT NULL AND NOT occupied
), room AS MATERIALIZED (
  SELECT w.queue, w.partition, c.used
  FROM (SELECT DISTINCT queue, partition FROM wanting ORDER BY queue, partition) w
  CROSS JOIN LATERAL (
    SELECT k.used FROM {schema}.queue_capacity k
    WHERE k.env = :env AND k.queue = w.queue AND k.partition = w.partition FOR NO KEY UPDATE SKIP LOCKED) c
), fitting AS MATERIALIZED (
  SELECT w.run_id FROM wanting w JOIN room r USING (queue, partition)
  WHERE r.used + w.place <= w.concurrency_limit
), taken AS MATERIALIZED (
  SELECT l.* FROM l LEFT JOIN fitting f USING (run_id)
  WHERE l.partition IS NULL OR l.occupied OR f.run_id IS NOT NULL
), going AS (
  INSERT INTO {schema}.active_runs AS a (env, run_id, task_id, queue, partition, status, kind, occupies, due_at,
      sequence, attempts, failures, retries, releases, run_at, created_at, updated_at, started_at, lease_token,
      lease_worker, lease_expires_at, dispatched_at, dispatch_expires_at, concurrency_key, idempotency_key,
      singleton_key, trace_carrier, failure)
  SELECT :env, run_id, task_id, queue, partition, status, kind, partition IS NOT NULL, due_at, sequence, attempts,
      failures, retries, releases, run_at, created_at, updated_at, started_at, lease_token, lease_worker,
      lease_expires_at, dispatched_at, dispatch_expires_at, concurrency_key, idempotency_key, singleton_key,
      trace_carrier, failure
  FROM taken
  ON CONFLICT (env, run_id) DO UPDATE SET status = excluded.status, kind = excluded.kind,
    partition = excluded.partition, occupies = excluded.occupies, due_at = excluded.due_at,
    sequence = excluded.sequence, attempts = excluded.attempts, run_at = excluded.run_at,
    updated_at = excluded.updated_at, started_at = excluded.started_at, lease_token = excluded.lease_token,
    lease_worker = excluded.lease_worker, lease_expires_at = excluded.lease_expires_at,
    dispatched_at = excluded.dispatched_at,
    dispatch_expires_at = excluded.dispatch_expires_at, trace_carrier = excluded.trace_carrier,
    failure = excluded.failure, awaiting = NULL
), counted AS (
  INSERT INTO {schema}.queue_capacity AS c (env, queue, partition, used)
  SELECT :env, queue, partition, count(*) FROM taken WHERE partition IS NOT NULL AND NOT occupied
  GROUP BY queue, partition ORDER BY queue, partition
  ON CONFLICT (env, queue, partition) DO UPDATE SET used = c.used + excluded.used
), e AS (
  INSERT INTO {schema}.run_events (env, run_id, sequence, type, occurred_at, body)
  SELECT :env, run_id, v.sequence, type, occurred_at, body
  FROM {event_rows} JOIN taken USING (run_id)
  ORDER BY run_id, v.sequence
  RETURNING run_id, sequence, event_id
), message AS (
  INSERT INTO {schema}.outbox_messages {message_columns}
  SELECT :env, run_id, m.sequence, message_id, m.queue, m.status, requested_at, available_at, next_at,
      m.claim_token, m.trace_carrier
  FROM {message_rows} JOIN taken USING (run_id)
)
SELECT run_id, sequence, event_id FROM e
UNION ALL SELECT l.run_id, 0, NULL FROM l LEFT JOIN taken t USING (run_id) WHERE t.run_id IS NULL

-- name: await_partition
-- Waits for a partition's capacity row and holds it, for a creation that must have its answer now: the
-- statement behind this one, whose snapshot is newer, then finds the row its own.
SELECT used FROM {schema}.queue_capacity WHERE env = :env AND queue = :queue AND partition = :partition
    FOR NO KEY UPDATE

-- name: lines_with_runs
-- Of unbounded queues and tasks the lines in which some run waits or runs: a step along the index of due ones each.
WITH RECURSIVE {tasks_of_queues}
SELECT q.queue, q.task_id FROM tasks q WHERE q.task_id = ANY (:task_ids::text[])

-- name: claim_unbounded
-- Claims and starts due runs of unbounded queues, those due longest first: queued ones from the low-water
-- mark of their queue on, and scheduled, retrying, released ones and expired leases from the beginning. There
-- is a line of each queue, task and kind, so that runs of other tasks are never walked. The lines are merged
-- without a lock first, which says how many of each to lock; rows somebody else holds are skipped. The events
-- and the projection are those the reducer makes of run.lease_claimed and run.started, which occur no earlier
-- than the run was last updated. Answers each run twice: as it was, with the ids of its events, and as it is
-- written; joining the two here would let the planner loop. A last row says how many were wanted.
WITH {lines}, want AS MATERIALIZED (
  SELECT x.queue, x.task_id, x.kind, x.low, count(*) AS n
  FROM (SELECT l.queue, l.task_id, l.kind, l.low, a.due_at, a.run_id FROM line l CROSS JOIN LATERAL (
      {first_of_line}) a
    ORDER BY a.due_at, a.run_id LIMIT :limit) x
  GROUP BY x.queue, x.task_id, x.kind, x.low
), due AS MATERIALIZED (
  SELECT a.* FROM want w CROSS JOIN LATERAL (
    {wanted_of_line}) a
), c AS MATERIALIZED (
  {event_ids}
  FROM (SELECT * FROM due ORDER BY due_at, run_id LIMIT :limit) x
), u AS (
  UPDATE {schema}.active_runs a SET status = 'running', kind = 1, {lease_written}
), e AS (
  {claim_events}
)
{claimed_runs}
UNION ALL
SELECT NULL, NULL, NULL, NULL, (SELECT sum(n) FROM want)::bigint, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL

-- name: claim_named
-- As claim_unbounded, of named runs: those of them that are due in these queues, each found by its key. Where fewer
-- are claimed than were named, those that are due are counted without a lock, which says whether any was passed over.
WITH named AS MATERIALIZED (
  SELECT DISTINCT run_id FROM unnest(:run_ids::text[]) AS n(run_id)
), due AS MATERIALIZED (
  SELECT a.* FROM named n CROSS JOIN LATERAL (
    SELECT {claimable_columns}
    FROM {schema}.active_runs r WHERE r.run_id = n.run_id AND {named_and_due}
    LIMIT 1 FOR UPDATE SKIP LOCKED) a
), c AS MATERIALIZED (
  {event_ids}
  FROM (SELECT * FROM due ORDER BY due_at, run_id LIMIT :limit) x
), u AS (
  UPDATE {schema}.active_runs a SET status = 'running', kind = 1, {lease_written}
), e AS (
  {claim_events}
)
{claimed_runs}
UNION ALL
SELECT NULL, NULL, NULL, NULL, CASE WHEN (SELECT count(*) FROM due) = (SELECT count(*) FROM named)
    THEN (SELECT count(*) FROM due)
    ELSE (SELECT count(*) FROM named n CROSS JOIN LATERAL (
      SELECT 1 FROM {schema}.active_runs r WHERE r.run_id = n.run_id AND {named_and_due} LIMIT 1) a) END,
  NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, NULL

-- name: claim_any
-- As claim_unbounded, of bounded queues :bounded_queues as well, in one order. A loose index scan walks up to
-- :bounded_steps partitions of each from :bounded_starts on. Runs that occupy a slot already, of expired leases and
-- live reservations, are taken over as they are. Of the others, each partition gives as many as wait there and its
-- row seems to have room for, beginning with the partition whose first is due longest: with :exact as many partitions
-- as runs are wanted, so that the order is exact, else no more than it takes to have that many runs (the limit ends the
-- loop over them), so that a large claim locks few partitions. What is due longest of all that is wanted; then the row
-- of each such partition is locked, and as many waiting runs are taken as it really has room for. A partition whose
-- row is locked is somebody else's for now and is skipped. Without :prepared nothing is claimed where a partition has
-- no capacity row yet or a reservation that nobody claimed in time still takes a slot: both are to be seen to first.
-- The last rows say how many were wanted or passed over, and of each bounded queue to where and over how many
-- partitions it was walked, how many of those lack a capacity row, whether there was such a reservation, how many
-- runs those partitions give if the others have as many waiting ones for their room as those that were asked, and,
-- where fewer were claimed than were wanted, whether a run of it has no partition.
WITH RECURSIVE {stretches}, walked AS MATERIALIZED (
  SELECT w.queue, w.most, w.partition, k.used FROM walk w LEFT JOIN LATERAL (
    SELECT q.used FROM {schema}.queue_capacity q
    WHERE q.env = :env AND q.queue = w.queue AND q.partition = w.partition LIMIT 1) k ON true
), lapsed AS MATERIALIZED (
  SELECT b.queue, 1 AS one FROM unnest(:bounded_queues::text[]) AS b(queue) CROSS JOIN LATERAL (
    SELECT r.run_id FROM {schema}.active_runs r
    WHERE r.env = :env AND r.queue = b.queue AND r.kind = 3 AND r.due_at <= :now AND r.occupies
    ORDER BY r.due_at LIMIT 1) a
), ready AS MATERIALIZED (
  SELECT :prepared OR ((SELECT 1 FROM walked WHERE used IS NULL LIMIT 1) IS NULL
    AND (SELECT 1 FROM lapsed LIMIT 1) IS NULL) AS is_ready
), {lines}, reservations AS MATERIALIZED (
  SELECT b.queue, a.at, a.run_id
  FROM unnest(:bounded_queues::text[]) AS b(queue) CROSS JOIN LATERAL (
    SELECT coalesce(r.run_at, r.updated_at) AS at, r.run_id FROM {schema}.active_runs r
    WHERE r.env = :env AND r.queue = b.queue AND r.kind = 3 AND r.due_at > :now AND r.occupies
      AND coalesce(r.run_at, r.updated_at) <= :now AND r.updated_at < :expires_at
          AND r.task_id = ANY (:task_ids::text[])
    ORDER BY 1, 2 LIMIT :limit) a
), heads AS MATERIALIZED (
  SELECT w.queue, w.partition, w.most, least(w.most - w.used, :limit) AS free, h.task_id, h.due_at, h.run_id,
    row_number() OVER (ORDER BY h.due_at, h.run_id) AS place
  FROM walked w CROSS JOIN LATERAL (
    SELECT t.task_id, a.due_at, a.run_id FROM unnest(:task_ids::text[]) AS t(task_id) CROSS JOIN LATERAL (
      SELECT r.due_at, r.run_id FROM {schema}.active_runs r
      WHERE {waiting_of_task}
      ORDER BY r.due_at, r.run_id LIMIT 1) a
    ORDER BY a.due_at, a.run_id LIMIT 1) h
  WHERE w.used < w.most
), chosen AS MATERIALIZED (
  SELECT w.queue, w.partition, w.most, w.free, a.task_id, a.due_at, a.run_id
  FROM (SELECT * FROM heads WHERE place <= :limit ORDER BY place) w CROSS JOIN LATERAL (
    SELECT w.task_id, w.due_at, w.run_id WHERE w.free = 1
    UNION ALL
    (SELECT t.task_id, x.due_at, x.run_id FROM unnest(:task_ids::text[]) AS t(task_id) CROSS JOIN LATERAL (
      SELECT r.due_at, r.run_id FROM {schema}.active_runs r
      WHERE {waiting_of_task}
      ORDER BY r.due_at, r.run_id LIMIT w.free) x
    WHERE w.free > 1
    ORDER BY x.due_at, x.run_id LIMIT w.free)) a
  LIMIT CASE WHEN NOT :exact THEN :limit END
), asked AS MATERIALIZED (
  SELECT queue, partition, free, count(*) AS n FROM chosen GROUP BY queue, partition, free
), found AS MATERIALIZED (
  SELECT 'unbounded' AS form, l.queue, NULL::text AS partition, NULL::integer AS most, l.task_id, l.kind, l.low,
    a.due_at AS at, a.run_id
  FROM line l CROSS JOIN LATERAL (
    {first_of_line}) a
  UNION ALL
  SELECT 'expired', w.queue, w.partition, w.most, t.task_id, NULL, NULL, a.due_at, a.run_id
  FROM (SELECT * FROM walked WHERE used > 0) w
  CROSS JOIN unnest(:task_ids::text[]) AS t(task_id) CROSS JOIN LATERAL (
    SELECT r.due_at, r.run_id FROM {schema}.active_runs r
    WHERE r.env = :env AND r.queue = w.queue AND r.partition IS NOT NULL AND r.partition = w.partition
      AND r.occupies AND r.task_id = t.task_id AND r.due_at <= :now AND r.kind = 1 AND r.updated_at < :expires_at
    ORDER BY r.due_at, r.run_id LIMIT :limit) a
  UNION ALL
  SELECT 'reserved', queue, NULL, NULL, NULL, NULL, NULL, at, run_id FROM reservations
  UNION ALL
  SELECT 'waiting', queue, partition, most, task_id, NULL, NULL, due_at, run_id FROM chosen
), want AS MATERIALIZED (
  SELECT x.form, x.queue, x.partition, x.most, x.task_id, x.kind, x.low, count(*) AS n
  FROM (SELECT * FROM found WHERE (SELECT is_ready FROM ready) ORDER BY at, run_id LIMIT :limit) x
  GROUP BY x.form, x.queue, x.partition, x.most, x.task_id, x.kind, x.low
), unbounded AS MATERIALIZED (
  SELECT a.*, a.due_at AS at FROM want w CROSS JOIN LATERAL (
    {wanted_of_line}) a
  WHERE w.form = 'unbounded'
), expired AS MATERIALIZED (
  SELECT a.*, a.due_at AS at FROM want w CROSS JOIN LATERAL (
    SELECT {claimable_columns}
    FROM {schema}.active_runs r
    WHERE r.env = :env AND r.queue = w.queue AND r.partition IS NOT NULL AND r.partition = w.partition
      AND r.occupies AND r.task_id = w.task_id AND r.due_at <= :now AND r.kind = 1 AND r.updated_at < :expires_at
    ORDER BY r.due_at, r.run_id LIMIT w.n FOR UPDATE SKIP LOCKED) a
  WHERE w.form = 'expired'
), reserved AS MATERIALIZED (
  SELECT a.*, coalesce(a.run_at, a.updated_at) AS at FROM reservations v CROSS JOIN LATERAL (
    SELECT {claimable_columns}
    FROM {schema}.active_runs r
    WHERE r.env = :env AND r.run_id = v.run_id AND r.queue = v.queue AND r.kind + 0 = 3 AND r.due_at > :now
      AND r.occupies AND coalesce(r.run_at, r.updated_at) <= :now AND r.updated_at < :expires_at
    FOR UPDATE SKIP LOCKED) a
  WHERE (SELECT 1 FROM want w WHERE w.form = 'reserved' LIMIT 1) = 1
), room AS MATERIALIZED (
  SELECT n.queue, n.partition, n.task_ids, n.numbers, n.most - c.used AS free
  FROM (SELECT queue, partition, most, array_agg(task_id) AS task_ids, array_agg(n) AS numbers FROM want
    WHERE form = 'waiting' GROUP BY queue, partition, most) n CROSS JOIN LATERAL (
    SELECT k.used FROM {schema}.queue_capacity k
    WHERE k.env = :env AND k.queue = n.queue AND k.partition = n.partition AND k.used < n.most
    FOR NO KEY UPDATE SKIP LOCKED) c
), waiting AS MATERIALIZED (
  SELECT a.*, a.due_at AS at,
    m.free - row_number() OVER (PARTITION BY m.queue, m.partition ORDER BY a.due_at, a.run_id) AS spare
  FROM room m CROSS JOIN LATERAL unnest(m.task_ids, m.numbers) AS w(task_id, n) CROSS JOIN LATERAL (
    SELECT {claimable_columns}
    FROM {schema}.active_runs r
    WHERE r.env = :env AND r.queue = m.queue AND r.partition IS NOT NULL AND r.partition = m.partition
      AND NOT r.occupies AND r.task_id = w.task_id AND r.due_at <= :now AND r.kind IN (0, 1)
      AND r.updated_at < :expires_at
    ORDER BY r.due_at, r.run_id LIMIT w.n FOR UPDATE SKIP LOCKED) a
), c AS MATERIALIZED (
  {event_ids}
  FROM (SELECT *, 0 AS spare FROM unbounded UNION ALL SELECT *, 0 FROM expired UNION ALL
    SELECT *, 0 FROM reserved UNION ALL SELECT * FROM waiting WHERE spare >= 0
    ORDER BY at, run_id LIMIT :limit) x
), counted AS (
  INSERT INTO {schema}.queue_capacity AS k (env, queue, partition, used)
  SELECT :env, queue, partition, count(*) FROM c WHERE partition IS NOT NULL AND NOT occupies
  GROUP BY queue, partition ORDER BY queue, partition
  ON CONFLICT (env, queue, partition) DO UPDATE SET used = k.used + excluded.used
), u AS (
  UPDATE {schema}.active_runs a SET status = 'running', kind = 1,
    occupies = partition IS NOT NULL, {lease_written}
), e AS (
  {claim_events}
)
{claimed_runs}
UNION ALL
SELECT NULL, NULL, NULL, NULL, (SELECT sum(n) FROM want)::bigint + (SELECT count(*) FROM heads)
    - (SELECT count(*) FROM asked), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
UNION ALL
SELECT NULL, max(w.partition), b.queue, NULL, count(w.partition),
  count(*) FILTER (WHERE w.partition IS NOT NULL AND w.used IS NULL)::integer,
  coalesce((SELECT l.one FROM lapsed l WHERE l.queue = b.queue), 0),
  least(coalesce(ceil((SELECT sum(h.free) FROM heads h WHERE h.queue = b.queue)
    * coalesce((SELECT sum(a.n) / sum(a.free) FROM asked a WHERE a.queue = b.queue), 1)), 0), 2147483647)::integer,
  CASE WHEN (SELECT count(*) FROM c) < :limit THEN {without_partition} END, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM unnest(:bounded_queues::text[]) AS b(queue) LEFT JOIN walked w ON w.queue = b.queue GROUP BY b.queue

-- name: make_walked_capacity
-- Makes the capacity rows that partitions of a walk have not got yet. A statement of its own, as make_capacity.
WITH RECURSIVE walk AS (
  SELECT 1 AS step, p.partition FROM (SELECT a.partition FROM {schema}.active_runs a
    WHERE a.env = :env AND a.queue = :queue AND a.partition IS NOT NULL AND a.partition >= :start
    ORDER BY a.partition LIMIT 1) p
  UNION ALL
  SELECT w.step + 1, p.partition FROM walk w CROSS JOIN LATERAL (SELECT a.partition FROM {schema}.active_runs a
    WHERE a.env = :env AND a.queue = :queue AND a.partition IS NOT NULL AND a.partition > w.partition
    ORDER BY a.partition LIMIT 1) p
  WHERE w.step < :most_partitions
)
INSERT INTO {schema}.queue_capacity (env, queue, partition, used)
SELECT :env, :queue, w.partition, 0 FROM walk w
WHERE (SELECT 1 FROM {schema}.queue_capacity k
  WHERE k.env = :env AND k.queue = :queue AND k.partition = w.partition) IS NULL
ORDER BY w.partition
ON CONFLICT DO NOTHING

-- name: make_capacity
-- Creates missing capacity rows, and answers those that stay for a day at least: what somebody holds that has been
-- idle may be removed before. A statement of its own, so that a trigger in somebody's open transaction never holds a
-- partition; nor does it wait for one.
WITH p AS MATERIALIZED (
  SELECT * FROM unnest(:queues::text[], :partitions::text[]) AS p(queue, partition)
), idle AS MATERIALIZED (
  SELECT x.ctid AS at FROM p CROSS JOIN LATERAL (
    SELECT k.ctid FROM {schema}.queue_capacity k
    WHERE k.env = :env AND k.queue = p.queue AND k.partition = p.partition AND k.idle_since IS NOT NULL
    FOR NO KEY UPDATE SKIP LOCKED) x
), wanted AS (
  UPDATE {schema}.queue_capacity SET idle_since = NULL WHERE ctid = ANY (ARRAY(SELECT at FROM idle))
  RETURNING queue, partition
), made AS (
  INSERT INTO {schema}.queue_capacity (env, queue, partition, used)
  SELECT :env, queue, partition, 0 FROM p ORDER BY queue COLLATE "C", partition COLLATE "C"
  ON CONFLICT DO NOTHING
  RETURNING queue, partition
)
SELECT queue, partition FROM wanted
UNION ALL SELECT queue, partition FROM made
UNION ALL SELECT p.queue, p.partition FROM p CROSS JOIN LATERAL (
  SELECT 1 FROM {schema}.queue_capacity k
  WHERE k.env = :env AND k.queue = p.queue AND k.partition = p.partition AND k.idle_since IS NULL LIMIT 1) x

-- name: prune_capacity
-- Looks at up to :limit capacity rows after the position (:after_queue, :after_partition): notes which are of a
-- partition without any run that has not ended, and removes those of which that was noted a day ago. What somebody
-- holds, or has changed since the statement began, is passed over: a row's place in the table is another then. Answers the position reached, nothing where fewer rows were left.
WITH c AS MATERIALIZED (
  SELECT k.queue, k.partition, k.idle_since, k.used = 0 AND (SELECT 1 FROM {schema}.active_runs a
      WHERE a.env = :env AND a.queue = k.queue AND a.partition IS NOT NULL AND a.partition = k.partition
      ORDER BY a.occupies LIMIT 1)
    IS NULL AS idle
  FROM {schema}.queue_capacity k
  WHERE k.env = :env AND (k.queue, k.partition) > (:after_queue::text, :after_partition::text)
  ORDER BY k.queue, k.partition LIMIT :limit
), l AS MATERIALIZED (
  SELECT r.ctid AS at, c.idle, r.idle_since FROM c CROSS JOIN LATERAL (
    SELECT k.ctid, k.idle_since FROM {schema}.queue_capacity k
    WHERE k.env = :env AND k.queue = c.queue AND k.partition = c.partition AND (k.used = 0 OR NOT c.idle)
    FOR UPDATE SKIP LOCKED) r
  WHERE c.idle <> (c.idle_since IS NOT NULL) OR c.idle_since <= now() - interval '1 day'
), noted AS (
  UPDATE {schema}.queue_capacity SET idle_since = CASE WHEN idle_since IS NULL THEN now() END
  WHERE ctid = ANY (ARRAY(SELECT at FROM l WHERE idle <> (idle_since IS NOT NULL)))
), gone AS (
  DELETE FROM {schema}.queue_capacity
  WHERE ctid = ANY (ARRAY(SELECT at FROM l WHERE idle AND idle_since <= now() - interval '1 day'))
)
SELECT queue, partition FROM c ORDER BY queue DESC, partition DESC LIMIT CASE (SELECT count(*) FROM c)
  WHEN :limit THEN 1 ELSE 0 END

-- name: collect_reservations
-- Frees the slots of reservations nobody claimed in time. The rows stay what they are, due for another
-- reservation; locked ones are somebody else's business.
WITH l AS MATERIALIZED (
  SELECT a.run_id, a.partition FROM {schema}.active_runs a
  WHERE a.env = :env AND a.queue = :queue AND a.kind = 3 AND a.due_at <= :now AND a.occupies AND a.partition IS NOT NULL
  ORDER BY a.due_at, a.run_id LIMIT :limit FOR UPDATE SKIP LOCKED
), k AS MATERIALIZED (
  SELECT p.partition FROM (SELECT DISTINCT partition FROM l ORDER BY partition) p CROSS JOIN LATERAL (
    SELECT 1 FROM {schema}.queue_capacity c
    WHERE c.env = :env AND c.queue = :queue AND c.partition = p.partition FOR NO KEY UPDATE SKIP LOCKED) x
), f AS MATERIALIZED (
  SELECT l.run_id, l.partition FROM l JOIN k USING (partition)
), u AS (
  UPDATE {schema}.active_runs a SET occupies = false
  FROM (SELECT :env::integer AS env, f.run_id FROM f OFFSET 0) k
  WHERE {env_of_key} AND a.run_id = k.run_id
), freed AS (
  INSERT INTO {schema}.queue_capacity AS c (env, queue, partition, used)
  SELECT :env, :queue, partition, -count(*) FROM f GROUP BY partition ORDER BY partition
  ON CONFLICT (env, queue, partition) DO UPDATE SET used = c.used + excluded.used
)
SELECT count(*) AS collected FROM f

-- name: queues_to_bind
-- Of these queues, those whose policy was noted otherwise last, or that have runs written under the other one; so are
-- in a queue without a limit those that an earlier release wrote as waiting for a reservation.
SELECT q.queue FROM unnest(:queues::text[], :bounded::boolean[]) AS q(queue, bounded)
WHERE (SELECT k.bounded FROM {schema}.queue_bindings k
    WHERE k.env = :env AND k.queue = q.queue) IS DISTINCT FROM q.bounded
  OR CASE WHEN q.bounded
    THEN (SELECT 1 FROM {schema}.active_runs a
      WHERE a.env = :env AND a.queue = q.queue AND a.partition IS NULL ORDER BY a.task_id LIMIT 1)
    ELSE coalesce((SELECT 1 FROM {schema}.active_runs a
        WHERE a.env = :env AND a.queue = q.queue AND a.partition IS NOT NULL ORDER BY a.partition LIMIT 1),
      (SELECT 1 FROM {schema}.active_runs a
        WHERE a.env = :env AND a.queue = q.queue AND a.kind = 3 ORDER BY a.due_at LIMIT 1)) END = 1

-- fragment: found_locked
-- Those that were found, in the order of their ids. Whether another process has rewritten one meanwhile is to be asked
-- behind this: in here the question would make an index of such runs look as good as the key.
locked AS MATERIALIZED (
  SELECT r.run_id, r.partition, r.occupies, r.concurrency_key, r.lease_token, r.dispatch_expires_at
  FROM (SELECT run_id FROM found ORDER BY run_id) f CROSS JOIN LATERAL (
    SELECT a.run_id, a.partition, a.occupies, a.concurrency_key, a.lease_token, a.dispatch_expires_at
    FROM {schema}.active_runs a
    WHERE a.env = :env AND a.run_id = f.run_id LIMIT 1 FOR UPDATE) r
)

-- name: bind_bounded
-- Gives runs of a queue that has become bounded their partition, a bounded number at a time, and counts
-- those that occupy a slot: leased ones, and dispatch reservations made before, which count again. Whichever come
-- first along the index are taken, and locked in the order of their ids. Answers how many were found.
WITH found AS MATERIALIZED (
  SELECT a.run_id FROM {schema}.active_runs a
  WHERE a.env = :env AND a.queue = :queue AND a.partition IS NULL ORDER BY a.task_id LIMIT :limit
), {found_locked}, l AS MATERIALIZED (
  SELECT run_id, coalesce(concurrency_key, '') AS partition,
    lease_token IS NOT NULL OR dispatch_expires_at IS NOT NULL AS occupies
  FROM locked WHERE partition IS NULL
), u AS (
  UPDATE {schema}.active_runs a SET partition = coalesce(concurrency_key, ''),
    occupies = lease_token IS NOT NULL OR dispatch_expires_at IS NOT NULL,
    kind = CASE WHEN lease_token IS NULL AND dispatch_expires_at IS NOT NULL THEN 3 ELSE kind END,
    due_at = CASE WHEN lease_token IS NULL THEN coalesce(dispatch_expires_at, due_at) ELSE due_at END
  FROM (SELECT :env::integer AS env, l.run_id FROM l OFFSET 0) k
  WHERE {env_of_key} AND a.run_id = k.run_id
), counted AS (
  INSERT INTO {schema}.queue_capacity AS c (env, queue, partition, used)
  SELECT :env, :queue, partition, count(*) FILTER (WHERE occupies) FROM l GROUP BY partition ORDER BY partition
  ON CONFLICT (env, queue, partition) DO UPDATE SET used = c.used + excluded.used
)
SELECT count(*) AS found FROM found

-- name: bind_unbounded
-- The reverse, for a queue that has lost its limit. A run that waits for a reservation to end waits for
-- itself again, since nobody reserves here; with the last of them one without a partition too, which an earlier release
-- wrote so, unless somebody else writes it.
WITH found AS MATERIALIZED (
  SELECT a.run_id FROM {schema}.active_runs a
  WHERE a.env = :env AND a.queue = :queue AND a.partition IS NOT NULL ORDER BY a.partition LIMIT :limit
), {found_locked}, l AS MATERIALIZED (
  SELECT run_id, partition, occupies FROM locked WHERE partition IS NOT NULL
), stuck AS MATERIALIZED (
  SELECT a.run_id FROM {schema}.active_runs a
  WHERE a.env = :env AND a.queue = :queue AND a.kind = 3 AND a.partition IS NULL
    AND (SELECT count(*) FROM found) < :limit
  ORDER BY a.due_at, a.run_id LIMIT :limit FOR UPDATE SKIP LOCKED
), u AS (
  UPDATE {schema}.active_runs a SET partition = NULL, occupies = false,
    kind = CASE WHEN kind <> 3 THEN kind WHEN status = 'queued' THEN 0 ELSE 1 END,
    due_at = CASE WHEN kind <> 3 THEN due_at ELSE coalesce(run_at, updated_at) END
  FROM (SELECT :env::integer AS env, o.run_id FROM (SELECT run_id FROM l UNION ALL SELECT run_id FROM stuck) o
    OFFSET 0) k
  WHERE {env_of_key} AND a.run_id = k.run_id
), freed AS (
  INSERT INTO {schema}.queue_capacity AS c (env, queue, partition, used)
  SELECT :env, :queue, partition, -count(*) FILTER (WHERE occupies) FROM l GROUP BY partition ORDER BY partition
  ON CONFLICT (env, queue, partition) DO UPDATE SET used = c.used + excluded.used
)
SELECT greatest((SELECT count(*) FROM found), (SELECT count(*) FROM stuck)) AS found

-- name: note_binding
-- Remembers whether a queue is bounded, for creations that do not say; locks nothing where that is known.
INSERT INTO {schema}.queue_bindings AS b (env, queue, bounded)
SELECT :env, :queue, :bounded WHERE (SELECT k.bounded FROM {schema}.queue_bindings k
  WHERE k.env = :env AND k.queue = :queue) IS DISTINCT FROM :bounded::boolean
ON CONFLICT (env, queue) DO UPDATE SET bounded = excluded.bounded

-- name: unsettled_indexes
-- Which indexes are missing or not whole, and which of those that have successors are still there.
SELECT ARRAY(SELECT n FROM unnest(:indexes::text[]) AS n WHERE (SELECT 1 FROM pg_index i
      WHERE i.indisvalid AND i.indexrelid = to_regclass('{schema}.' || n)) IS NULL) AS missing,
  ARRAY(SELECT n FROM unnest(:superseded::text[]) AS n WHERE to_regclass('{schema}.' || n) IS NOT NULL) AS superseded

-- name: lock_indexes
-- The right to make and drop indexes of a schema, as long as the connection lasts; whoever has it is not waited for.
SELECT pg_try_advisory_lock(hashtextextended(:lock, 0)) AS is_locked

-- fragment: taken
-- Whether somebody else makes or drops an index of the table, or vacuums it: that holds, or waits for, a lock that all
-- roles can see, while what it is at is shown to some of them alone.
EXISTS (SELECT 1 FROM pg_locks l WHERE l.locktype = 'relation' AND l.mode = 'ShareUpdateExclusiveLock'
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    AND l.relation = to_regclass('{schema}.' || :table_name) AND l.pid <> pg_backend_pid())

-- name: late_index
-- Whether an index is whole, null where there is none, and whether somebody else is at its table.
SELECT (SELECT i.indisvalid FROM pg_index i WHERE i.indexrelid = to_regclass('{schema}.' || :index_name)) AS is_valid,
  {taken} AS is_taken

-- name: superseded_indexes
-- Which of a table's indexes that have successors may be dropped: none while somebody else is at the table. A process
-- that does not say which schema it knows is of a release that follows them, while it lives.
SELECT coalesce(array_agg(o.name) FILTER (WHERE (SELECT 1 FROM pg_index i
      WHERE i.indisvalid AND i.indexrelid = to_regclass('{schema}.' || o.successor)) = 1
    AND (SELECT 1 FROM {schema}.live_processes p
      WHERE p.schema_version IS NULL AND p.last_seen > now() - interval '1 minute' LIMIT 1) IS NULL
    AND NOT {taken}), '{}') AS ready
FROM unnest(:indexes::text[], :successors::text[]) AS o(name, successor)
WHERE to_regclass('{schema}.' || o.name) IS NOT NULL

-- name: take_time
-- An index of a large table takes longer than the role's statements may. Servers before 17 have no transaction_timeout.
SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false),
  CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL
    THEN set_config('transaction_timeout', '0', false) END

-- name: drop_late_index
DROP INDEX CONCURRENTLY IF EXISTS {schema}.{index}

-- name: make_active_runs_due_task
-- As in the migration, beside readers and writers.
CREATE INDEX CONCURRENTLY IF NOT EXISTS active_runs_due_task
  ON {schema}.active_runs (env, queue, task_id, kind, due_at, run_id) WHERE partition IS NULL

-- name: make_schedule_occurrences_fires
CREATE INDEX CONCURRENTLY IF NOT EXISTS schedule_occurrences_fires
  ON {schema}.schedule_occurrences (env, schedule_id, fire_at)

-- name: make_outbox_messages_failed
CREATE INDEX CONCURRENTLY IF NOT EXISTS outbox_messages_failed
  ON {schema}.outbox_messages (env, status, message_id) WHERE failed_publishes > 0

-- name: make_active_runs_due_task_bounded
CREATE INDEX CONCURRENTLY IF NOT EXISTS active_runs_due_task_bounded
  ON {schema}.active_runs (env, queue, partition, occupies, task_id, due_at, run_id) WHERE partition IS NOT NULL
