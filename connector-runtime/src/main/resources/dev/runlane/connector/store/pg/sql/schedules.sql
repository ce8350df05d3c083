-- name: schedule_columns
-- What a schedule is read from.
s.connector_id, s.connector_instance_id, s.interval_seconds, s.jitter_seconds, s.enabled, s.grant_id, s.created_at,
s.updated_at, s.check_at, s.attention_run_id, s.attention_reason, s.attention_since, s.stop_reason, s.condition,
s.told_seq, s.told_attention

-- name: put_schedule
-- Stores what the owner wants. Whatever kept the schedule from running is looked at anew, and a claim is void. Of runs
-- that ended before there was a schedule nobody is told. The grant of an existing one stays where $9.
INSERT INTO {schema}.connector_schedules AS s (env, connector_id, connector_instance_id, interval_seconds,
  jitter_seconds, enabled, grant_id, created_at, updated_at, check_at, told_seq)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $8, coalesce((
  SELECT t.last_history_seq FROM {schema}.scheduler_last_run_times t
  WHERE t.env = $1 AND t.connector_instance_id = $3), 0))
ON CONFLICT (env, connector_instance_id) DO UPDATE SET interval_seconds = excluded.interval_seconds,
  jitter_seconds = excluded.jitter_seconds, enabled = excluded.enabled,
  grant_id = CASE WHEN $9::boolean THEN s.grant_id ELSE excluded.grant_id END,
  updated_at = excluded.updated_at, check_at = excluded.check_at, claim_token = NULL, claimed_until = NULL,
  stop_reason = NULL, condition = NULL
RETURNING {schedule_columns}

-- name: enable_schedule
-- Pauses or resumes; a resumed schedule is looked at anew.
UPDATE {schema}.connector_schedules s SET enabled = $3, updated_at = $4, check_at = $4, claim_token = NULL,
  claimed_until = NULL, stop_reason = NULL, condition = NULL
WHERE s.env = $1 AND s.connector_instance_id = $2
RETURNING {schedule_columns}

-- name: delete_schedule
DELETE FROM {schema}.connector_schedules s WHERE s.env = $1 AND s.connector_instance_id = $2

-- name: schedule
SELECT {schedule_columns} FROM {schema}.connector_schedules s WHERE s.env = $1 AND s.connector_instance_id = $2

-- name: schedules
SELECT {schedule_columns} FROM {schema}.connector_schedules s WHERE s.env = $1 ORDER BY s.connector_instance_id

-- name: claim_schedules
-- Gives up to $5 schedules that are to be looked at to claim $3 until $4. One that another process holds is skipped,
-- never waited for; a claim that is over counts as none.
WITH due AS MATERIALIZED (
  SELECT d.connector_instance_id FROM {schema}.connector_schedules d
  WHERE d.env = $1 AND d.enabled AND d.check_at <= $2 AND (d.claimed_until IS NULL OR d.claimed_until <= $2)
  ORDER BY d.check_at LIMIT $5 FOR UPDATE SKIP LOCKED
)
UPDATE {schema}.connector_schedules s SET claim_token = $3, claimed_until = $4
FROM due WHERE s.env = $1 AND s.connector_instance_id = due.connector_instance_id
RETURNING {schedule_columns}

-- name: renew_claim
UPDATE {schema}.connector_schedules SET claimed_until = $4
WHERE env = $1 AND connector_instance_id = $2 AND claim_token = $3

-- name: settle_schedule
-- Gives a claim back, and says when the schedule is looked at again, why nothing was started, whether it stops, and
-- what was told (null: nothing new).
UPDATE {schema}.connector_schedules SET claim_token = NULL, claimed_until = NULL, check_at = $4, condition = $5,
  stop_reason = $6, told_seq = coalesce($7, told_seq), told_attention = coalesce($8, told_attention)
WHERE env = $1 AND connector_instance_id = $2 AND claim_token = $3

-- name: skip_run
-- A run that was not started; it counts in no statistics.
INSERT INTO {schema}.run_history (env, run_id, trace_id, connector_id, connector_instance_id, source, trigger_kind,
  automation_mode, attempt, status, started_at, completed_at, terminal_reason, failure_reason, error, http_status,
  records_emitted, reported_records_emitted, needs_attention, checkpoint_summary, known_gaps, state, connector_error)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)

-- name: end_unstarted
-- The end of a run that never was an active one, so that its handle resolves.
INSERT INTO {schema}.spine_events (env, run_id, event_id, event_type, status, occurred_at, recorded_at, trace_id,
  connector_id, connector_instance_id, actor_type, grant_id, terminal, kept, data)
VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9, $10, $11, true, true, $12)

-- name: note_instance
-- The row that retention of the history goes by.
INSERT INTO {schema}.scheduler_last_run_times (env, connector_instance_id, total_runs, succeeded, failed, total_records)
VALUES ($1, $2, 0, 0, 0, 0)
ON CONFLICT DO NOTHING

-- name: add_notice
INSERT INTO {schema}.schedule_notices (env, connector_id, connector_instance_id, kind, reason, run_id, created_at,
  attempts, send_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $7)

-- name: claim_notices
-- Gives up to $4 notices that are due to the caller until $3, when they are due again unless they are removed.
WITH due AS MATERIALIZED (
  SELECT d.notice_seq FROM {schema}.schedule_notices d
  WHERE d.env = $1 AND d.attempts >= 0 AND d.send_at <= $2 ORDER BY d.send_at LIMIT $4 FOR UPDATE SKIP LOCKED
)
UPDATE {schema}.schedule_notices n SET send_at = $3, attempts = n.attempts + 1
FROM due WHERE n.env = $1 AND n.notice_seq = due.notice_seq
RETURNING n.notice_seq, n.connector_id, n.connector_instance_id, n.kind, n.reason, n.run_id, n.created_at, n.attempts

-- name: postpone_notice
UPDATE {schema}.schedule_notices SET send_at = $3 WHERE env = $1 AND notice_seq = $2

-- name: remove_notice
DELETE FROM {schema}.schedule_notices WHERE env = $1 AND notice_seq = $2
