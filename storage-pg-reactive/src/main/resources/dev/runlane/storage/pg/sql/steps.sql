-- fragment: pending_steps
-- Pending steps, with what was asked for, which is in the history.
SELECT s.run_id, e.occurred_at, e.body, s.attempt, s.next_at, s.dispatched_at, s.last_result_at, s.run_ended
FROM {schema}.pending_steps s CROSS JOIN LATERAL (
  SELECT x.occurred_at, x.body FROM {schema}.run_events x
  WHERE x.env = :env AND x.run_id = s.run_id AND x.sequence = s.request_sequence LIMIT 1) e

-- name: claim_due_steps
-- Gives up to :limit due steps to claim token :token until :expires_at. A step whose row another one holds is
-- skipped, never waited for; an expired claim counts as due. What was asked for is in the history. The commit is not
-- flushed: a claim that a crash of the server forgets is one that has passed, since whatever follows from it is
-- flushed after it.
WITH c AS MATERIALIZED (
  SELECT due.step_id, due.due_at
  FROM (SELECT set_config('synchronous_commit', 'off', true)) AS relaxed CROSS JOIN LATERAL (
    SELECT s.step_id, s.next_at AS due_at FROM {schema}.pending_steps s
    WHERE s.env = :env AND s.attempt > 0 AND s.next_at <= :now
    ORDER BY s.next_at, s.step_id LIMIT :limit FOR UPDATE SKIP LOCKED) AS due
), u AS (
  UPDATE {schema}.pending_steps a SET next_at = :expires_at, claim_token = :token
  {claimed_steps_by_key}
  RETURNING a.step_id, run_id, request_sequence, attempt, next_at, dispatched_at, last_result_at, run_ended
)
SELECT u.run_id, e.occurred_at, e.body, u.attempt, u.next_at, u.dispatched_at, u.last_result_at, u.run_ended
FROM u JOIN c USING (step_id) CROSS JOIN LATERAL (
  SELECT x.occurred_at, x.body FROM {schema}.run_events x
  WHERE x.env = :env AND x.run_id = u.run_id AND x.sequence = u.request_sequence LIMIT 1) e
ORDER BY c.due_at, u.step_id

-- name: move_steps
-- Ends claims and says when the steps are due next. A row that somebody holds is being completed, ended or
-- claimed anew, so the claim on it is lost and nothing is waited for.
WITH p AS MATERIALIZED (
  SELECT * FROM unnest(:step_ids::text[], :tokens::text[], :next_times::timestamptz[],
      :dispatched_times::timestamptz[])
    AS p(step_id, token, next_at, dispatched_at)
  ORDER BY step_id
), l AS MATERIALIZED (
  SELECT p.step_id, p.next_at, p.dispatched_at, o.* FROM p CROSS JOIN LATERAL (
    SELECT s.run_id, s.position, s.request_sequence, s.name, s.grp, s.attempt, s.deadline_at
    FROM {schema}.pending_steps s
    WHERE s.env = :env AND s.step_id = p.step_id AND s.claim_token = p.token
    LIMIT 1 FOR UPDATE SKIP LOCKED) o
), u AS (
  INSERT INTO {schema}.pending_steps (env, step_id, run_id, position, request_sequence, name, grp, attempt, next_at,
      deadline_at, dispatched_at)
  SELECT :env, step_id, run_id, position, request_sequence, name, grp, attempt, next_at, deadline_at, dispatched_at
  FROM l
  ON CONFLICT (env, step_id) DO UPDATE SET next_at = excluded.next_at,
    dispatched_at = excluded.dispatched_at, claim_token = NULL
)
SELECT step_id FROM l

-- name: forget_steps
-- Removes claimed steps of runs that have ended; passes over rows that somebody holds.
WITH p AS MATERIALIZED (
  SELECT * FROM unnest(:step_ids::text[], :tokens::text[]) AS p(step_id, token) ORDER BY step_id
), l AS MATERIALIZED (
  SELECT p.step_id FROM p CROSS JOIN LATERAL (
    SELECT s.step_id FROM {schema}.pending_steps s
    WHERE s.env = :env AND s.step_id = p.step_id AND s.claim_token = p.token AND s.run_ended
    LIMIT 1 FOR UPDATE SKIP LOCKED) o
), gone AS (
  DELETE FROM {schema}.pending_steps a USING (SELECT :env::integer AS env, l.step_id FROM l OFFSET 0) k
  WHERE {env_of_key} AND a.step_id = k.step_id
)
SELECT step_id FROM l

-- name: retry_step
-- Makes the next attempt due at :next_at, whoever has claimed the step; only while it is at attempt :attempt.
UPDATE {schema}.pending_steps
SET attempt = attempt + 1, next_at = :next_at, dispatched_at = NULL, last_result_at = :result_at, claim_token = NULL
WHERE env = :env AND step_id = :step_id AND attempt = :attempt AND NOT run_ended
RETURNING step_id

-- name: pending_steps_of_run
{pending_steps}
WHERE s.env = :env AND s.position >= 0 AND s.run_id = :run_id
ORDER BY s.position

-- name: pending_steps_by_ids
-- Those of the steps that are pending, each with its place in what was asked for.
SELECT p.place, f.*
FROM unnest(:step_ids::text[]) WITH ORDINALITY AS p(step_id, place) CROSS JOIN LATERAL (
  {pending_steps}
  WHERE s.env = :env AND s.step_id = p.step_id LIMIT 1) f
