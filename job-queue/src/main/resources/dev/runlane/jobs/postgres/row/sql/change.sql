-- name: extend_lock
-- The lock of an active job, whoever has it.
UPDATE {schema}.jobs SET lock_until = :until WHERE queue = :queue AND id = :id AND state || '' = 'active'

-- name: extend_locks
-- Hand-outs under their tokens, locked in the order of queue and id. A lock never gets shorter. Those whose rows
-- somebody else holds are passed over or waited for, as {others} says. Rows are changed where they were probed; only
-- where one has another place by now, as somebody changed it since the statement began, are the others looked for by
-- arrays of ids.
WITH g AS MATERIALIZED (
  SELECT * FROM unnest(:queues::text[], :ids::text[], :tokens::text[]) AS g(queue, id, token)
), l AS MATERIALIZED (
  SELECT g.queue, g.id, r.at, r.cancelled FROM g CROSS JOIN LATERAL (
    SELECT j.ctid AS at, j.cancelled_at IS NOT NULL AS cancelled FROM {schema}.jobs j
    WHERE j.queue = g.queue AND j.id = g.id AND j.lock_token = g.token FOR NO KEY UPDATE {others}) r
), u AS (
  UPDATE {schema}.jobs SET lock_until = greatest(lock_until, :until) WHERE ctid = ANY (ARRAY(SELECT l.at FROM l))
  RETURNING queue, id
), moved AS (
  UPDATE {schema}.jobs j SET lock_until = greatest(j.lock_until, :until)
  FROM (SELECT l.queue, l.id FROM l EXCEPT SELECT u.queue, u.id FROM u) o
  WHERE (SELECT count(*) FROM u) < (SELECT count(*) FROM l)
    AND j.queue = ANY (:all_queues::text[]) AND j.id = ANY (:ids::text[]) AND j.queue = o.queue AND j.id = o.id
)
SELECT l.queue, l.id, l.cancelled FROM l

-- name: list_held
-- Hand-outs that have their tokens still and whose locks had not run out at :now, in the form of extend_locks, which
-- extends those that had too. Waits for nobody.
WITH g AS MATERIALIZED (
  SELECT * FROM unnest(:queues::text[], :ids::text[], :tokens::text[]) AS g(queue, id, token)
)
SELECT g.queue, g.id, r.cancelled FROM g CROSS JOIN LATERAL (
  SELECT j.cancelled_at IS NOT NULL AS cancelled FROM {schema}.jobs j
  WHERE j.queue = g.queue AND j.id = g.id AND j.lock_token = g.token AND coalesce(j.lock_until >= :now, true)
  LIMIT 1) r

-- name: release_lock
-- Under the token :token, or whoever has it where that is null.
UPDATE {schema}.jobs SET lock_until = NULL, locked_by = NULL, lock_token = NULL
WHERE queue = :queue AND id = :id AND (:token::text IS NULL OR lock_token = :token)

-- name: request_cancellation
-- Of an active job; the first request counts.
UPDATE {schema}.jobs SET cancelled_at = coalesce(cancelled_at, :now)
WHERE queue = :queue AND id = :id AND state || '' = 'active'

-- name: update_progress
-- The only field that handlers write often, under the token :token, or whoever has the job where that is null.
UPDATE {schema}.jobs SET progress = :progress WHERE queue = :queue AND id = :id AND (:token::text IS NULL
    OR lock_token = :token)

-- name: append_line
-- One line for each job, locked in the order of queue and id, for its present hand-out, and the oldest beyond
-- :most_lines dropped. Where a token is given, only for the hand-out under it.
WITH g AS MATERIALIZED (
  SELECT * FROM unnest(:queues::text[], :ids::text[], :lines::text[], :tokens::text[]) AS g(queue, id, line, token)
), l AS MATERIALIZED (
  SELECT g.queue, g.id, g.line, r.started_attempts, 1 + coalesce((
      SELECT max(n.number) FROM {schema}.job_entries n
      WHERE n.queue = g.queue AND n.job_id = g.id AND n.kind = 0), 0) AS number
  FROM g CROSS JOIN LATERAL (
    SELECT j.started_attempts FROM {schema}.jobs j WHERE j.queue = g.queue AND j.id = g.id
      AND (g.token IS NULL OR j.lock_token = g.token)
    FOR NO KEY UPDATE) r
), dropped AS (
  DELETE FROM {schema}.job_entries WHERE ctid = ANY (ARRAY(
    SELECT e.at FROM l CROSS JOIN LATERAL (
      SELECT x.ctid AS at FROM {schema}.job_entries x
      WHERE x.queue = l.queue AND x.job_id = l.id AND x.kind = 0 AND x.number = l.number - :most_lines LIMIT 1) e))
), added AS (
  INSERT INTO {schema}.job_entries (queue, job_id, kind, number, attempt, body)
  SELECT l.queue, l.id, 0, l.number, l.started_attempts, l.line FROM l
)
SELECT l.queue, l.id FROM l

-- name: remove_stray_entries
-- Looks at the entries of up to :limit jobs behind :after_id and removes those whose job is gone. Answers the last of
-- these jobs, nothing where there were fewer. What a job of this moment writes was not there when this began.
WITH RECURSIVE walk AS (
  (SELECT e.job_id, 1 AS place FROM {schema}.job_entries e
    WHERE e.queue = :queue AND e.job_id > :after_id ORDER BY e.queue, e.job_id LIMIT 1)
  UNION ALL
  SELECT n.job_id, w.place + 1 FROM walk w CROSS JOIN LATERAL (
    SELECT e.job_id FROM {schema}.job_entries e
    WHERE e.queue = :queue AND e.job_id > w.job_id ORDER BY e.queue, e.job_id LIMIT 1) n
  WHERE w.place < :limit
), stray AS MATERIALIZED (
  SELECT w.job_id FROM walk w
  WHERE (SELECT 1 FROM {schema}.jobs j WHERE j.queue = :queue AND j.id = w.job_id LIMIT 1) IS NULL
), gone AS (
  DELETE FROM {schema}.job_entries WHERE ctid = ANY (ARRAY(
    SELECT e.at FROM stray d CROSS JOIN LATERAL (
      SELECT x.ctid AS at FROM {schema}.job_entries x WHERE x.queue = :queue AND x.job_id = d.job_id OFFSET 0) e))
)
SELECT (SELECT w.job_id FROM walk w WHERE w.place = :limit) AS last_id

-- name: promote_due
-- Delayed jobs that are due, at most :limit. What somebody else promotes is passed over.
WITH c AS MATERIALIZED (
  SELECT j.ctid AS at FROM {schema}.jobs j
  WHERE j.queue = :queue AND j.state = 'delayed' AND j.delay_until <= :until
  ORDER BY j.delay_until LIMIT :limit FOR UPDATE SKIP LOCKED
)
UPDATE {schema}.jobs SET state = 'waiting', delay_until = NULL
WHERE ctid = ANY (ARRAY(SELECT c.at FROM c))

-- name: promote_part
-- At most :limit delayed jobs, the last due first, from :from on, where that is given: who is delayed anew meanwhile,
-- for a later time, is not met again. What somebody else promotes is passed over. Answers how many, and where the
-- next part begins.
WITH c AS MATERIALIZED (
  SELECT j.ctid AS at, j.delay_until FROM {schema}.jobs j
  WHERE j.queue = :queue AND j.state = 'delayed' AND {bound}
  ORDER BY j.delay_until DESC LIMIT :limit FOR UPDATE SKIP LOCKED
), u AS (
  UPDATE {schema}.jobs SET state = 'waiting', delay_until = NULL
  WHERE ctid = ANY (ARRAY(SELECT c.at FROM c))
  RETURNING id
)
SELECT (SELECT count(*) FROM u), (SELECT min(c.delay_until) FROM c)

-- fragment: from_the_last
-- Where a walk from the last to the first goes on. Those without a time are a walk of their own.
j.{column} <= coalesce(:from::timestamptz, 'infinity')

-- fragment: without_a_time
j.{column} IS NULL AND :from::timestamptz IS NULL

-- name: pause
INSERT INTO {schema}.job_pauses (queue, name) VALUES (:queue, :name) ON CONFLICT DO NOTHING

-- name: resume
DELETE FROM {schema}.job_pauses WHERE queue = :queue AND name = :name

-- name: list_pauses
SELECT p.name FROM {schema}.job_pauses p WHERE p.queue = :queue ORDER BY p.name

-- fragment: lines_of_l
-- How many lines of log the job l has. Their numbers have no gaps, so that two probes of the key tell; asked for the
-- least and the greatest together, the planner may read all of them. Of stacks and records no job has many.
coalesce(1 +
    (SELECT e.number FROM {schema}.job_entries e WHERE e.queue = :queue AND e.job_id = l.id AND e.kind = 0
      ORDER BY e.number DESC LIMIT 1) -
    (SELECT e.number FROM {schema}.job_entries e WHERE e.queue = :queue AND e.job_id = l.id AND e.kind = 0
      ORDER BY e.number LIMIT 1), 0)

-- fragment: few
-- Those of the jobs l that come first, by their turn and id, until they have :most_lines lines together; one at least.
-- A job may have a thousand long ones: those of a thousand such jobs are not deleted within a statement's time.
n AS MATERIALIZED (
  SELECT l.id, l.at, l.turn, {lines_of_l} AS lines FROM l
), c AS MATERIALIZED (
  SELECT x.id, x.at, x.turn
  FROM (SELECT n.id, n.at, n.turn, sum(n.lines) OVER (ORDER BY n.turn, n.id) - n.lines AS lines_before FROM n) x
  WHERE x.lines_before < :most_lines
)

-- fragment: remove_few
-- Removes as many of the locked jobs l. Answers how many, the last turn, and whether more may be left.
{few}, entries AS (
  DELETE FROM {schema}.job_entries WHERE ctid = ANY (ARRAY(
    SELECT e.at FROM c d CROSS JOIN LATERAL (
      SELECT x.ctid AS at FROM {schema}.job_entries x WHERE x.queue = :queue AND x.job_id = d.id OFFSET 0) e))
), gone AS (
  DELETE FROM {schema}.jobs WHERE ctid = ANY (ARRAY(SELECT c.at FROM c)) RETURNING id
)
SELECT (SELECT count(*) FROM gone), (SELECT max(c.turn) FROM c),
  (SELECT count(*) FROM l) = :limit OR (SELECT count(*) FROM l) > (SELECT count(*) FROM c)

-- name: clean_part
-- At most :limit jobs that ended before :before, the first first, from :from on, where that is given. What somebody
-- else removes is passed over. The last turn is where the next part begins.
WITH l AS MATERIALIZED (
  SELECT j.id, j.ctid AS at, j.{ended} AS turn FROM {schema}.jobs j
  WHERE j.queue = :queue AND j.state = '{state}' AND j.{ended} < :before
    AND j.{ended} >= coalesce(:from::timestamptz, '-infinity')
  ORDER BY j.{ended} LIMIT :limit FOR UPDATE SKIP LOCKED
), {remove_few}

-- name: remove_expired
WITH l AS MATERIALIZED (
  SELECT j.id, j.ctid AS at, j.remove_at AS turn FROM {schema}.jobs j
  WHERE j.remove_at IS NOT NULL AND j.remove_at <= :now AND j.queue = :queue
  ORDER BY j.remove_at LIMIT :limit FOR UPDATE SKIP LOCKED
), {remove_few}

-- name: open_children
-- Open jobs of a queue that have a parent; active ones only where :with_active says so. Of each state in the order of
-- its index: others begin with the queue too, and have all that has ended.
SELECT o.id FROM (
  (SELECT j.id FROM {schema}.jobs j
   WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NULL AND j.parent_id IS NOT NULL
   ORDER BY j.priority, j.place OFFSET 0)
  UNION ALL
  (SELECT j.id FROM {schema}.jobs j
   WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL AND j.parent_id IS NOT NULL
   ORDER BY j.priority, j.place OFFSET 0)
  UNION ALL
  (SELECT j.id FROM {schema}.jobs j
   WHERE j.queue = :queue AND j.state = 'delayed' AND j.parent_id IS NOT NULL ORDER BY j.delay_until OFFSET 0)
  UNION ALL
  (SELECT j.id FROM {schema}.jobs j
   WHERE j.queue = :queue AND j.state = 'waiting-children' AND j.parent_id IS NOT NULL ORDER BY j.created_at OFFSET 0)
  UNION ALL
  (SELECT j.id FROM {schema}.jobs j
   WHERE :with_active AND j.queue = :queue AND j.state = 'active' AND j.parent_id IS NOT NULL
   ORDER BY j.group_id OFFSET 0)) o

-- name: some_jobs
-- How many jobs a queue has that go with it, up to :limit: those that are open and with no worker, or all. :limit also
-- where fewer have more than :most_lines lines of log.
WITH l AS MATERIALIZED (
  SELECT j.id FROM {schema}.jobs j WHERE j.queue = :queue AND {which} ORDER BY {order} LIMIT :limit
)
SELECT CASE WHEN (SELECT sum({lines_of_l}) FROM l) > :most_lines THEN :limit ELSE (SELECT count(*) FROM l) END

-- name: remove_part
-- At most :limit jobs of a queue of which nobody has to be told. What somebody else holds is passed over.
WITH l AS MATERIALIZED (
  SELECT j.id, j.ctid AS at, NULL::timestamptz AS turn FROM {schema}.jobs j
  WHERE j.queue = :queue AND {which} AND (j.parent_id IS NULL OR j.state IN ('completed', 'failed'))
  ORDER BY {order} LIMIT :limit FOR UPDATE SKIP LOCKED
), {remove_few}

-- name: children_part
-- At most :limit open children of a queue whose parent does not go with the queue as well, or has gone already: no
-- parent learns of a child that is to go itself. Fewer where they have very many lines.
WITH l AS MATERIALIZED (
  SELECT j.id, j.ctid AS at, NULL::timestamptz AS turn FROM {schema}.jobs j
  WHERE j.queue = :queue AND {which} AND j.parent_id IS NOT NULL AND (
    SELECT 1 FROM {schema}.jobs p WHERE p.queue = :queue AND j.parent_queue = :queue AND p.id = j.parent_id
      AND p.state || '' IN ('waiting', 'delayed', 'waiting-children') LIMIT 1) IS NULL
  ORDER BY {order} LIMIT :limit
), {few}
SELECT c.id FROM c

-- name: delete_open
-- Jobs of a queue that are not with a worker and have not ended, and that are nobody's children.
WITH gone AS (
  DELETE FROM {schema}.jobs j
  WHERE j.queue = :queue AND j.state IN ('waiting', 'delayed', 'waiting-children') AND j.parent_id IS NULL
  RETURNING j.id
)
DELETE FROM {schema}.job_entries WHERE ctid = ANY (ARRAY(
    SELECT e.at FROM gone d CROSS JOIN LATERAL (
      SELECT x.ctid AS at FROM {schema}.job_entries x WHERE x.queue = :queue AND x.job_id = d.id OFFSET 0) e))

-- name: some_rows
-- How many rows a queue has in {table}, up to :limit.
SELECT count(*) FROM (SELECT FROM {schema}.{table} t WHERE t.queue = :queue LIMIT :limit) l

-- name: remove_rows
-- At most :limit rows of a queue in {table}. What somebody else holds is passed over.
DELETE FROM {schema}.{table} WHERE ctid = ANY (ARRAY(
  SELECT t.ctid FROM {schema}.{table} t WHERE t.queue = :queue LIMIT :limit FOR UPDATE SKIP LOCKED))

-- name: remove_marks
-- Of at most :limit marks of groups, behind number :from, those of groups without a waiting job: whoever lets one wait
-- leaves another. Under the queue's lock, as whoever takes marks in. Answers the last number that was looked at, and
-- whether there may be more.
WITH l AS MATERIALIZED (
  SELECT m.ctid AS at, m.number, m.group_id FROM {schema}.job_group_marks m
  WHERE m.queue = :queue AND m.number > coalesce(:from::text::bigint, 0)
  ORDER BY m.queue, m.number LIMIT :limit
), gone AS (
  DELETE FROM {schema}.job_group_marks WHERE ctid = ANY (ARRAY(
    SELECT l.at FROM l
    WHERE (SELECT 1 FROM {schema}.jobs j
      WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL AND j.group_id >= l.group_id
        AND j.group_id <= l.group_id
      ORDER BY j.group_id, j.priority, j.place LIMIT 1) IS NULL))
)
SELECT (SELECT max(l.number) FROM l)::text, (SELECT count(*) FROM l) = :limit

-- name: has_groups
-- Whether a queue has rows of groups, beside that of its jobs without one.
SELECT (SELECT 1 FROM {schema}.job_groups g WHERE g.queue = :queue AND g.group_id > '' LIMIT 1) IS NOT NULL

-- name: remove_groups
-- Of at most :limit groups behind :from, those without a waiting job, :turns turns and additions or more after they
-- were served. Under the queue's lock, taken by an earlier statement: who takes in the mark of a job writes the group's row
-- under it, after the job's commit, so that the job is seen here. Answers the last group that was looked at, and
-- whether there may be more. Whether a job waits is a probe for each group: NOT EXISTS becomes a join that may scan all
-- jobs that wait.
WITH l AS MATERIALIZED (
  SELECT g.ctid AS at, g.group_id, g.served FROM {schema}.job_groups g
  WHERE g.queue = :queue AND g.group_id > coalesce(:from::text, '')
  ORDER BY g.queue, g.group_id LIMIT :limit
), gone AS (
  DELETE FROM {schema}.job_groups WHERE ctid = ANY (ARRAY(
    SELECT l.at FROM l
    WHERE l.served + :turns::bigint <= coalesce(pg_sequence_last_value('{schema}.job_places'::regclass), 0)
      AND (SELECT 1 FROM {schema}.jobs j
        WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL AND j.group_id >= l.group_id
          AND j.group_id <= l.group_id
        ORDER BY j.group_id, j.priority, j.place LIMIT 1) IS NULL))
)
SELECT (SELECT max(l.group_id) FROM l), (SELECT count(*) FROM l) = :limit

-- name: delete_queue
-- The jobs that are left of a queue and what belongs to it, but for open children, whose parents have to be told. What
-- there was much of went before, in parts. Answers how many of the jobs were active.
WITH gone AS (
  DELETE FROM {schema}.jobs j
  WHERE j.queue = :queue AND (j.parent_id IS NULL OR j.state IN ('completed', 'failed'))
  RETURNING j.state
),
entries AS (DELETE FROM {schema}.job_entries WHERE queue = :queue),
pauses AS (DELETE FROM {schema}.job_pauses WHERE queue = :queue),
groups AS (DELETE FROM {schema}.job_groups WHERE queue = :queue),
marks AS (DELETE FROM {schema}.job_group_marks WHERE queue = :queue),
rates AS (DELETE FROM {schema}.job_rate_fetches WHERE queue = :queue),
schedules AS (DELETE FROM {schema}.job_schedules WHERE queue = :queue),
metrics AS (DELETE FROM {schema}.job_metrics WHERE queue = :queue)
SELECT count(*) FROM gone WHERE gone.state = 'active'

-- fragment: put_back
-- The part that puts the locked jobs c back. Nothing is left of their attempts but the records of their hand-outs: a
-- completion that only the row tells of gets one, and the oldest beyond :most_records is dropped. The slot of a
-- deduplication key goes to the last to end where nobody holds it; the others lose their key.
k AS MATERIALIZED (
  SELECT DISTINCT ON (c.deduplication_key) c.id
  FROM (SELECT c.*, {slot_of} AS slot FROM c) c
  WHERE c.deduplication_key IS NOT NULL AND (
    SELECT 1 FROM {schema}.jobs h
    WHERE h.queue = :queue AND h.deduplication_slot IS NOT NULL AND h.deduplication_slot >= c.slot
      AND h.deduplication_slot <= c.slot
    ORDER BY h.deduplication_slot LIMIT 1) IS NULL
  ORDER BY c.deduplication_key, c.ended DESC, abs(c.place) DESC
), stacks AS (
  DELETE FROM {schema}.job_entries WHERE ctid = ANY (ARRAY(
    SELECT e.at FROM c d CROSS JOIN LATERAL (
      SELECT x.ctid AS at FROM {schema}.job_entries x
      WHERE x.queue = :queue AND x.job_id = d.id AND x.kind = 1 OFFSET 0) e))
), completions AS MATERIALIZED (
  SELECT c.id, c.started_attempts, c.processed_at, c.completed_at, 1 + coalesce((
      SELECT max(n.number) FROM {schema}.job_entries n
      WHERE n.queue = :queue AND n.job_id = c.id AND n.kind = 2), 0) AS number
  FROM c
  WHERE '{state}' = 'completed' AND c.started_attempts > 0 AND c.processed_at IS NOT NULL
    AND c.completed_at IS NOT NULL AND (
      SELECT 1 FROM {schema}.job_entries e
      WHERE e.queue = :queue AND e.job_id = c.id AND e.kind = 2 AND e.attempt = c.started_attempts LIMIT 1) IS NULL
), dropped AS (
  DELETE FROM {schema}.job_entries WHERE ctid = ANY (ARRAY(
    SELECT e.at FROM completions d CROSS JOIN LATERAL (
      SELECT x.ctid AS at FROM {schema}.job_entries x
      WHERE x.queue = :queue AND x.job_id = d.id AND x.kind = 2 AND x.number = d.number - :most_records OFFSET 0) e))
), kept AS (
  INSERT INTO {schema}.job_entries (queue, job_id, kind, number, attempt, body)
  SELECT :queue, o.id, 2, o.number, o.started_attempts, json_build_object('attempts',
      json_build_array(json_build_object(
      'attempt', o.started_attempts,
      'startedAt', to_char(o.processed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'endedAt', to_char(o.completed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'status', 'completed')))::text
  FROM completions o
), u AS (
  UPDATE {schema}.jobs SET state = 'waiting', attempts_made = 0, stalls = 0, discarded = false, progress = 0,
    returnvalue = NULL, failed_reason = NULL, failed_at = NULL, completed_at = NULL, processed_at = NULL,
    cancelled_at = NULL, delay_until = NULL, remove_at = NULL,
    deduplication_slot = CASE WHEN id = ANY (ARRAY(SELECT k.id FROM k)) THEN {slot_of} END,
    deduplication_key = CASE WHEN id = ANY (ARRAY(SELECT k.id FROM k)) THEN deduplication_key END
  WHERE ctid = ANY (ARRAY(SELECT c.at FROM c))
  RETURNING id
)

-- name: retry_part
-- Puts at most :limit jobs of a terminal state back, the last to end first, from :from on, where that is given: who
-- ends again meanwhile is not met again. What somebody else holds is passed over. Answers how many, and where the next
-- part begins.
WITH c AS MATERIALIZED (
  SELECT j.id, j.ctid AS at, j.deduplication_key, j.place, j.started_attempts, j.processed_at, j.completed_at,
    j.{ended} AS ended
  FROM {schema}.jobs j
  WHERE j.queue = :queue AND j.state = '{state}' AND {bound}
  ORDER BY j.{ended} DESC LIMIT :limit FOR UPDATE SKIP LOCKED
), {put_back}
SELECT (SELECT count(*) FROM u), (SELECT min(c.ended) FROM c)

-- fragment: failed_part
-- The part that looks at no more than :limit failed jobs, the last to fail first, behind the one that failed at :from
-- and has the place :from_place, where they are given, and says which fit.
l AS MATERIALIZED (
  SELECT j.id, j.failed_at, abs(j.place) AS turn, (:cancelled OR j.cancelled_at IS NULL)
    AND (:name::text IS NULL OR position(lower(:name::text COLLATE {fold}) IN lower(j.name COLLATE {fold})) > 0)
    AND (:group::text IS NULL OR j.group_id = :group)
    AND (:created_after::timestamptz IS NULL OR j.created_at >= :created_after)
    AND (:created_before::timestamptz IS NULL OR j.created_at <= :created_before) AS fits
  FROM {schema}.jobs j
  WHERE j.queue = :queue AND j.state = 'failed' AND {behind}
  ORDER BY j.failed_at DESC, abs(j.place) DESC LIMIT :limit
)

-- fragment: behind_the_last
j.failed_at <= coalesce(:from::timestamptz, 'infinity')
    AND (:from_place::bigint IS NULL OR j.failed_at < :from OR abs(j.place) < :from_place)

-- fragment: behind_without_a_time
j.failed_at IS NULL AND :from::timestamptz IS NULL AND (:from_place::bigint IS NULL OR abs(j.place) < :from_place)

-- name: retry_failed_part
-- Puts those back that fit. What somebody else holds is passed over, and so is one that failed again meanwhile. Answers
-- how many, the last that was looked at, and whether there may be more.
WITH {failed_part}, c AS MATERIALIZED (
  SELECT r.id, r.at, r.deduplication_key, r.place, r.started_attempts, r.processed_at, r.completed_at,
    r.failed_at AS ended
  FROM l CROSS JOIN LATERAL (
    SELECT j.id, j.ctid AS at, j.deduplication_key, j.place, j.started_attempts, j.processed_at, j.completed_at,
      j.failed_at
    FROM {schema}.jobs j
    WHERE j.queue = :queue AND j.id = l.id AND j.state || '' = 'failed' AND j.failed_at IS NOT DISTINCT FROM l.failed_at
    FOR UPDATE SKIP LOCKED) r
  WHERE l.fits
), {put_back}
SELECT (SELECT count(*) FROM u), (SELECT min(l.failed_at) FROM l),
  (SELECT l.turn FROM l ORDER BY l.failed_at, l.turn LIMIT 1), (SELECT count(*) FROM l) = :limit

-- name: count_failed_part
-- The same, which only counts.
WITH {failed_part}
SELECT (SELECT count(*) FROM l WHERE l.fits), (SELECT min(l.failed_at) FROM l),
  (SELECT l.turn FROM l ORDER BY l.failed_at, l.turn LIMIT 1), (SELECT count(*) FROM l) = :limit

-- name: lock_dead_letters
-- Waiting copies in a dead-letter queue, oldest first, locked: at most :limit behind the one that was created at :from
-- and has the place :from_place, where they are given. What somebody else takes is passed over, and in the answer
-- without a job; the last row's time and place are where the next part begins. Only narrow rows are sorted.
SELECT j.place, {j_columns}, c.created_at, c.place FROM (
  SELECT k.id, k.created_at, abs(k.place) AS place FROM {schema}.jobs k
  WHERE k.queue = :queue AND k.state = 'waiting' AND k.group_id IS NULL AND k.dead_letter IS NOT NULL
    AND (:from::timestamptz IS NULL OR (k.created_at, abs(k.place)) > (:from, :from_place::bigint))
  ORDER BY k.created_at, abs(k.place) LIMIT :limit) c
LEFT JOIN LATERAL (
  SELECT r.place, {r_columns} FROM {schema}.jobs r
  WHERE r.queue = :queue AND r.id = c.id AND r.state || '' = 'waiting' FOR UPDATE SKIP LOCKED) j ON true
ORDER BY c.created_at, c.place
