-- fragment: event_rows
-- The events to be written.
unnest(:event_run_ids::text[], :event_sequences::bigint[], :event_types::text[], :event_times::timestamptz[],
  :event_bodies::text[])
    AS v(run_id, sequence, type, occurred_at, body)

-- fragment: message_rows
-- The outbox messages to be written.
unnest(:message_run_ids::text[], :message_sequences::bigint[], :message_ids::text[], :message_queues::text[],
  :message_statuses::text[], :message_requested_times::timestamptz[], :message_available_times::timestamptz[],
  :message_next_times::timestamptz[], :message_claim_tokens::text[], :message_trace_carriers::text[])
    AS m(run_id, sequence, message_id, queue, status, requested_at, available_at, next_at, claim_token,
      trace_carrier)

-- fragment: message_columns
-- Where they are written.
(env, run_id, sequence, message_id, queue, status, requested_at,
  available_at, next_at, claim_token, trace_carrier)

-- fragment: stored_creations
-- The later events and the messages of created runs, and the answer.
later AS (
  INSERT INTO {schema}.run_events (env, run_id, sequence, type, occurred_at, body)
  SELECT :env, run_id, v.sequence, type, occurred_at, body
  FROM {event_rows} JOIN first USING (run_id)
  ORDER BY run_id, v.sequence
  RETURNING run_id, sequence, event_id
), message AS (
  INSERT INTO {schema}.outbox_messages {message_columns}
  SELECT :env, run_id, m.sequence, message_id, queue, status, requested_at, available_at, next_at, claim_token,
      trace_carrier
  FROM {message_rows} JOIN first USING (run_id)
)
SELECT run_id, sequence, event_id FROM first
UNION ALL SELECT run_id, sequence, event_id FROM later

-- fragment: creation_columns
-- Runs to be created, in a partition where their queue is bounded.
u.run_id, u.task_id, u.queue,
  CASE WHEN u.unnamed AND (SELECT b.bounded FROM {schema}.queue_bindings b
    WHERE b.env = :env AND b.queue = u.queue LIMIT 1) THEN coalesce(u.concurrency_key, '')
    ELSE u.partition END AS partition,
  u.status, u.kind, u.due_at, u.sequence, u.run_at, u.created_at, u.updated_at, u.concurrency_key,
  u.trace_carrier, u.body

-- fragment: creation_arrays
-- Their columns.
:run_ids::text[], :task_ids::text[], :queues::text[], :partitions::text[], :statuses::text[], :kinds::smallint[],
  :due_times::timestamptz[], :sequences::bigint[], :run_times::timestamptz[], :created_times::timestamptz[],
  :updated_times::timestamptz[], :concurrency_keys::text[], :trace_carriers::text[], :bodies::text[],
  :unnamed::boolean[]

-- fragment: creation_names
-- And their names, in the same order.
run_id, task_id, queue, partition, status, kind, due_at, sequence, run_at, created_at, updated_at,
  concurrency_key, trace_carrier, body, unnamed

-- fragment: lives
-- Whether the run that owns a key has not ended.
(SELECT 1 FROM {schema}.active_runs a WHERE a.env = :env AND a.run_id = o.run_id LIMIT 1) IS NOT NULL

-- fragment: idempotency_owner_of
-- The run that owns an idempotency key of p, as of p.now.
o.env = :env AND o.task_id = p.task_id AND o.idempotency_key = p.idempotency_key
  AND ({lives}
    OR (o.expires_at > p.now AND (SELECT 1 FROM {schema}.terminal_runs t
      WHERE t.env = :env AND t.run_id = o.run_id AND t.status <> 'failed' LIMIT 1) IS NOT NULL))

-- fragment: singleton_owner_of
-- The run that owns a singleton key of p.
o.env = :env AND o.task_id = p.task_id AND o.singleton_key = p.singleton_key
  AND {lives}

-- fragment: append_arrays
-- What is written of every run.
:run_ids::text[], :expected_sequences::bigint[], :statuses::text[], :sequences::bigint[], :attempts::integer[],
  :failures::integer[], :retries::integer[], :releases::integer[], :run_times::timestamptz[],
  :updated_times::timestamptz[], :started_times::timestamptz[], :finished_times::timestamptz[],
  :trace_carriers::text[], :failure_records::text[], :held_tokens::text[], :held_workers::text[]

-- fragment: append_names
-- And the names of that, in the same order.
run_id, expected, status, sequence, attempts, failures, retries, releases, run_at, updated_at,
  started_at, finished_at, trace_carrier, failure, token, worker

-- fragment: held
-- With a token, only a run that is leased with it is written: the same sequence comes twice where commits were lost, as
-- by a restore or a failover.
(p.token IS NULL OR (a.lease_token = p.token AND a.lease_worker = p.worker))

-- fragment: kept_columns
-- What an append does not change.
a.task_id, a.queue, a.partition, a.occupies, a.created_at, a.concurrency_key, a.idempotency_key,
  a.singleton_key, a.remote_steps

-- fragment: end_of_runs
-- Makes terminal rows of what is locked.
INSERT INTO {schema}.terminal_runs (env, run_id, task_id, queue, status, sequence, attempts, failures,
      retries, releases, run_at, created_at, updated_at, started_at, finished_at, concurrency_key,
      idempotency_key, singleton_key, trace_carrier, failure)
  SELECT :env, run_id, task_id, queue, status, sequence, attempts, failures, retries, releases, run_at,
      created_at, updated_at, started_at, finished_at, concurrency_key, idempotency_key, singleton_key,
      trace_carrier, failure
  FROM l

-- fragment: appended_events
-- Writes the events of runs that are locked.
INSERT INTO {schema}.run_events (env, run_id, sequence, type, occurred_at, body)
  SELECT :env, run_id, v.sequence, type, occurred_at, body
  FROM {event_rows} JOIN l USING (run_id)
  ORDER BY run_id, v.sequence
  RETURNING run_id, sequence, event_id

-- fragment: keyed_creations
-- Takes the keys of the runs that have some, and creates the runs whose keys are free.
WITH p AS MATERIALIZED (
  SELECT {creation_columns}, u.idempotency_key, u.singleton_key, u.expires_at, u.now
  FROM unnest({creation_arrays}, :idempotency_keys::text[], :singleton_keys::text[], :expires_times::timestamptz[],
      :now_times::timestamptz[])
    AS u({creation_names}, idempotency_key, singleton_key, expires_at, now)
), ok AS MATERIALIZED (
  SELECT p.* FROM p
  WHERE (SELECT 1 FROM {schema}.run_events x WHERE x.env = :env AND x.run_id = p.run_id AND x.sequence = 1 LIMIT 1)
      IS NULL
    AND (p.idempotency_key IS NULL OR
      (SELECT 1 FROM {schema}.idempotency_owners o
        WHERE {idempotency_owner_of}
        LIMIT 1) IS NULL)
    AND (p.singleton_key IS NULL OR
      (SELECT 1 FROM {schema}.singleton_owners o
        WHERE {singleton_owner_of}
        LIMIT 1) IS NULL)
), idempotency AS (
  INSERT INTO {schema}.idempotency_owners AS o (env, task_id, idempotency_key, run_id, created_at, expires_at)
  SELECT :env, task_id, idempotency_key, run_id, now, expires_at FROM ok WHERE idempotency_key IS NOT NULL
  ORDER BY task_id COLLATE "C", idempotency_key COLLATE "C"
  ON CONFLICT (env, task_id, idempotency_key) DO UPDATE
    SET run_id = excluded.run_id, created_at = excluded.created_at, expires_at = excluded.expires_at
    WHERE (SELECT t.status = 'failed' OR o.expires_at <= excluded.created_at
      FROM {schema}.terminal_runs t WHERE t.env = o.env AND t.run_id = o.run_id LIMIT 1)
  RETURNING run_id
), singleton AS (
  INSERT INTO {schema}.singleton_owners AS o (env, task_id, singleton_key, run_id)
  SELECT :env, task_id, singleton_key, run_id FROM ok WHERE singleton_key IS NOT NULL
  ORDER BY task_id COLLATE "C", singleton_key COLLATE "C"
  ON CONFLICT (env, task_id, singleton_key) DO UPDATE SET run_id = excluded.run_id
    WHERE (SELECT true FROM {schema}.terminal_runs t WHERE t.env = o.env AND t.run_id = o.run_id LIMIT 1)
  RETURNING run_id
), won AS MATERIALIZED (
  SELECT ok.* FROM ok LEFT JOIN idempotency i USING (run_id) LEFT JOIN singleton s USING (run_id)
  WHERE CASE
    WHEN ok.idempotency_key IS NOT NULL AND ok.singleton_key IS NOT NULL
        AND (i.run_id IS NULL) <> (s.run_id IS NULL) THEN {schema}.partial_ownership()
    ELSE (ok.idempotency_key IS NULL OR i.run_id IS NOT NULL)
      AND (ok.singleton_key IS NULL OR s.run_id IS NOT NULL) END
), first AS (
  INSERT INTO {schema}.run_events (env, run_id, sequence, type, occurred_at, body)
  SELECT :env, run_id, 1, 'run.created', created_at, body FROM won ORDER BY run_id COLLATE "C"
  ON CONFLICT DO NOTHING
  RETURNING run_id, sequence, event_id
), active AS (
  INSERT INTO {schema}.active_runs (env, run_id, task_id, queue, partition, status, kind, occupies, due_at,
      sequence, attempts, failures, retries, releases, run_at, created_at, updated_at, concurrency_key,
      idempotency_key, singleton_key, trace_carrier)
  SELECT :env, run_id, task_id, queue, partition, status, kind, false, due_at, won.sequence, 0, 0, 0, 0, run_at,
      created_at, updated_at, concurrency_key, idempotency_key, singleton_key, trace_carrier
  FROM won LEFT JOIN first USING (run_id)
  WHERE CASE WHEN first.run_id IS NULL THEN {schema}.partial_ownership() ELSE true END
)

-- fragment: creations
-- Runs without ownership keys as they are sent. One whose queue's policy is not named belongs to a partition where the
-- queue was bounded when somebody looked last.
p AS MATERIALIZED (
  SELECT {creation_columns}
  FROM unnest({creation_arrays})
    AS u({creation_names})
)

-- fragment: active_of_first
-- What is active of the runs whose first event was written.
active AS (
  INSERT INTO {schema}.active_runs (env, run_id, task_id, queue, partition, status, kind, occupies, due_at,
      sequence, attempts, failures, retries, releases, run_at, created_at, updated_at, concurrency_key,
      trace_carrier)
  SELECT :env, run_id, task_id, queue, partition, status, kind, false, due_at, p.sequence, 0, 0, 0, 0, run_at,
      created_at, updated_at, concurrency_key, trace_carrier
  FROM p JOIN first USING (run_id)
)

-- name: create_runs
-- Creates runs without ownership keys. A run id that exists already inserts nothing and is missing from the answer.
-- One that somebody else creates at this moment fails the statement with a unique violation: it is sent again as
-- create_runs_beside_others. Rows are inserted in the order of their ids.
WITH {creations}, first AS (
  INSERT INTO {schema}.run_events (env, run_id, sequence, type, occurred_at, body)
  SELECT :env, p.run_id, 1, 'run.created', p.created_at, p.body FROM p
  WHERE (SELECT 1 FROM {schema}.run_events x WHERE x.env = :env AND x.run_id = p.run_id AND x.sequence = 1) IS NULL
  ORDER BY p.run_id COLLATE "C"
  RETURNING run_id, sequence, event_id
), {active_of_first}, {stored_creations}

-- name: create_runs_beside_others
-- As create_runs, with the first event as the gate, which is written twice to the log: as inserted and as kept.
WITH {creations}, first AS (
  INSERT INTO {schema}.run_events (env, run_id, sequence, type, occurred_at, body)
  SELECT :env, run_id, 1, 'run.created', created_at, body FROM p ORDER BY run_id COLLATE "C"
  ON CONFLICT DO NOTHING
  RETURNING run_id, sequence, event_id
), {active_of_first}, {stored_creations}

-- name: create_keyed_runs
-- As create_runs, for runs with an idempotency key, a singleton key or both. A run whose key has a live
-- owner, or that exists already, is left out before anything is written. The owners are taken in the order
-- of their keys; whoever waits for a competing creation here sees afterwards that the owner is not yet
-- terminal, and loses. One key won and another one lost rolls everything back with SQLSTATE RL001.
{keyed_creations}, {stored_creations}

-- name: create_tagged_runs
-- As create_keyed_runs, for runs of which some have tags: a row for each tag of a run that was created. They are sent
-- beside the first event, since Postgres cannot read every body that it keeps: a payload may have escapes of no text.
{keyed_creations}, tagged AS (
  INSERT INTO {schema}.run_tags (env, run_id, name, value, created_at)
  SELECT :env, run_id, t.name, t.value, created_at
  FROM unnest(:tagged_run_ids::text[], :tag_names::text[], :tag_values::text[]) AS t(run_id, name, value)
    JOIN won USING (run_id) JOIN first USING (run_id)
  ORDER BY run_id, t.name
), {stored_creations}

-- name: read_lost_creations
-- Why creations did not happen: the run exists, or its key has a live owner. Runs nothing is found for
-- may be tried again.
SELECT p.run_id,
  (SELECT coalesce(
      (SELECT a.sequence FROM {schema}.active_runs a WHERE a.env = :env AND a.run_id = p.run_id),
      (SELECT t.sequence FROM {schema}.terminal_runs t WHERE t.env = :env AND t.run_id = p.run_id))) AS sequence,
  (SELECT o.run_id FROM {schema}.idempotency_owners o
    WHERE {idempotency_owner_of}
    LIMIT 1) AS idempotency_owner,
  (SELECT o.run_id FROM {schema}.singleton_owners o
    WHERE {singleton_owner_of}
    LIMIT 1) AS singleton_owner
FROM unnest(:run_ids::text[], :task_ids::text[], :idempotency_keys::text[], :singleton_keys::text[],
    :now_times::timestamptz[])
  AS p(run_id, task_id, idempotency_key, singleton_key, now)

-- name: end_runs
-- Appends the outcomes of runs that end. A run is locked by its key, in the order of ids by their bytes, as all
-- statements lock, whatever the database's own order is; only while its
-- sequence is the expected one; under READ COMMITTED that is looked at again on the newest version, so a
-- competing append makes a loser, never a lost update. Losers are missing from the answer. Capacity rows
-- are locked last, in their order. Pending steps are looked for only where a run had some.
WITH p AS MATERIALIZED (
  SELECT * FROM unnest({append_arrays})
    AS p({append_names})
  ORDER BY run_id COLLATE "C"
), l AS MATERIALIZED (
  SELECT p.*, r.task_id, r.queue, r.partition, r.occupies, r.created_at, r.concurrency_key, r.idempotency_key,
    r.singleton_key, r.remote_steps
  FROM p CROSS JOIN LATERAL (
    SELECT {kept_columns}
    FROM {schema}.active_runs a
    WHERE a.env = :env AND a.run_id = p.run_id AND a.sequence = p.expected AND {held} FOR UPDATE) r
), gone AS (
  DELETE FROM {schema}.active_runs a {ended_runs_by_key}
), ended AS (
  {end_of_runs}
), freed AS (
  INSERT INTO {schema}.queue_capacity AS c (env, queue, partition, used)
  SELECT :env, queue, partition, -count(*) FROM l WHERE occupies GROUP BY queue, partition
  ORDER BY queue, partition
  ON CONFLICT (env, queue, partition) DO UPDATE SET used = c.used + excluded.used
), e AS (
  {appended_events}
), steps AS MATERIALIZED (
  SELECT run_id, {schema}.end_steps(:env, run_id, finished_at) AS done FROM l WHERE remote_steps
)
SELECT run_id, sequence, event_id FROM e
UNION ALL SELECT run_id, NULL, NULL FROM steps WHERE NOT done

-- name: append_runs
-- Appends anything to runs that exist: as end_runs, and also runs that go on and their outbox messages.
-- A run that goes on is written by an upsert on its
-- key, which probes whatever the size of the table was when the plan was made; it never inserts, since
-- the row is locked by then. Where the queue has no limit a reservation that the run has kept holds nobody up. Pending
-- steps follow the events of steps, where the run has remote ones.
WITH p AS MATERIALIZED (
  SELECT * FROM unnest({append_arrays}, :terminal::boolean[], :kinds::smallint[], :occupying::boolean[],
      :due_times::timestamptz[], :lease_tokens::text[], :lease_workers::text[], :lease_expires_times::timestamptz[],
      :dispatched_times::timestamptz[], :dispatch_expires_times::timestamptz[], :awaiting::text[],
      :requesting::boolean[])
    AS p({append_names}, terminal, kind, occupying, due_at, lease_token,
      lease_worker, lease_expires_at, dispatched_at, dispatch_expires_at, awaiting, requesting)
  ORDER BY run_id COLLATE "C"
), l AS MATERIALIZED (
  SELECT p.*, r.task_id, r.queue, r.partition, r.occupies AS occupied, r.created_at, r.concurrency_key,
    r.idempotency_key, r.singleton_key, p.occupying AND r.partition IS NOT NULL AS occupies,
    CASE WHEN p.requesting THEN true ELSE r.remote_steps END AS remote_steps
  FROM p CROSS JOIN LATERAL (
    SELECT {kept_columns}
    FROM {schema}.active_runs a
    WHERE a.env = :env AND a.run_id = p.run_id AND a.sequence = p.expected
      AND {held} FOR UPDATE) r
), gone AS (
  DELETE FROM {schema}.active_runs a {terminal_runs_by_key}
), ended AS (
  {end_of_runs} WHERE terminal
), going AS (
  INSERT INTO {schema}.active_runs AS a (env, run_id, task_id, queue, partition, status, kind, occupies, due_at,
      sequence, attempts, failures, retries, releases, run_at, created_at, updated_at, started_at, lease_token,
      lease_worker, lease_expires_at, dispatched_at, dispatch_expires_at, concurrency_key, idempotency_key,
      singleton_key, trace_carrier, failure, awaiting, remote_steps)
  SELECT :env, run_id, task_id, queue, partition, status,
      CASE WHEN kind <> 3 OR partition IS NOT NULL THEN kind WHEN status = 'queued' THEN 0 ELSE 1 END, occupies,
      CASE WHEN kind <> 3 OR partition IS NOT NULL THEN due_at ELSE coalesce(run_at, updated_at) END, sequence,
      attempts, failures, retries, releases, run_at, created_at, updated_at, started_at, lease_token, lease_worker,
      lease_expires_at, dispatched_at, dispatch_expires_at, concurrency_key, idempotency_key, singleton_key,
      trace_carrier, failure, awaiting, remote_steps
  FROM l WHERE NOT terminal
  ON CONFLICT (env, run_id) DO UPDATE SET status = excluded.status, kind = excluded.kind,
    occupies = excluded.occupies, due_at = excluded.due_at, sequence = excluded.sequence,
    attempts = excluded.attempts, failures = excluded.failures, retries = excluded.retries,
    releases = excluded.releases, run_at = excluded.run_at, updated_at = excluded.updated_at,
    started_at = excluded.started_at, lease_token = excluded.lease_token, lease_worker = excluded.lease_worker,
    lease_expires_at = excluded.lease_expires_at, dispatched_at = excluded.dispatched_at,
    dispatch_expires_at = excluded.dispatch_expires_at, trace_carrier = excluded.trace_carrier,
    failure = excluded.failure, awaiting = excluded.awaiting, remote_steps = excluded.remote_steps
), freed AS (
  INSERT INTO {schema}.queue_capacity AS c (env, queue, partition, used)
  SELECT :env, queue, partition, sum((occupies AND NOT terminal)::integer - occupied::integer)
  FROM l WHERE partition IS NOT NULL GROUP BY queue, partition
  HAVING sum((occupies AND NOT terminal)::integer - occupied::integer) <> 0
  ORDER BY queue, partition
  ON CONFLICT (env, queue, partition) DO UPDATE SET used = c.used + excluded.used
), e AS (
  {appended_events}
), message AS (
  INSERT INTO {schema}.outbox_messages {message_columns}
  SELECT :env, run_id, m.sequence, message_id, m.queue, m.status, requested_at, available_at, next_at,
      m.claim_token, m.trace_carrier
  FROM {message_rows} JOIN l USING (run_id)
), steps AS MATERIALIZED (
  SELECT run_id, CASE WHEN s.sequence IS NULL THEN {schema}.complete_step(:env, s.step_id)
    ELSE {schema}.request_step(:env, s.step_id, run_id, s.position, s.sequence, s.name, s.grp, s.attempt, s.at,
      s.deadline_at) END AS done
  FROM unnest(:step_run_ids::text[], :step_ids::text[], :step_positions::integer[], :step_sequences::bigint[],
      :step_names::text[], :step_groups::text[], :step_attempts::integer[], :step_times::timestamptz[],
      :step_deadline_times::timestamptz[])
      AS s(run_id, step_id, position, sequence, name, grp, attempt, at, deadline_at) JOIN l USING (run_id)
  WHERE s.sequence IS NOT NULL OR l.remote_steps
  UNION ALL
  SELECT run_id, {schema}.end_steps(:env, run_id, finished_at) FROM l WHERE terminal AND remote_steps
)
SELECT run_id, sequence, event_id FROM e
UNION ALL SELECT run_id, NULL, NULL FROM steps WHERE NOT done

-- name: read_positions
-- Where runs are now, for commands that found them elsewhere than expected.
SELECT p.run_id, r.sequence, r.lease_token, r.lease_worker
FROM unnest(:run_ids::text[]) AS p(run_id)
CROSS JOIN LATERAL (
  SELECT a.sequence, a.lease_token, a.lease_worker FROM {schema}.active_runs a
  WHERE a.env = :env AND a.run_id = p.run_id
  UNION ALL
  SELECT t.sequence, NULL, NULL FROM {schema}.terminal_runs t WHERE t.env = :env AND t.run_id = p.run_id) r
