-- name: claim_occurrence
-- One fire of a schedule to one claimer: a row that is completed, or claimed and not expired, is not
-- updated and so not returned.
INSERT INTO {schema}.schedule_occurrences AS o
  (env, occurrence_id, schedule_id, fire_at, status, claim_token, claim_expires_at, updated_at)
VALUES (#{env}, #{occurrenceId}, #{scheduleId}, #{fireAt}, 'claimed', #{token}, #{expiresAt}, #{now})
ON CONFLICT (env, occurrence_id) DO UPDATE
  SET claim_token = excluded.claim_token, claim_expires_at = excluded.claim_expires_at,
    updated_at = excluded.updated_at
  WHERE o.status = 'claimed' AND o.claim_expires_at <= excluded.updated_at
RETURNING schedule_id, occurrence_id, fire_at, claim_token, claim_expires_at

-- name: complete_occurrence
-- Completes a fire for ever, for the one who holds its claim.
UPDATE {schema}.schedule_occurrences
SET status = 'completed', run_ids = #{runIds}::text[], updated_at = #{now}
WHERE env = #{env} AND occurrence_id = #{occurrenceId} AND status = 'claimed' AND claim_token = #{token}

-- name: occurrence_exists
SELECT status FROM {schema}.schedule_occurrences WHERE env = #{env} AND occurrence_id = #{occurrenceId}

-- name: prune_runs
-- Removes up to $6 terminal runs of one status last updated before $3, after the position ($4, $5), with
-- everything of theirs. A run that still owns its idempotency key is passed over. Answers how many were
-- looked at and removed, and the position reached. A run's messages and steps are found in the order of the only
-- index that has it, which keeps a plan made on an empty table from walking another one.
WITH c AS MATERIALIZED (
  SELECT t.run_id, t.updated_at, t.status <> 'failed' AND t.idempotency_key IS NOT NULL
      AND (SELECT 1 FROM {schema}.idempotency_owners o WHERE o.env = t.env AND o.task_id = t.task_id
        AND o.idempotency_key = t.idempotency_key AND o.run_id = t.run_id AND o.expires_at > $7) IS NOT NULL
      AS retained
  FROM {schema}.terminal_runs t
  WHERE t.env = $1 AND t.sequence > 0 AND t.status = $2 AND t.updated_at < $3
    AND ($4::timestamptz IS NULL OR (t.updated_at, t.run_id) > ($4, $5))
  ORDER BY t.updated_at, t.run_id LIMIT $6 FOR UPDATE SKIP LOCKED
), ids AS MATERIALIZED (
  SELECT ARRAY(SELECT run_id FROM c WHERE NOT retained) AS run_ids
), owners AS (
  DELETE FROM {schema}.idempotency_owners
  WHERE env = $1 AND expires_at > '-infinity' AND run_id = ANY ((SELECT run_ids FROM ids)::text[])
), singletons AS (
  DELETE FROM {schema}.singleton_owners
  WHERE env = $1 AND singleton_key > '' AND run_id = ANY ((SELECT run_ids FROM ids)::text[])
), events AS (
  DELETE FROM {schema}.run_events WHERE env = $1 AND run_id = ANY ((SELECT run_ids FROM ids)::text[])
), messages AS (
  DELETE FROM {schema}.outbox_messages WHERE env = $1 AND message_id = ANY (ARRAY(
    SELECT o.message_id FROM c CROSS JOIN LATERAL (
      SELECT m.message_id FROM {schema}.outbox_messages m
      WHERE m.env = $1 AND m.sequence > 0 AND m.run_id = c.run_id ORDER BY m.sequence LIMIT 1000000) o
    WHERE NOT c.retained))
), steps AS (
  DELETE FROM {schema}.pending_steps WHERE env = $1 AND step_id = ANY (ARRAY(
    SELECT o.step_id FROM c CROSS JOIN LATERAL (
      SELECT s.step_id FROM {schema}.pending_steps s
      WHERE s.env = $1 AND s.position >= 0 AND s.run_id = c.run_id ORDER BY s.position LIMIT 1000000) o
    WHERE NOT c.retained))
), gone AS (
  DELETE FROM {schema}.terminal_runs WHERE env = $1 AND run_id = ANY ((SELECT run_ids FROM ids)::text[])
)
SELECT (SELECT count(*)::integer FROM c) AS looked_at,
  (SELECT count(*)::integer FROM c WHERE NOT retained) AS removed,
  (SELECT updated_at FROM c ORDER BY updated_at DESC, run_id DESC LIMIT 1) AS last_time,
  (SELECT run_id FROM c ORDER BY updated_at DESC, run_id DESC LIMIT 1) AS last_id
