-- name: acquire_runs
-- Claims leases of named runs and reserves dispatch for named runs. Runs and capacity rows are locked with
-- SKIP LOCKED, so this statement waits for nobody: what somebody else holds is lost. A run that occupies a
-- slot already needs no second one; of the others, each partition accepts as many as its locked capacity
-- row has room for. Events are written after the capacity row is locked. A run that was found but not
-- accepted is answered with sequence 0.
WITH p AS MATERIALIZED (
  SELECT * FROM unnest($2::text[], $3::bigint[], $4::text[], $5::smallint[], $6::timestamptz[], $7::bigint[],
      $8::integer[], $9::timestamptz[], $10::timestamptz[], $11::timestamptz[], $12::text[], $13::text[],
      $14::timestamptz[], $15::timestamptz[], $16::timestamptz[], $17::text[], $18::text[], $19::boolean[],
      $20::integer[], $21::timestamptz[])
    AS p(run_id, expected, status, kind, due_at, sequence, attempts, run_at, updated_at, started_at,
      lease_token, lease_worker, lease_expires_at, dispatched_at, dispatch_expires_at, trace_carrier, failure,
      reserving, concurrency_limit, now)
  ORDER BY run_id
), l AS MATERIALIZED (
  SELECT p.*, r.task_id, r.queue, r.partition, r.occupies AS occupied, r.failures, r.retries, r.releases,
    r.created_at, r.concurrency_key, r.idempotency_key, r.singleton_key
  FROM p CROSS JOIN LATERAL (
    SELECT a.task_id, a.queue, a.partition, a.occupies, a.failures, a.retries, a.releases, a.created_at,
      a.concurrency_key, a.idempotency_key, a.singleton_key
    FROM {schema}.active_runs a
    WHERE a.env = $1 AND a.run_id = p.run_id AND a.sequence = p.expected
      AND ((a.kind IN (0, 1) AND a.due_at <= p.now)
        OR (a.kind = 3 AND NOT p.reserving AND a.dispatch_expires_at > p.now
          AND coalesce(a.run_at, a.updated_at) <= p.now)
        OR (a.kind = 3 AND p.reserving AND a.dispatch_expires_at <= p.now))
    FOR UPDATE SKIP LOCKED) r
  WHERE p.concurrency_limit IS NULL OR r.partition IS NOT NULL
), wanting AS MATERIALIZED (
  SELECT run_id, queue, partition, coalesce(concurrency_limit, 2147483647) AS concurrency_limit,
    row_number() OVER (PARTITION BY queue, partition ORDER BY run_id) AS place
  FROM l WHERE partition IS NOT NULL AND NOT occupied
), room AS MATERIALIZED (
  SELECT w.queue, w.partition, c.used
  FROM (SELECT DISTINCT queue, partition FROM wanting ORDER BY queue, partition) w
  CROSS JOIN LATERAL (
    SELECT k.used FROM {schema}.queue_capacity k
    WHERE k.env = $1 AND k.queue = w.queue AND k.partition = w.partition FOR NO KEY UPDATE SKIP LOCKED) c
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
  SELECT $1, run_id, task_id, queue, partition, status, kind, partition IS NOT NULL, due_at, sequence, attempts,
      failures, retries, releases, run_at, created_at, updated_at, started_at, lease_token, lease_worker,
      lease_expires_at, dispatched_at, dispatch_expires_at, concurrency_key, idempotency_key, singleton_key,
      trace_carrier, failure
  FROM taken
  ON CONFLICT (env, run_id) DO UPDATE SET status = excluded.status, kind = excluded.kind,
    occupies = excluded.occupies, due_at = excluded.due_at, sequence = excluded.sequence,
    attempts = excluded.attempts, run_at = excluded.run_at, updated_at = excluded.updated_at,
    started_at = excluded.started_at, lease_token = excluded.lease_token, lease_worker = excluded.lease_worker,
    lease_expires_at = excluded.lease_expires_at, dispatched_at = excluded.dispatched_at,
    dispatch_expires_at = excluded.dispatch_expires_at, trace_carrier = excluded.trace_carrier,
    failure = excluded.failure, awaiting = NULL
), counted AS (
  INSERT INTO {schema}.queue_capacity AS c (env, queue, partition, used)
  SELECT $1, queue, partition, count(*) FROM taken WHERE partition IS NOT NULL AND NOT occupied
  GROUP BY queue, partition ORDER BY queue, partition
  ON CONFLICT (env, queue, partition) DO UPDATE SET used = c.used + excluded.used
), e AS (
  INSERT INTO {schema}.run_events (env, run_id, sequence, type, occurred_at, body)
  SELECT $1, run_id, v.sequence, type, occurred_at, body
  FROM unnest($22::text[], $23::bigint[], $24::text[], $25::timestamptz[], $26::text[])
      AS v(run_id, sequence, type, occurred_at, body) JOIN taken USING (run_id)
  ORDER BY run_id, v.sequence
  RETURNING run_id, sequence, event_id
), message AS (
  INSERT INTO {schema}.outbox_messages (env, run_id, sequence, message_id, queue, status, requested_at,
      available_at, next_at, claim_token, trace_carrier)
  SELECT $1, run_id, m.sequence, message_id, m.queue, m.status, requested_at, available_at, next_at,
      m.claim_token, m.trace_carrier
  FROM unnest($27::text[], $28::bigint[], $29::text[], $30::text[], $31::text[], $32::timestamptz[],
      $33::timestamptz[], $34::timestamptz[], $35::text[], $36::text[])
      AS m(run_id, sequence, message_id, queue, status, requested_at, available_at, next_at, claim_token,
        trace_carrier) JOIN taken USING (run_id)
)
SELECT run_id, sequence, event_id FROM e
UNION ALL SELECT l.run_id, 0, NULL FROM l LEFT JOIN taken t USING (run_id) WHERE t.run_id IS NULL

-- name: await_partition
-- Waits for a partition's capacity row and holds it, for a creation that must have its answer now: the
-- statement behind this one, whose snapshot is newer, then finds the row its own.
SELECT used FROM {schema}.queue_capacity WHERE env = $1 AND queue = $2 AND partition = $3 FOR NO KEY UPDATE

-- name: claim_unbounded
-- Claims and starts due runs of unbounded queues, those due longest first: queued ones from the low-water
-- mark of their queue on, and scheduled, retrying, released ones and expired leases from the beginning.
-- Rows somebody else holds are skipped. The events and the projection are those the reducer makes of
-- run.lease_claimed and run.started, which occur no earlier than the run was last updated. Answers each run
-- twice: as it was, with the ids of its events, and as it is written. Joining the two here would let the
-- planner, which expects a handful, compare every row with every other.
WITH q AS MATERIALIZED (
  SELECT * FROM unnest($2::text[], $3::timestamptz[]) AS q(queue, low)
), queued AS MATERIALIZED (
  SELECT a.* FROM q CROSS JOIN LATERAL (
    SELECT r.env, r.run_id, r.task_id, r.queue, r.partition, r.status, r.kind, r.occupies, r.due_at, r.sequence,
      r.attempts, r.failures, r.retries, r.releases, r.run_at, r.created_at, r.updated_at, r.started_at,
      r.lease_token, r.lease_worker, r.lease_expires_at, r.dispatched_at, r.dispatch_expires_at,
      r.trace_carrier, r.failure, r.awaiting
    FROM {schema}.active_runs r
    WHERE r.env = $1 AND r.queue = q.queue AND r.partition IS NULL AND r.kind = 0
      AND r.due_at >= q.low AND r.due_at <= $5 AND r.updated_at < $7 AND r.task_id = ANY ($4::text[])
    ORDER BY r.due_at, r.run_id LIMIT $6 FOR UPDATE SKIP LOCKED) a
), recovered AS MATERIALIZED (
  SELECT a.* FROM q CROSS JOIN LATERAL (
    SELECT r.env, r.run_id, r.task_id, r.queue, r.partition, r.status, r.kind, r.occupies, r.due_at, r.sequence,
      r.attempts, r.failures, r.retries, r.releases, r.run_at, r.created_at, r.updated_at, r.started_at,
      r.lease_token, r.lease_worker, r.lease_expires_at, r.dispatched_at, r.dispatch_expires_at,
      r.trace_carrier, r.failure, r.awaiting
    FROM {schema}.active_runs r
    WHERE r.env = $1 AND r.queue = q.queue AND r.partition IS NULL AND r.kind = 1
      AND r.due_at <= $5 AND r.updated_at < $7 AND r.task_id = ANY ($4::text[])
    ORDER BY r.due_at, r.run_id LIMIT $6 FOR UPDATE SKIP LOCKED) a
), c AS MATERIALIZED (
  SELECT x.*, nextval('{schema}.event_ids') AS claimed_id, nextval('{schema}.event_ids') AS started_id
  FROM (SELECT * FROM queued UNION ALL SELECT * FROM recovered ORDER BY due_at, run_id LIMIT $6) x
), u AS (
  UPDATE {schema}.active_runs SET status = 'running', kind = 1, due_at = $7, sequence = sequence + 2,
    attempts = attempts + 1, updated_at = greatest(updated_at, $5),
    started_at = greatest(updated_at, $5), lease_token = $8, lease_worker = $9,
    lease_expires_at = $7, dispatched_at = NULL, dispatch_expires_at = NULL, failure = NULL,
    awaiting = NULL
  WHERE env = $1 AND run_id = ANY (ARRAY(SELECT run_id FROM c))
  RETURNING run_id, task_id, queue, status, sequence, attempts, failures, retries, releases, run_at, created_at,
    updated_at, started_at, lease_token, lease_worker, lease_expires_at, dispatched_at, dispatch_expires_at,
    trace_carrier, failure, awaiting
), e AS (
  INSERT INTO {schema}.run_events (env, run_id, sequence, event_id, type, occurred_at, body)
  SELECT $1, run_id, sequence + step, CASE step WHEN 1 THEN claimed_id ELSE started_id END, type,
    greatest(updated_at, $5), CASE step WHEN 1 THEN $10 ELSE '{"attempt":' || (attempts + 1)::text || '}' END
  FROM c CROSS JOIN (VALUES (1, 'run.lease_claimed'), (2, 'run.started')) s(step, type)
)
SELECT c.run_id, c.task_id, c.queue, c.status, c.sequence, c.attempts, c.failures, c.retries, c.releases,
  c.run_at, c.created_at, c.updated_at, c.started_at, NULL::timestamptz AS finished_at, c.lease_token,
  c.lease_worker, c.lease_expires_at, c.dispatched_at, c.dispatch_expires_at, c.trace_carrier, c.failure,
  c.awaiting, b.body, NULL::text AS output_body, c.claimed_id, c.started_id, c.due_at, c.kind
FROM c CROSS JOIN LATERAL (
  SELECT x.body FROM {schema}.run_events x
  WHERE x.env = $1 AND x.run_id = c.run_id AND x.sequence = 1 LIMIT 1) b
UNION ALL
SELECT u.run_id, u.task_id, u.queue, u.status, u.sequence, u.attempts, u.failures, u.retries, u.releases,
  u.run_at, u.created_at, u.updated_at, u.started_at, NULL, u.lease_token, u.lease_worker, u.lease_expires_at,
  u.dispatched_at, u.dispatch_expires_at, u.trace_carrier, u.failure, u.awaiting, NULL, NULL, NULL, NULL, NULL, NULL
FROM u

-- name: claim_bounded
-- Claims and starts due runs of one bounded queue. A loose index scan walks up to $11 partitions from $3
-- on. Runs that occupy a slot already, of expired leases and live reservations, are taken over as they
-- are. Of the others, partitions are chosen by what their rows seem to have room for until that is enough;
-- then each row is locked, and as many waiting runs are taken as it really has room for. A partition whose
-- row is locked is somebody else's for now and is skipped.
WITH RECURSIVE walk AS (
  (SELECT a.partition FROM {schema}.active_runs a
    WHERE a.env = $1 AND a.queue = $2 AND a.partition IS NOT NULL AND a.partition >= $3
    ORDER BY a.partition LIMIT 1)
  UNION ALL
  SELECT (SELECT a.partition FROM {schema}.active_runs a
    WHERE a.env = $1 AND a.queue = $2 AND a.partition IS NOT NULL AND a.partition > w.partition
    ORDER BY a.partition LIMIT 1)
  FROM walk w WHERE w.partition IS NOT NULL
), walked AS MATERIALIZED (
  SELECT partition FROM walk WHERE partition IS NOT NULL LIMIT $11
), expired AS MATERIALIZED (
  SELECT a.* FROM walked w CROSS JOIN LATERAL (
    SELECT r.env, r.run_id, r.task_id, r.queue, r.partition, r.status, r.kind, r.occupies, r.due_at, r.sequence,
      r.attempts, r.failures, r.retries, r.releases, r.run_at, r.created_at, r.updated_at, r.started_at,
      r.lease_token, r.lease_worker, r.lease_expires_at, r.dispatched_at, r.dispatch_expires_at,
      r.trace_carrier, r.failure, r.awaiting
    FROM {schema}.active_runs r
    WHERE r.env = $1 AND r.queue = $2 AND r.partition IS NOT NULL AND r.partition = w.partition AND r.occupies
      AND r.due_at <= $5 AND r.kind = 1 AND r.updated_at < $7 AND r.task_id = ANY ($4::text[])
    ORDER BY r.due_at, r.run_id LIMIT $6 FOR UPDATE SKIP LOCKED) a
  LIMIT $6
), reserved AS MATERIALIZED (
  SELECT r.env, r.run_id, r.task_id, r.queue, r.partition, r.status, r.kind, r.occupies, r.due_at, r.sequence,
      r.attempts, r.failures, r.retries, r.releases, r.run_at, r.created_at, r.updated_at, r.started_at,
      r.lease_token, r.lease_worker, r.lease_expires_at, r.dispatched_at, r.dispatch_expires_at,
      r.trace_carrier, r.failure, r.awaiting
  FROM {schema}.active_runs r
  WHERE r.env = $1 AND r.queue = $2 AND r.kind = 3 AND r.due_at > $5 AND r.occupies
    AND coalesce(r.run_at, r.updated_at) <= $5 AND r.updated_at < $7 AND r.task_id = ANY ($4::text[])
  ORDER BY r.due_at, r.run_id LIMIT $6 FOR UPDATE SKIP LOCKED
), due AS MATERIALIZED (
  SELECT w.partition, $12 - k.used AS free FROM walked w CROSS JOIN LATERAL (
    SELECT q.used FROM {schema}.queue_capacity q
    WHERE q.env = $1 AND q.queue = $2 AND q.partition = w.partition AND q.used < $12 LIMIT 1) k
  CROSS JOIN LATERAL (
    SELECT 1 FROM {schema}.active_runs r
    WHERE r.env = $1 AND r.queue = $2 AND r.partition IS NOT NULL AND r.partition = w.partition
      AND NOT r.occupies AND r.due_at <= $5 AND r.kind IN (0, 1) AND r.task_id = ANY ($4::text[])
    ORDER BY r.due_at, r.run_id LIMIT 1) a
), enough AS MATERIALIZED (
  SELECT partition FROM (SELECT partition, sum(free) OVER (ORDER BY partition) - free AS before FROM due) d
  WHERE before < $6 - (SELECT count(*) FROM expired) - (SELECT count(*) FROM reserved)
), room AS MATERIALIZED (
  SELECT n.partition, c.used FROM enough n CROSS JOIN LATERAL (
    SELECT k.used FROM {schema}.queue_capacity k
    WHERE k.env = $1 AND k.queue = $2 AND k.partition = n.partition AND k.used < $12
    FOR NO KEY UPDATE SKIP LOCKED) c
), waiting AS MATERIALIZED (
  SELECT a.* FROM room m CROSS JOIN LATERAL (
    SELECT r.env, r.run_id, r.task_id, r.queue, r.partition, r.status, r.kind, r.occupies, r.due_at, r.sequence,
      r.attempts, r.failures, r.retries, r.releases, r.run_at, r.created_at, r.updated_at, r.started_at,
      r.lease_token, r.lease_worker, r.lease_expires_at, r.dispatched_at, r.dispatch_expires_at,
      r.trace_carrier, r.failure, r.awaiting
    FROM {schema}.active_runs r
    WHERE r.env = $1 AND r.queue = $2 AND r.partition IS NOT NULL AND r.partition = m.partition
      AND NOT r.occupies AND r.due_at <= $5 AND r.kind IN (0, 1) AND r.updated_at < $7
      AND r.task_id = ANY ($4::text[])
    ORDER BY r.due_at, r.run_id LIMIT $12 - m.used FOR UPDATE SKIP LOCKED) a
), c AS MATERIALIZED (
  SELECT x.*, nextval('{schema}.event_ids') AS claimed_id, nextval('{schema}.event_ids') AS started_id
  FROM (SELECT * FROM expired UNION ALL SELECT * FROM reserved UNION ALL SELECT * FROM waiting
    ORDER BY occupies DESC, due_at, run_id LIMIT $6) x
), counted AS (
  INSERT INTO {schema}.queue_capacity AS k (env, queue, partition, used)
  SELECT $1, $2, partition, count(*) FROM c WHERE NOT occupies GROUP BY partition ORDER BY partition
  ON CONFLICT (env, queue, partition) DO UPDATE SET used = k.used + excluded.used
), u AS (
  UPDATE {schema}.active_runs SET status = 'running', kind = 1, occupies = true, due_at = $7,
    sequence = sequence + 2, attempts = attempts + 1, updated_at = greatest(updated_at, $5),
    started_at = greatest(updated_at, $5), lease_token = $8,
    lease_worker = $9, lease_expires_at = $7, dispatched_at = NULL, dispatch_expires_at = NULL, failure = NULL,
    awaiting = NULL
  WHERE env = $1 AND run_id = ANY (ARRAY(SELECT run_id FROM c))
  RETURNING run_id, task_id, queue, status, sequence, attempts, failures, retries, releases, run_at, created_at,
    updated_at, started_at, lease_token, lease_worker, lease_expires_at, dispatched_at, dispatch_expires_at,
    trace_carrier, failure, awaiting
), e AS (
  INSERT INTO {schema}.run_events (env, run_id, sequence, event_id, type, occurred_at, body)
  SELECT $1, run_id, sequence + step, CASE step WHEN 1 THEN claimed_id ELSE started_id END, type,
    greatest(updated_at, $5), CASE step WHEN 1 THEN $10 ELSE '{"attempt":' || (attempts + 1)::text || '}' END
  FROM c CROSS JOIN (VALUES (1, 'run.lease_claimed'), (2, 'run.started')) s(step, type)
)
SELECT c.run_id, c.task_id, c.queue, c.status, c.sequence, c.attempts, c.failures, c.retries, c.releases,
  c.run_at, c.created_at, c.updated_at, c.started_at, NULL::timestamptz AS finished_at, c.lease_token,
  c.lease_worker, c.lease_expires_at, c.dispatched_at, c.dispatch_expires_at, c.trace_carrier, c.failure,
  c.awaiting, b.body, NULL::text AS output_body, c.claimed_id, c.started_id, c.due_at, c.kind
FROM c CROSS JOIN LATERAL (
  SELECT x.body FROM {schema}.run_events x
  WHERE x.env = $1 AND x.run_id = c.run_id AND x.sequence = 1 LIMIT 1) b
UNION ALL
SELECT u.run_id, u.task_id, u.queue, u.status, u.sequence, u.attempts, u.failures, u.retries, u.releases,
  u.run_at, u.created_at, u.updated_at, u.started_at, NULL, u.lease_token, u.lease_worker, u.lease_expires_at,
  u.dispatched_at, u.dispatch_expires_at, u.trace_carrier, u.failure, u.awaiting, NULL, NULL, NULL, NULL, NULL, NULL
FROM u

-- name: bounded_walk
-- How the walk of claim_bounded went, for the next one: the last partition it reached, how many it passed,
-- how many with waiting due runs have no capacity row yet.
WITH RECURSIVE walk AS (
  (SELECT a.partition FROM {schema}.active_runs a
    WHERE a.env = $1 AND a.queue = $2 AND a.partition IS NOT NULL AND a.partition >= $3
    ORDER BY a.partition LIMIT 1)
  UNION ALL
  SELECT (SELECT a.partition FROM {schema}.active_runs a
    WHERE a.env = $1 AND a.queue = $2 AND a.partition IS NOT NULL AND a.partition > w.partition
    ORDER BY a.partition LIMIT 1)
  FROM walk w WHERE w.partition IS NOT NULL
), walked AS MATERIALIZED (
  SELECT partition FROM walk WHERE partition IS NOT NULL LIMIT $4
), made AS (
  INSERT INTO {schema}.queue_capacity (env, queue, partition, used)
  SELECT $1, $2, w.partition, 0 FROM walked w
  WHERE (SELECT 1 FROM {schema}.queue_capacity k
    WHERE k.env = $1 AND k.queue = $2 AND k.partition = w.partition) IS NULL
  ORDER BY w.partition
  ON CONFLICT DO NOTHING
  RETURNING 1
)
SELECT (SELECT max(partition) FROM walked) AS last, (SELECT count(*) FROM walked) AS walked,
  (SELECT count(*) FROM made) AS made

-- name: make_capacity
-- Creates missing capacity rows. A statement of its own, so that a trigger in somebody's open transaction
-- never holds a partition.
INSERT INTO {schema}.queue_capacity (env, queue, partition, used)
SELECT $1, queue, partition, 0 FROM unnest($2::text[], $3::text[]) AS p(queue, partition)
ORDER BY queue, partition
ON CONFLICT DO NOTHING

-- name: collect_reservations
-- Frees the slots of reservations nobody claimed in time. The rows stay what they are, due for another
-- reservation; locked ones are somebody else's business.
WITH l AS MATERIALIZED (
  SELECT a.run_id, a.partition FROM {schema}.active_runs a
  WHERE a.env = $1 AND a.queue = $2 AND a.kind = 3 AND a.due_at <= $3 AND a.occupies AND a.partition IS NOT NULL
  ORDER BY a.due_at, a.run_id LIMIT $4 FOR UPDATE SKIP LOCKED
), k AS MATERIALIZED (
  SELECT p.partition FROM (SELECT DISTINCT partition FROM l ORDER BY partition) p CROSS JOIN LATERAL (
    SELECT 1 FROM {schema}.queue_capacity c
    WHERE c.env = $1 AND c.queue = $2 AND c.partition = p.partition FOR NO KEY UPDATE SKIP LOCKED) x
), f AS MATERIALIZED (
  SELECT l.run_id, l.partition FROM l JOIN k USING (partition)
), u AS (
  UPDATE {schema}.active_runs SET occupies = false
  WHERE env = $1 AND run_id = ANY (ARRAY(SELECT run_id FROM f))
), freed AS (
  INSERT INTO {schema}.queue_capacity AS c (env, queue, partition, used)
  SELECT $1, $2, partition, -count(*) FROM f GROUP BY partition ORDER BY partition
  ON CONFLICT (env, queue, partition) DO UPDATE SET used = c.used + excluded.used
)
SELECT count(*) AS collected FROM f

-- name: bind_bounded
-- Gives runs of a queue that has become bounded their partition, a bounded number at a time, and counts
-- those that occupy a slot: leased ones, and dispatch reservations made before, which count again.
-- Answers how many.
WITH l AS MATERIALIZED (
  SELECT a.run_id, coalesce(a.concurrency_key, '') AS partition,
    a.lease_token IS NOT NULL OR a.dispatch_expires_at IS NOT NULL AS occupies
  FROM {schema}.active_runs a
  WHERE a.env = $1 AND a.queue = $2 AND a.partition IS NULL
  ORDER BY a.run_id LIMIT $3 FOR UPDATE
), u AS (
  UPDATE {schema}.active_runs SET partition = coalesce(concurrency_key, ''),
    occupies = lease_token IS NOT NULL OR dispatch_expires_at IS NOT NULL,
    kind = CASE WHEN lease_token IS NULL AND dispatch_expires_at IS NOT NULL THEN 3 ELSE kind END,
    due_at = CASE WHEN lease_token IS NULL THEN coalesce(dispatch_expires_at, due_at) ELSE due_at END
  WHERE env = $1 AND run_id = ANY (ARRAY(SELECT run_id FROM l))
), counted AS (
  INSERT INTO {schema}.queue_capacity AS c (env, queue, partition, used)
  SELECT $1, $2, partition, count(*) FILTER (WHERE occupies) FROM l GROUP BY partition ORDER BY partition
  ON CONFLICT (env, queue, partition) DO UPDATE SET used = c.used + excluded.used
)
SELECT count(*) AS bound FROM l

-- name: bind_unbounded
-- The reverse, for a queue that has lost its limit. A run that waits for a reservation to end waits for
-- itself again, since nobody reserves here.
WITH l AS MATERIALIZED (
  SELECT a.run_id, a.partition, a.occupies FROM {schema}.active_runs a
  WHERE a.env = $1 AND a.queue = $2 AND a.partition IS NOT NULL
  ORDER BY a.run_id LIMIT $3 FOR UPDATE
), u AS (
  UPDATE {schema}.active_runs SET partition = NULL, occupies = false,
    kind = CASE WHEN kind <> 3 THEN kind WHEN status = 'queued' THEN 0 ELSE 1 END,
    due_at = CASE WHEN kind <> 3 THEN due_at ELSE coalesce(run_at, updated_at) END
  WHERE env = $1 AND run_id = ANY (ARRAY(SELECT run_id FROM l))
), freed AS (
  INSERT INTO {schema}.queue_capacity AS c (env, queue, partition, used)
  SELECT $1, $2, partition, -count(*) FILTER (WHERE occupies) FROM l GROUP BY partition ORDER BY partition
  ON CONFLICT (env, queue, partition) DO UPDATE SET used = c.used + excluded.used
)
SELECT count(*) AS bound FROM l
