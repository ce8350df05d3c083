-- name: claim_occurrence
-- One fire of a schedule to one claimer: a row that is completed, or claimed and not expired, is not
-- updated and so not returned.
INSERT INTO {schema}.schedule_occurrences AS o
  (env, occurrence_id, schedule_id, fire_at, status, claim_token, claim_expires_at, updated_at)
VALUES (:env, :occurrence_id, :schedule_id, :fire_at, 'claimed', :token, :expires_at, :now)
ON CONFLICT (env, occurrence_id) DO UPDATE
  SET claim_token = excluded.claim_token, claim_expires_at = excluded.claim_expires_at,
    updated_at = excluded.updated_at
  WHERE o.status = 'claimed' AND o.claim_expires_at <= excluded.updated_at
RETURNING schedule_id, occurrence_id, fire_at, claim_token, claim_expires_at

-- name: complete_occurrence
-- Completes a fire for ever, for the one who holds its claim, and remembers it as the schedule's latest where
-- it is.
WITH done AS (
  UPDATE {schema}.schedule_occurrences
  SET status = 'completed', run_ids = :run_ids::text[], task_id = :task_id::text, updated_at = :now
  WHERE env = :env AND occurrence_id = :occurrence_id AND status = 'claimed' AND claim_token = :token
  RETURNING env, task_id, schedule_id, fire_at
), told AS (
  UPDATE {schema}.schedules s SET last_fire = done.fire_at FROM done
  WHERE s.env = done.env AND s.task_id = done.task_id AND s.schedule_id = done.schedule_id
    AND (s.last_fire IS NULL OR s.last_fire < done.fire_at)
)
SELECT fire_at FROM done

-- name: occurrence_exists
SELECT status FROM {schema}.schedule_occurrences WHERE env = :env AND occurrence_id = :occurrence_id

-- name: find_occurrence
SELECT occurrence_id, schedule_id, fire_at, claim_expires_at, status = 'completed', task_id, run_ids
FROM {schema}.schedule_occurrences WHERE env = :env AND occurrence_id = :occurrence_id

-- name: see_schedules
-- Remembers schedules (:task_ids, :schedule_ids) and their definitions (:definitions) at :now. Only a schedule that
-- was never told of asks for fires of the time before this table: those of its own task's runs, and those of which
-- nobody can tell the task any more, for the first schedule of the id that is told of. A definition that was away
-- since :gone_since or longer, while another one was told, begins anew. Rows are written in one order by everybody.
WITH told AS MATERIALIZED (
  SELECT w.task_id, w.schedule_id, w.definition, w.place,
    EXISTS (SELECT 1 FROM {schema}.schedules s
      WHERE s.env = :env AND s.task_id = w.task_id AND s.schedule_id = w.schedule_id) AS known
  FROM unnest(:task_ids::text[], :schedule_ids::text[], :definitions::text[]) WITH ORDINALITY AS w(task_id,
      schedule_id, definition, place)
), counted AS MATERIALIZED (
  SELECT t.*, CASE WHEN t.known THEN :now::timestamptz ELSE LEAST(:now::timestamptz, (
    SELECT min(o.fire_at) - interval '1 microsecond' FROM (
      SELECT l.fire_at, l.task_id, l.run_ids FROM {schema}.schedule_occurrences l
      WHERE l.env = :env AND l.schedule_id = t.schedule_id
      ORDER BY l.env DESC, l.schedule_id DESC, l.fire_at DESC LIMIT 1000) o
    LEFT JOIN {schema}.active_runs a ON a.env = :env AND a.run_id = o.run_ids[1]
    LEFT JOIN {schema}.terminal_runs d ON d.env = :env AND d.run_id = o.run_ids[1]
    WHERE CASE
      WHEN COALESCE(o.task_id, a.task_id, d.task_id) IS NOT NULL
        THEN COALESCE(o.task_id, a.task_id, d.task_id) = t.task_id
      ELSE NOT EXISTS (SELECT 1 FROM {schema}.schedules s WHERE s.env = :env AND s.schedule_id = t.schedule_id)
        AND NOT EXISTS (SELECT 1 FROM told e WHERE e.schedule_id = t.schedule_id AND e.place < t.place)
    END)) END AS since
  FROM told t
), remembered AS (
  INSERT INTO {schema}.schedules (env, task_id, schedule_id, first_seen)
  SELECT :env, c.task_id, c.schedule_id, :now FROM counted c WHERE NOT c.known ORDER BY c.task_id, c.schedule_id
  ON CONFLICT (env, task_id, schedule_id) DO NOTHING
), defined AS (
  INSERT INTO {schema}.schedule_definitions AS d (env, task_id, schedule_id, definition, counts_from, last_seen)
  SELECT :env, c.task_id, c.schedule_id, c.definition, c.since, :now FROM counted c
  ORDER BY c.task_id, c.schedule_id
  ON CONFLICT (env, task_id, schedule_id, definition) DO UPDATE
    SET counts_from = CASE WHEN d.last_seen <= :gone_since AND EXISTS (
        SELECT 1 FROM {schema}.schedule_definitions x
        WHERE x.env = d.env AND x.task_id = d.task_id AND x.schedule_id = d.schedule_id
          AND x.definition <> d.definition AND x.last_seen > d.last_seen)
      THEN excluded.last_seen ELSE d.counts_from END,
      last_seen = GREATEST(d.last_seen, excluded.last_seen)
  RETURNING d.task_id, d.schedule_id, d.definition, d.counts_from
)
SELECT d.task_id, d.schedule_id, d.definition, COALESCE(s.first_seen, :now), d.counts_from, s.last_fire
FROM defined d LEFT JOIN {schema}.schedules s
  ON s.env = :env AND s.task_id = d.task_id AND s.schedule_id = d.schedule_id

-- fragment: schedule_state
SELECT s.task_id, s.schedule_id, d.definition, s.first_seen, d.last_seen, d.counts_from, s.last_fire, s.resumed_at,
  s.paused_at, s.pause_actor_type, s.pause_actor_id, s.pause_reason

-- fragment: last_definition
-- Of a schedule s.
(SELECT x.definition, x.last_seen, x.counts_from FROM {schema}.schedule_definitions x
  WHERE x.env = s.env AND x.task_id = s.task_id AND x.schedule_id = s.schedule_id
  ORDER BY x.last_seen DESC, x.definition DESC LIMIT 1) d

-- name: list_schedules
{schedule_state}
FROM {schema}.schedules s CROSS JOIN LATERAL {last_definition}
WHERE s.env = :env
  AND (s.task_id, s.schedule_id) > (coalesce(:after_task::text, ''), coalesce(:after_schedule::text, ''))
ORDER BY s.task_id, s.schedule_id LIMIT :limit

-- name: find_schedules
-- Each by its key.
{schedule_state}
FROM (SELECT DISTINCT n.task_id, n.schedule_id
    FROM unnest(:task_ids::text[], :schedule_ids::text[]) AS n(task_id, schedule_id)) w
CROSS JOIN LATERAL (
  SELECT k.env, k.task_id, k.schedule_id, k.first_seen, k.last_fire, k.resumed_at, k.paused_at, k.pause_actor_type,
    k.pause_actor_id, k.pause_reason
  FROM {schema}.schedules k
  WHERE k.env = :env AND k.task_id = w.task_id AND k.schedule_id = w.schedule_id LIMIT 1) s
CROSS JOIN LATERAL {last_definition}
ORDER BY s.task_id, s.schedule_id

-- name: pause_schedule
-- Answers whether the schedule is known, and whether this statement paused it.
WITH paused AS (
  UPDATE {schema}.schedules SET paused_at = :now, pause_actor_type = :actor_type, pause_actor_id = :actor_id,
    pause_reason = :reason
  WHERE env = :env AND task_id = :task_id AND schedule_id = :schedule_id AND paused_at IS NULL
  RETURNING task_id
)
SELECT EXISTS (SELECT 1 FROM {schema}.schedules s
    WHERE s.env = :env AND s.task_id = :task_id AND s.schedule_id = :schedule_id),
  EXISTS (SELECT 1 FROM paused)

-- name: resume_schedule
-- The definitions count from now with the resume itself, so that a scheduler that starts later makes no run of a fire
-- of the pause. Their rows are locked behind the schedule's, as nobody else does.
WITH resumed AS (
  UPDATE {schema}.schedules SET paused_at = NULL, pause_actor_type = NULL, pause_actor_id = NULL, pause_reason = NULL,
    resumed_at = :now
  WHERE env = :env AND task_id = :task_id AND schedule_id = :schedule_id AND paused_at IS NOT NULL
  RETURNING task_id
), counted AS (
  UPDATE {schema}.schedule_definitions d SET counts_from = :now FROM resumed
  WHERE d.env = :env AND d.task_id = :task_id AND d.schedule_id = :schedule_id AND d.counts_from < :now
)
SELECT EXISTS (SELECT 1 FROM {schema}.schedules s
    WHERE s.env = :env AND s.task_id = :task_id AND s.schedule_id = :schedule_id),
  EXISTS (SELECT 1 FROM resumed)

-- name: prune_runs
-- Removes up to :limit terminal runs of one status last updated before :older_than, after the position (:after_time,
-- :after_id), with everything of theirs; fewer, and one at least, where they have more than :most_events events. A run
-- that still owns its idempotency key is passed over, and so is one that somebody holds or has changed since the page was
-- chosen. Only rows that are removed are locked: of those that stay a pass may walk millions. Answers how many were looked
-- at and removed, the position reached and whether more may be left behind it. What is a run's own is found run by run, in
-- the order of the only index that has it: a plan made on an empty table looks for many at once in another one, and walks
-- that whole.
WITH page AS MATERIALIZED (
  SELECT t.run_id, t.updated_at, t.sequence, t.status <> 'failed' AND t.idempotency_key IS NOT NULL
      AND (SELECT 1 FROM {schema}.idempotency_owners o WHERE o.env = t.env AND o.task_id = t.task_id
        AND o.idempotency_key = t.idempotency_key AND o.run_id = t.run_id AND o.expires_at > :now) IS NOT NULL
      AS retained
  FROM {schema}.terminal_runs t
  WHERE t.env = :env AND t.sequence > 0 AND t.status = :status AND t.updated_at < :older_than
    AND (t.updated_at, t.run_id) > (coalesce(:after_time::timestamptz, '-infinity'), coalesce(:after_id::text, ''))
  ORDER BY t.updated_at, t.run_id LIMIT :limit
), c AS MATERIALIZED (
  SELECT x.* FROM (
    SELECT p.*, sum(p.sequence) OVER (ORDER BY p.updated_at, p.run_id) - p.sequence AS events_before FROM page p) x
  WHERE x.events_before < :most_events
), l AS MATERIALIZED (
  SELECT r.run_id FROM c CROSS JOIN LATERAL (
    SELECT t.run_id FROM {schema}.terminal_runs t
    WHERE t.env = :env AND t.run_id = c.run_id AND t.status || '' = :status AND t.updated_at = c.updated_at
      AND t.sequence = c.sequence
    FOR UPDATE SKIP LOCKED) r
  WHERE NOT c.retained
), ids AS MATERIALIZED (
  SELECT ARRAY(SELECT run_id FROM l) AS run_ids
), owners AS (
  DELETE FROM {schema}.idempotency_owners WHERE run_id = ANY ((SELECT run_ids FROM ids)::text[]) AND ctid = ANY (ARRAY(
    SELECT o.place FROM l CROSS JOIN LATERAL (
      SELECT k.ctid AS place FROM {schema}.idempotency_owners k
      WHERE k.env = :env AND k.expires_at > '-infinity' AND k.run_id BETWEEN l.run_id AND l.run_id
      ORDER BY k.run_id) o))
), singletons AS (
  DELETE FROM {schema}.singleton_owners WHERE run_id = ANY ((SELECT run_ids FROM ids)::text[]) AND ctid = ANY (ARRAY(
    SELECT o.place FROM l CROSS JOIN LATERAL (
      SELECT k.ctid AS place FROM {schema}.singleton_owners k
      WHERE k.env = :env AND k.singleton_key > '' AND k.run_id BETWEEN l.run_id AND l.run_id
      ORDER BY k.run_id) o))
), events AS (
  DELETE FROM {schema}.run_events a {ended_runs_by_key}
), messages AS (
  DELETE FROM {schema}.outbox_messages a USING (
    SELECT :env::integer AS env, o.message_id FROM l CROSS JOIN LATERAL (
      SELECT m.message_id FROM {schema}.outbox_messages m
      WHERE m.env = :env AND m.sequence > 0 AND m.run_id = l.run_id ORDER BY m.sequence LIMIT 1000000) o
    OFFSET 0) k
  WHERE {env_of_key} AND a.message_id = k.message_id
), steps AS (
  DELETE FROM {schema}.pending_steps a USING (
    SELECT :env::integer AS env, o.step_id FROM l CROSS JOIN LATERAL (
      SELECT s.step_id FROM {schema}.pending_steps s
      WHERE s.env = :env AND s.position >= 0 AND s.run_id = l.run_id ORDER BY s.position LIMIT 1000000) o
    OFFSET 0) k
  WHERE {env_of_key} AND a.step_id = k.step_id
), lines AS (
  DELETE FROM {schema}.log_lines a {ended_runs_by_key}
), tags AS (
  DELETE FROM {schema}.run_tags WHERE ctid = ANY (ARRAY(
    SELECT o.place FROM l CROSS JOIN LATERAL (
      SELECT t.ctid AS place FROM {schema}.run_tags t
      WHERE t.env = :env AND t.run_id BETWEEN l.run_id AND l.run_id
      ORDER BY t.run_id, t.name) o))
), gone AS (
  DELETE FROM {schema}.terminal_runs a {ended_runs_by_key}
)
SELECT (SELECT count(*)::integer FROM c) AS looked_at,
  (SELECT count(*)::integer FROM l) AS removed,
  (SELECT updated_at FROM c ORDER BY updated_at DESC, run_id DESC LIMIT 1) AS last_time,
  (SELECT run_id FROM c ORDER BY updated_at DESC, run_id DESC LIMIT 1) AS last_id,
  (SELECT count(*) FROM page) = :limit OR (SELECT count(*) FROM page) > (SELECT count(*) FROM c) AS more

-- name: prune_occurrences
-- Removes up to :limit occurrences of fires before :older_than that were completed before it, of each schedule id the
-- earliest fires first, and remembers up to which fire: no index has the time of completion, and of the fires there may
-- be a day's or a year's that stay. Only fires before the latest one of every schedule of the id go that makes fires: that
-- somebody told of since :older_than, not as disabled, and that is not paused (of all schedules of the id where there is
-- none). Later ones are what a scheduler looks for when it starts. What somebody holds is passed over, and whoever prunes at once raises the fires in one order.
WITH told AS MATERIALIZED (
  SELECT s.schedule_id, COALESCE(s.last_fire, d.counts_from) AS latest,
    s.paused_at IS NULL AND d.last_seen >= :older_than AS living
  FROM {schema}.schedules s CROSS JOIN LATERAL (
    SELECT min(x.counts_from) AS counts_from, max(x.last_seen) FILTER (WHERE x.definition <> 'disabled') AS last_seen
    FROM {schema}.schedule_definitions x
    WHERE x.env = s.env AND x.task_id = s.task_id AND x.schedule_id = s.schedule_id) d
  WHERE s.env = :env
), bounds AS MATERIALIZED (
  SELECT t.schedule_id, COALESCE(min(t.latest) FILTER (WHERE t.living), min(t.latest)) AS latest
  FROM told t GROUP BY t.schedule_id
), c AS MATERIALIZED (
  SELECT l.occurrence_id, l.schedule_id, l.fire_at FROM bounds b CROSS JOIN LATERAL (
    SELECT o.occurrence_id, o.schedule_id, o.fire_at FROM {schema}.schedule_occurrences o
    WHERE o.env = :env AND o.schedule_id = b.schedule_id AND o.fire_at < b.latest
      AND o.fire_at < :older_than AND o.status = 'completed' AND o.updated_at < :older_than
    ORDER BY o.env, o.schedule_id, o.fire_at LIMIT :limit FOR UPDATE SKIP LOCKED) l
  LIMIT :limit
), raised AS (
  INSERT INTO {schema}.pruned_occurrences AS p (env, schedule_id, through)
  SELECT :env, c.schedule_id, max(c.fire_at) FROM c GROUP BY c.schedule_id ORDER BY c.schedule_id
  ON CONFLICT (env, schedule_id) DO UPDATE SET through = GREATEST(p.through, excluded.through)
), gone AS (
  DELETE FROM {schema}.schedule_occurrences a USING (SELECT :env::integer AS env, c.occurrence_id FROM c OFFSET 0) k
  WHERE {env_of_key} AND a.occurrence_id = k.occurrence_id
)
SELECT count(*)::integer AS removed FROM c
