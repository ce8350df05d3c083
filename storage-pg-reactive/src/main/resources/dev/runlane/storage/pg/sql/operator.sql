-- name: sign_of_life
-- Writes what a process says of itself, and forgets processes that were last seen before :kept_from. Of rows to forget,
-- those that somebody else is forgetting are passed over. How far the process's clock is from this one is kept to be shown.
WITH old AS MATERIALIZED (
  SELECT process_id FROM {schema}.live_processes
  WHERE env = :env AND process_id <> :process_id AND last_seen < :kept_from
  ORDER BY process_id LIMIT 100 FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM {schema}.live_processes a USING (SELECT :env::integer AS env, old.process_id FROM old OFFSET 0) k
  WHERE {env_of_key} AND a.process_id = k.process_id
)
INSERT INTO {schema}.live_processes (env, process_id, host, version, roles, queues, task_ids, worker_ids, slots,
  running, longest_lease_millis, started_at, last_seen, clock_offset_millis, lag_topics, lag_groups, lag_partitions,
  lag_queues, lag_records, schema_version)
VALUES (:env, :process_id, :host, :version, :roles, :queues, :task_ids, :worker_ids, :slots, :running,
  :longest_lease_millis, :started_at, :now,
  round(extract(epoch FROM :now::timestamptz - clock_timestamp()) * 1000)::bigint, :lag_topics, :lag_groups,
  :lag_partitions, :lag_queues, :lag_records, :schema_version)
ON CONFLICT (env, process_id) DO UPDATE
  SET host = excluded.host, version = excluded.version, roles = excluded.roles, queues = excluded.queues,
    task_ids = excluded.task_ids, worker_ids = excluded.worker_ids, slots = excluded.slots, running = excluded.running,
    longest_lease_millis = excluded.longest_lease_millis, started_at = excluded.started_at,
    last_seen = excluded.last_seen, clock_offset_millis = excluded.clock_offset_millis,
    lag_topics = excluded.lag_topics, lag_groups = excluded.lag_groups, lag_partitions = excluded.lag_partitions,
    lag_queues = excluded.lag_queues, lag_records = excluded.lag_records, schema_version = excluded.schema_version

-- name: end_process
DELETE FROM {schema}.live_processes WHERE env = :env AND process_id = :process_id

-- name: list_processes
SELECT p.process_id, p.host, p.version, p.roles, p.queues, p.task_ids, p.worker_ids, p.slots, p.running,
  p.longest_lease_millis, p.started_at, p.last_seen, p.clock_offset_millis, p.lag_topics, p.lag_groups, p.lag_partitions,
  p.lag_queues, p.lag_records
FROM {schema}.live_processes p
WHERE p.env = :env AND (:after_id::text IS NULL OR p.process_id > :after_id)
ORDER BY p.process_id LIMIT :limit

-- name: leases_of_process
-- Along the indexes of due runs, task by task, in which a leased run stands at the end of its lease: from now to where a
-- lease of this process may end at most, so that what waits until later is not walked. The limit of each range keeps a plan
-- from reading the whole table once for all of them. What callers run one by one may be of any queue that the process
-- has published, whichever its workers take.
WITH RECURSIVE p AS MATERIALIZED (
  SELECT l.worker_ids, ARRAY(SELECT unnest(l.queues) UNION SELECT unnest(h.queues)) AS queues,
    :now::timestamptz + l.longest_lease_millis * interval '1 millisecond' AS until
  FROM {schema}.live_processes l
  LEFT JOIN {schema}.processes h ON h.env = l.env AND h.process_id = l.process_id
  WHERE l.env = :env AND l.process_id = :process_id
), tasks AS (
  SELECT q.queue, t.task_id FROM p CROSS JOIN LATERAL unnest(p.queues) AS q(queue) CROSS JOIN LATERAL (
    SELECT a.task_id FROM {schema}.active_runs a
    WHERE a.env = :env AND a.queue = q.queue AND a.partition IS NULL ORDER BY a.task_id LIMIT 1) t
  UNION ALL
  {next_task_of_each}
)
SELECT l.run_id, l.task_id, l.queue, l.lease_worker, l.lease_expires_at FROM (
  SELECT r.run_id, r.task_id, r.queue, r.lease_worker, r.lease_expires_at
  FROM p CROSS JOIN tasks q CROSS JOIN (VALUES (1), (2)) AS k(kind) CROSS JOIN LATERAL (
    SELECT a.run_id, a.task_id, a.queue, a.lease_worker, a.lease_expires_at FROM {schema}.active_runs a
    WHERE a.env = :env AND a.queue = q.queue AND a.partition IS NULL AND a.task_id = q.task_id AND a.kind = k.kind
      AND a.due_at > :now AND a.due_at <= p.until AND a.lease_worker = ANY (p.worker_ids)
    ORDER BY a.due_at, a.run_id LIMIT :limit) r
  UNION ALL
  SELECT r.run_id, r.task_id, r.queue, r.lease_worker, r.lease_expires_at
  FROM p CROSS JOIN LATERAL unnest(p.queues) AS q(queue) JOIN {schema}.queue_capacity c
    ON c.env = :env AND c.queue = q.queue AND c.used > 0
  CROSS JOIN LATERAL (
    SELECT a.run_id, a.task_id, a.queue, a.lease_worker, a.lease_expires_at FROM {schema}.active_runs a
    WHERE a.env = :env AND a.queue = c.queue AND a.partition IS NOT NULL AND a.partition = c.partition AND a.occupies
      AND a.due_at > :now AND a.due_at <= p.until AND a.lease_worker = ANY (p.worker_ids)
    ORDER BY a.task_id, a.due_at, a.run_id) r) l
ORDER BY l.lease_expires_at, l.run_id LIMIT :limit

-- fragment: when_requested
-- When the handler asked for the step; its event is missing where a release before has left a row behind.
LEFT JOIN LATERAL (
  SELECT v.occurred_at FROM {schema}.run_events v
  WHERE v.env = :env AND v.run_id = s.run_id AND v.sequence = s.request_sequence LIMIT 1) q ON true

-- fragment: of_any_run
:run_id::text IS NULL

-- fragment: of_one_run
-- Whose steps' ids begin with its own.
s.run_id = :run_id AND s.step_id > :run_id || ':' AND s.step_id < :run_id || ';'

-- name: list_steps
-- A page along the key, of a bounded number of rows that are looked at: one row with where those end alone where none fits.
WITH looked AS MATERIALIZED (
  SELECT s.step_id, s.run_id, s.name, s.grp, s.attempt, s.dispatched_at, s.next_at, s.deadline_at, s.run_ended,
    s.request_sequence
  FROM {schema}.pending_steps s
  WHERE s.env = :env AND s.step_id > coalesce(:after_id::text, '') AND {of_run}
  ORDER BY s.step_id LIMIT :looked
)
SELECT s.step_id, s.run_id, s.name, s.grp, s.attempt, q.occurred_at, s.dispatched_at, s.next_at, s.deadline_at,
  s.run_ended, e.last_id
FROM (SELECT CASE WHEN count(*) = :looked THEN max(l.step_id) END AS last_id FROM looked l) e
LEFT JOIN (
  SELECT l.* FROM looked l WHERE :grp::text IS NULL OR l.grp = :grp ORDER BY l.step_id LIMIT :limit) s ON true
{when_requested}
ORDER BY s.step_id

-- name: list_step_groups
-- Counted among as many as are looked at; one row that says whether those are all where no group has any.
WITH looked AS MATERIALIZED (
  SELECT s.run_id, s.grp, s.attempt, s.dispatched_at, s.deadline_at, s.run_ended, s.request_sequence
  FROM {schema}.pending_steps s WHERE s.env = :env ORDER BY s.step_id LIMIT :looked
)
SELECT g.grp, g.waiting, g.dispatched, g.attempts, g.oldest, g.deadline, e.is_cut
FROM (SELECT count(*) = :looked AS is_cut FROM looked) e
LEFT JOIN (
  SELECT s.grp, count(*) AS waiting, count(s.dispatched_at) AS dispatched, max(s.attempt) AS attempts,
    min(q.occurred_at) AS oldest, min(s.deadline_at) AS deadline
  FROM looked s {when_requested}
  WHERE NOT s.run_ended GROUP BY s.grp) g ON true
ORDER BY g.grp

-- fragment: outbox_entries
SELECT o.message_id, o.run_id, o.queue, o.status, o.available_at, o.next_at, o.failed_publishes, o.failure
FROM {schema}.outbox_messages o

-- name: list_outbox
{outbox_entries}
WHERE o.env = :env AND o.status = :status AND (:after_id::text IS NULL OR o.message_id > :after_id)
ORDER BY o.message_id LIMIT :limit

-- name: list_failed_messages
-- Failed and dead-lettered ones, along the index that has these alone.
{outbox_entries}
WHERE o.env = :env AND o.failed_publishes > 0 AND o.status BETWEEN :status AND :status
  AND (:after_id::text IS NULL OR o.message_id > :after_id)
ORDER BY o.status, o.message_id LIMIT :limit

-- fragment: redriven
u AS (
  UPDATE {schema}.outbox_messages a SET status = 'pending', available_at = :now, next_at = :now, claim_token = NULL,
    failed_publishes = 0, failure = NULL
  FROM (SELECT :env::integer AS env, c.message_id FROM c OFFSET 0) k
  WHERE {env_of_key} AND a.message_id = k.message_id
  RETURNING a.message_id
)
SELECT message_id FROM u ORDER BY message_id

-- name: redrive_outbox
WITH c AS MATERIALIZED (
  SELECT o.message_id FROM (SELECT DISTINCT n.message_id FROM unnest(:message_ids::text[]) AS n(message_id) ORDER BY 1) p
  CROSS JOIN LATERAL (
    SELECT m.message_id FROM {schema}.outbox_messages m
    WHERE m.env = :env AND m.message_id = p.message_id AND m.status IN ('dead_lettered', 'failed')
    LIMIT 1 FOR UPDATE SKIP LOCKED) o
  LIMIT :limit
), {redriven}

-- name: redrive_dead_letters
WITH c AS MATERIALIZED (
  SELECT o.message_id FROM {schema}.outbox_messages o
  WHERE o.env = :env AND o.failed_publishes >= 0 AND o.next_at BETWEEN :never AND :never AND o.status = 'dead_lettered'
  ORDER BY o.next_at, o.message_id LIMIT :limit FOR UPDATE SKIP LOCKED
), {redriven}

-- name: pause_queue
INSERT INTO {schema}.paused_queues (env, queue, actor_type, actor_id, reason, paused_at)
VALUES (:env, :queue, :actor_type, :actor_id, :reason, :now)
ON CONFLICT (env, queue) DO NOTHING RETURNING queue

-- name: resume_queue
-- With the row goes the memory that runs of the queue wait for new wakeups: whoever dies behind this leaves it to the
-- next who looks. A queue that is resumed again is walked from its beginning.
WITH resumed AS (
  DELETE FROM {schema}.paused_queues WHERE env = :env AND queue = :queue RETURNING queue
)
INSERT INTO {schema}.resumed_queues (env, queue) SELECT :env, queue FROM resumed
ON CONFLICT (env, queue) DO UPDATE SET taken_at = NULL, begun_at = NULL, claim_token = NULL, claim_until = NULL,
  last_time = NULL, last_id = NULL
RETURNING queue

-- name: take_resumed_queue
-- One queue that nobody is walking; one that somebody else is taking is passed over.
WITH c AS MATERIALIZED (
  SELECT q.queue FROM {schema}.resumed_queues q
  WHERE q.env = :env AND q.queue = ANY (:queues) AND (q.claim_until IS NULL OR q.claim_until <= :now)
    AND NOT EXISTS (SELECT 1 FROM {schema}.paused_queues p WHERE p.env = q.env AND p.queue = q.queue)
  ORDER BY q.taken_at NULLS FIRST, q.queue LIMIT 1 FOR UPDATE SKIP LOCKED
)
UPDATE {schema}.resumed_queues r SET taken_at = :now, begun_at = coalesce(r.begun_at, :now), claim_token = :token,
  claim_until = :claim_until
FROM c WHERE r.env = :env AND r.queue = c.queue
RETURNING r.queue, r.begun_at, r.last_time, r.last_id

-- name: list_resumed_runs
-- Queued runs of an unbounded queue along the index of due ones, task by task. Those that got a new wakeup stand behind
-- :until, but for the few of the time in which clocks may differ, which may get another one.
WITH RECURSIVE {tasks_of_queues}
SELECT a.run_id, a.task_id, a.queue, a.concurrency_key, a.status, a.sequence, a.due_at
FROM tasks q CROSS JOIN LATERAL (
  SELECT r.run_id, r.task_id, r.queue, r.concurrency_key, r.status, r.sequence, r.due_at
  FROM {schema}.active_runs r
  WHERE r.env = :env AND r.queue = q.queue AND r.partition IS NULL AND r.task_id = q.task_id AND r.kind = 0
    AND r.due_at <= :until
    AND (r.due_at, r.run_id) > (coalesce(:after_time::timestamptz, '-infinity'), coalesce(:after_id::text, ''))
  ORDER BY r.due_at, r.run_id LIMIT :limit) a
ORDER BY a.due_at, a.run_id LIMIT :limit

-- name: advance_resumed_queue
UPDATE {schema}.resumed_queues SET claim_token = NULL, claim_until = NULL,
  last_time = coalesce(:last_time, last_time), last_id = coalesce(:last_id, last_id)
WHERE env = :env AND queue = :queue AND claim_token = :token RETURNING queue

-- name: forget_resumed_queue
DELETE FROM {schema}.resumed_queues WHERE env = :env AND queue = :queue AND claim_token = :token RETURNING queue

-- name: list_paused_queues
SELECT p.queue, p.actor_type, p.actor_id, p.reason, p.paused_at
FROM {schema}.paused_queues p WHERE p.env = :env ORDER BY p.queue

-- name: begin_sample
-- One process counts at a time: whoever writes the row. A time far ahead is that of a clock that was wrong.
INSERT INTO {schema}.depth_samples (env, begun_at) VALUES (:env, :now)
ON CONFLICT (env) DO UPDATE SET begun_at = excluded.begun_at
  WHERE {schema}.depth_samples.begun_at <= :before OR {schema}.depth_samples.begun_at > :far_ahead
RETURNING env

-- name: take_sample
-- Counts along the indexes of due runs alone; rows are read only of those that are due within the longest lease, since
-- among them are the leased ones.
WITH RECURSIVE horizon AS MATERIALIZED (
  SELECT :now::timestamptz + greatest(interval '1 hour' * (count(*) = 0)::integer,
    coalesce(max(longest_lease_millis), 0) * interval '1 millisecond') AS until
  FROM {schema}.live_processes WHERE env = :env AND last_seen > :gone_before
), unbounded AS MATERIALIZED (
  SELECT a.queue, count(*) FILTER (WHERE a.due_at <= :now) AS waiting, count(*) FILTER (WHERE a.due_at > :now) AS ahead,
    min(a.due_at) FILTER (WHERE a.due_at <= :now) AS oldest
  FROM {schema}.active_runs a WHERE a.env = :env AND a.partition IS NULL GROUP BY a.queue
), tasks AS (
  SELECT u.queue, t.task_id FROM unbounded u CROSS JOIN LATERAL (
    SELECT a.task_id FROM {schema}.active_runs a
    WHERE a.env = :env AND a.queue = u.queue AND a.partition IS NULL ORDER BY a.task_id LIMIT 1) t
  UNION ALL
  {next_task_of_each}
), leased AS MATERIALIZED (
  SELECT t.queue, sum(l.held)::bigint AS held
  FROM tasks t CROSS JOIN horizon h CROSS JOIN (VALUES (1), (2), (3)) AS k(kind) CROSS JOIN LATERAL (
    SELECT count(*) AS held FROM (
      SELECT 1 FROM {schema}.active_runs a
      WHERE a.env = :env AND a.queue = t.queue AND a.partition IS NULL AND a.task_id = t.task_id AND a.kind = k.kind
        AND a.due_at > :now AND a.due_at <= h.until AND (a.lease_token IS NOT NULL OR a.kind = 3)
      ORDER BY a.due_at, a.run_id) d) l
  GROUP BY t.queue
), bounded AS MATERIALIZED (
  SELECT a.queue, count(*) FILTER (WHERE a.due_at <= :now) AS waiting,
    count(*) FILTER (WHERE a.due_at > :now AND NOT a.occupies) AS later,
    count(*) FILTER (WHERE a.due_at > :now AND a.occupies) AS held,
    min(a.due_at) FILTER (WHERE a.due_at <= :now) AS oldest
  FROM {schema}.active_runs a WHERE a.env = :env AND a.partition IS NOT NULL GROUP BY a.queue
), depths AS MATERIALIZED (
  SELECT d.queue, sum(d.waiting)::bigint AS waiting, sum(d.later)::bigint AS later, sum(d.held)::bigint AS held,
    min(d.oldest) AS oldest
  FROM (
    SELECT u.queue, u.waiting, u.ahead - l.held AS later, l.held, u.oldest FROM unbounded u JOIN leased l USING (queue)
    UNION ALL
    SELECT b.queue, b.waiting, b.later, b.held, b.oldest FROM bounded b) d
  GROUP BY d.queue
), outbox AS MATERIALIZED (
  SELECT count(*) FILTER (WHERE o.status = 'pending') AS pending,
    count(*) FILTER (WHERE o.status = 'claimed') AS claimed,
    count(*) FILTER (WHERE o.status = 'failed') AS failed,
    count(*) FILTER (WHERE o.status = 'dead_lettered') AS dead_lettered,
    min(o.next_at) FILTER (WHERE o.next_at <= :now) AS oldest
  FROM {schema}.outbox_messages o WHERE o.env = :env
), steps AS MATERIALIZED (
  SELECT p.grp, count(*) AS waiting, min(coalesce(p.dispatched_at, p.next_at)) AS oldest
  FROM {schema}.pending_steps p
  WHERE p.env = :env AND NOT p.run_ended AND (p.dispatched_at IS NOT NULL OR p.next_at <= :now) GROUP BY p.grp
)
UPDATE {schema}.depth_samples s SET taken_at = :now,
  queues = ARRAY(SELECT queue FROM depths ORDER BY queue), waiting = ARRAY(SELECT waiting FROM depths ORDER BY queue),
  later = ARRAY(SELECT later FROM depths ORDER BY queue), held = ARRAY(SELECT held FROM depths ORDER BY queue),
  oldest = ARRAY(SELECT oldest FROM depths ORDER BY queue), outbox_pending = outbox.pending,
  outbox_claimed = outbox.claimed, outbox_failed = outbox.failed, outbox_dead_lettered = outbox.dead_lettered,
  outbox_oldest = outbox.oldest, step_groups = ARRAY(SELECT grp FROM steps ORDER BY grp),
  steps_waiting = ARRAY(SELECT waiting FROM steps ORDER BY grp), steps_oldest = ARRAY(SELECT oldest FROM steps ORDER BY grp)
FROM outbox WHERE s.env = :env

-- name: latest_sample
SELECT s.taken_at, q.queue, q.waiting, q.later, q.held, q.oldest, s.outbox_pending, s.outbox_claimed, s.outbox_failed,
  s.outbox_dead_lettered, s.outbox_oldest, s.step_groups, s.steps_waiting, s.steps_oldest
FROM {schema}.depth_samples s
  LEFT JOIN LATERAL unnest(s.queues, s.waiting, s.later, s.held, s.oldest) WITH ORDINALITY
    AS q(queue, waiting, later, held, oldest, place) ON true
WHERE s.env = :env AND s.taken_at IS NOT NULL ORDER BY q.place

-- name: record_action
INSERT INTO {schema}.operator_actions (env, action_id, actor_type, actor_id, action, target, reason, at)
VALUES (:env, :action_id, :actor_type, :actor_id, :action, :target, :reason, :now)
ON CONFLICT (env, action_id) DO NOTHING

-- name: finish_action
UPDATE {schema}.operator_actions SET succeeded = :succeeded, result = :result, ended_at = :now
WHERE env = :env AND action_id = :action_id AND succeeded IS NULL
RETURNING action_id

-- fragment: action_place
-- Those behind the page before, or before the end of a range, down to where that begins.
a.env = :env
  AND (a.at, a.action_id)
    < (coalesce(:after_time::timestamptz, :until::timestamptz, 'infinity'), coalesce(:after_id::text, ''))
  AND a.at >= coalesce(:begin::timestamptz, '-infinity')

-- name: list_actions
-- One page along the index of times. Where there is a filter that it does not have, no more than :looked rows are looked
-- at, and the last of them is told: 0 is no bound. The filter is one condition, so that no estimate of how few rows fit
-- has all of them sorted.
WITH bound AS MATERIALIZED (
  SELECT a.at, a.action_id FROM {schema}.operator_actions a
  WHERE :looked::integer > 0 AND {action_place}
  ORDER BY a.at DESC, a.action_id DESC OFFSET :looked::integer LIMIT 1
)
SELECT r.action_id, r.actor_type, r.actor_id, r.action, r.target, r.reason, r.at, r.succeeded, r.result, r.ended_at,
  e.at, e.action_id
FROM (SELECT max(b.at) AS at, max(b.action_id) AS action_id FROM bound b) e LEFT JOIN (
  SELECT a.action_id, a.actor_type, a.actor_id, a.action, a.target, a.reason, a.at, a.succeeded, a.result, a.ended_at
  FROM {schema}.operator_actions a
  WHERE {action_place}
    AND (a.at, a.action_id)
      >= (coalesce((SELECT b.at FROM bound b), '-infinity'), coalesce((SELECT b.action_id FROM bound b), ''))
    AND CASE WHEN (:actor_id::text IS NULL OR a.actor_id = :actor_id)
        AND (:action::text IS NULL OR a.action = :action) AND (:target::text IS NULL OR a.target = :target)
      THEN true ELSE false END
  ORDER BY a.at DESC, a.action_id DESC LIMIT :limit) r ON true
ORDER BY r.at DESC, r.action_id DESC

-- name: prune_actions
-- The earliest first, along the index of times; what somebody holds is passed over.
WITH old AS MATERIALIZED (
  SELECT a.action_id FROM {schema}.operator_actions a WHERE a.env = :env AND a.at < :older_than
  ORDER BY a.at, a.action_id LIMIT :limit FOR UPDATE SKIP LOCKED
)
DELETE FROM {schema}.operator_actions a USING (SELECT :env::integer AS env, old.action_id FROM old OFFSET 0) k
WHERE {env_of_key} AND a.action_id = k.action_id

-- name: add_throughput
-- Added place by place to what is there; a place that one side does not know counts as 0. Rows in order of their keys, so
-- that two processes do not wait for each other in a circle.
INSERT INTO {schema}.throughput_minutes (env, minute, queue, task_id, numbers)
SELECT :env, t.minute, t.queue, t.task_id, t.numbers::bigint[]
FROM unnest(:minutes::timestamptz[], :queues::text[], :task_ids::text[], :numbers::text[])
  AS t(minute, queue, task_id, numbers)
ORDER BY t.minute, t.queue COLLATE "C", t.task_id COLLATE "C"
ON CONFLICT (env, minute, queue, task_id) DO UPDATE SET numbers = ARRAY(
  SELECT coalesce(n.old, 0) + coalesce(n.new, 0)
  FROM unnest({schema}.throughput_minutes.numbers, excluded.numbers) WITH ORDINALITY AS n(old, new, place)
  ORDER BY n.place)

-- name: fold_minutes
-- Adds the minutes of the next step that has any to the folds, where all of it is 10 minutes old; :least is the length of
-- a step. Of two at once, or where somebody has added to old minutes meanwhile, nothing is done, and the next one does it.
WITH before AS MATERIALIZED (
  SELECT f.until, f.late FROM {schema}.throughput_folded f WHERE f.env = :env
), made AS (
  INSERT INTO {schema}.throughput_folded (env, until, late)
  SELECT :env, timestamptz '-infinity', 0 WHERE NOT EXISTS (SELECT 1 FROM before)
  ON CONFLICT (env) DO NOTHING
  RETURNING env
), step AS MATERIALIZED (
  SELECT b.until AS since, b.late, {schema}.begin_of_step(m.minute, :least::integer) + :least * interval '1 minute' AS until
  FROM before b CROSS JOIN LATERAL (
    SELECT t.minute FROM {schema}.throughput_minutes t WHERE t.env = :env AND t.minute >= b.until
    ORDER BY t.minute LIMIT 1) m
), moved AS (
  UPDATE {schema}.throughput_folded f SET until = s.until
  FROM step s
  WHERE f.env = :env AND f.until = s.since AND f.late = s.late
    AND s.until <= clock_timestamp() - interval '10 minutes'
  RETURNING s.since, s.until
), folded AS (
  INSERT INTO {schema}.throughput_folds AS f (env, grain, at, queue, task_id, numbers)
  SELECT :env, s.grain, s.at, s.queue, s.task_id, array_agg(s.total ORDER BY s.place)
  FROM (
    SELECT g.grain::smallint AS grain, {schema}.begin_of_step(t.minute, g.grain) AS at, t.queue, t.task_id, n.place,
      sum(n.number)::bigint AS total
    FROM {schema}.throughput_minutes t CROSS JOIN (VALUES (5), (60)) AS g(grain)
      CROSS JOIN LATERAL unnest(t.numbers) WITH ORDINALITY AS n(number, place)
    WHERE t.env = :env AND t.minute >= (SELECT moved.since FROM moved) AND t.minute < (SELECT moved.until FROM moved)
    GROUP BY 1, 2, 3, 4, 5) s
  GROUP BY s.grain, s.at, s.queue, s.task_id
  ORDER BY s.grain, s.at, s.queue, s.task_id
  ON CONFLICT (env, grain, at, queue, task_id) DO UPDATE SET numbers = ARRAY(
    SELECT coalesce(n.old, 0) + coalesce(n.new, 0)
    FROM unnest(f.numbers, excluded.numbers) WITH ORDINALITY AS n(old, new, place) ORDER BY n.place)
)
SELECT (SELECT count(*) FROM moved) + (SELECT count(*) FROM made)

-- name: list_throughput
SELECT t.minute, t.queue, t.task_id, t.numbers::text
FROM {schema}.throughput_minutes t
WHERE t.env = :env AND t.minute >= :from AND t.minute < :until
  AND (:queue::text IS NULL OR t.queue = :queue) AND (:task_id::text IS NULL OR t.task_id = :task_id)
  AND (:after_minute::timestamptz IS NULL
    OR (t.minute, t.queue, t.task_id) > (:after_minute, :after_queue, :after_task))
ORDER BY t.minute, t.queue, t.task_id LIMIT :limit

-- fragment: counted_of
-- Of the queue and the task that are asked for.
(:queue::text IS NULL OR t.queue = :queue) AND (:task_id::text IS NULL OR t.task_id = :task_id)

-- name: fold_throughput
-- Rows that add up to the steps, the latest first: those of the coarsest grain that a step is made of, as far as they
-- reach, and minutes behind that. :edge is where the last whole one ends.
WITH folded AS MATERIALIZED (
  SELECT coalesce(
    (SELECT least(:edge::timestamptz, {schema}.begin_of_step(f.until, :grain::integer))
      FROM {schema}.throughput_folded f WHERE f.env = :env AND isfinite(f.until)), '-infinity') AS until
)
SELECT x.at, x.queue, x.task_id, x.numbers::text FROM (
  (SELECT t.at, t.queue, t.task_id, t.numbers FROM {schema}.throughput_folds t
    WHERE t.env = :env AND t.grain = :grain::integer AND t.at >= :from AND t.at < (SELECT until FROM folded) AND {counted_of}
    ORDER BY t.at DESC LIMIT :limit)
  UNION ALL
  (SELECT t.minute, t.queue, t.task_id, t.numbers FROM {schema}.throughput_minutes t
    WHERE t.env = :env AND t.minute >= greatest(:from, (SELECT until FROM folded)) AND t.minute < :until
      AND {counted_of}
    ORDER BY t.minute DESC LIMIT :limit)) x
ORDER BY x.at DESC LIMIT :limit

-- name: prune_throughput
-- The earliest first; what somebody holds is passed over. Locked rows stay where they are until they are deleted. With
-- minutes go folds that have none but those.
WITH old AS MATERIALIZED (
  SELECT t.ctid AS place, t.minute FROM {schema}.throughput_minutes t
  WHERE t.env = :env AND t.minute < :older_than
  ORDER BY t.minute, t.queue, t.task_id LIMIT :limit FOR UPDATE SKIP LOCKED
), gone_before AS MATERIALIZED (
  SELECT CASE WHEN count(*) < :limit THEN :older_than::timestamptz ELSE max(old.minute) END AS at FROM old
), old_folds AS MATERIALIZED (
  SELECT f.place FROM (VALUES (5), (60)) AS g(grain) CROSS JOIN gone_before b CROSS JOIN LATERAL (
    SELECT t.ctid AS place FROM {schema}.throughput_folds t
    WHERE t.env = :env AND t.grain = g.grain::smallint
      AND t.at <= b.at - g.grain * interval '1 minute'
    ORDER BY t.at, t.queue, t.task_id LIMIT :limit FOR UPDATE SKIP LOCKED) f
), gone AS (
  DELETE FROM {schema}.throughput_folds WHERE ctid = ANY (ARRAY(SELECT old_folds.place FROM old_folds))
)
DELETE FROM {schema}.throughput_minutes WHERE ctid = ANY (ARRAY(SELECT old.place FROM old))

-- name: append_log_lines
-- Of runs that exist, in order of their keys, so that two that send the same lines do not wait for each other in a
-- circle.
INSERT INTO {schema}.log_lines (env, run_id, attempt, number, at, level, line, fields)
SELECT :env, l.run_id, l.attempt, l.number, l.at, l.level, l.line, l.fields
FROM unnest(:run_ids::text[], :attempts::integer[], :numbers::integer[], :times::timestamptz[], :levels::text[],
    :lines::text[], :field_objects::text[]) AS l(run_id, attempt, number, at, level, line, fields)
WHERE (SELECT 1 FROM {schema}.active_runs a WHERE a.env = :env AND a.run_id = l.run_id) IS NOT NULL
  OR (SELECT 1 FROM {schema}.terminal_runs t WHERE t.env = :env AND t.run_id = l.run_id) IS NOT NULL
ORDER BY l.run_id, l.attempt, l.number
ON CONFLICT (env, run_id, attempt, number) DO NOTHING

-- name: list_log_lines
SELECT l.run_id, l.attempt, l.number, l.at, l.level, l.line, l.fields
FROM {schema}.log_lines l
WHERE l.env = :env AND l.run_id = :run_id
  AND (:after_attempt::bigint IS NULL OR (l.attempt, l.number) > (:after_attempt, :after_number::bigint))
ORDER BY l.attempt, l.number LIMIT :limit
