-- fragment: schedule_columns
-- What a schedule is read from.
s.connector_id, s.connector_instance_id, s.interval_seconds, s.jitter_seconds, s.enabled, s.grant_id, s.created_at,
s.updated_at, s.check_at, s.attention_run_id, s.attention_reason, s.attention_since, s.stop_reason, s.condition,
s.told_seq, s.told_attention

-- name: put_schedule
-- Stores what the owner wants. Whatever kept the schedule from running is looked at anew, and a claim is void. Of runs
-- that ended before there was a schedule nobody is told. The grant of an existing one stays where :keeps_grant.
INSERT INTO {schema}.connector_schedules AS s (env, connector_id, connector_instance_id, interval_seconds,
  jitter_seconds, enabled, grant_id, created_at, updated_at, check_at, told_seq)
VALUES (:env, :connector_id, :instance_id, :interval, :jitter, :enabled, :grant_id, :now, :now, :now, coalesce((
  SELECT t.last_history_seq FROM {schema}.scheduler_last_run_times t
  WHERE t.env = :env AND t.connector_instance_id = :instance_id), 0))
ON CONFLICT (env, connector_instance_id) DO UPDATE SET interval_seconds = excluded.interval_seconds,
  jitter_seconds = excluded.jitter_seconds, enabled = excluded.enabled,
  grant_id = CASE WHEN :keeps_grant::boolean THEN s.grant_id ELSE excluded.grant_id END,
  updated_at = excluded.updated_at, check_at = excluded.check_at, claim_token = NULL, claimed_until = NULL,
  stop_reason = NULL, condition = NULL
RETURNING {schedule_columns}

-- name: enable_schedule
-- Pauses or resumes; a resumed schedule is looked at anew.
UPDATE {schema}.connector_schedules s SET enabled = :enabled, updated_at = :now, check_at = :now, claim_token = NULL,
  claimed_until = NULL, stop_reason = NULL, condition = NULL
WHERE s.env = :env AND s.connector_instance_id = :instance_id
RETURNING {schedule_columns}

-- name: delete_schedule
DELETE FROM {schema}.connector_schedules s WHERE s.env = :env AND s.connector_instance_id = :instance_id

-- name: schedule
SELECT {schedule_columns} FROM {schema}.connector_schedules s WHERE s.env = :env
    AND s.connector_instance_id = :instance_id

-- name: schedules
SELECT {schedule_columns} FROM {schema}.connector_schedules s WHERE s.env = :env ORDER BY s.connector_instance_id

-- name: claim_schedules
-- Gives up to :limit schedules that are to be looked at to claim :claim until :until. One that another process holds is
-- skipped, never waited for; a claim that is over counts as none. Those of the connectors :left are given only where
-- nobody else took them until :overdue. What was locked is changed at its place, here as of notices: joined, the
-- planner may read all. One that changed since the statement began has another place, and is left for the next time.
WITH due AS MATERIALIZED (
  SELECT d.ctid AS at FROM {schema}.connector_schedules d
  WHERE d.env = :env AND d.enabled AND d.check_at <= :now AND (d.claimed_until IS NULL OR d.claimed_until <= :now)
    AND (d.connector_id <> ALL (:left::text[]) OR d.check_at <= :overdue)
  ORDER BY d.check_at LIMIT :limit FOR UPDATE SKIP LOCKED
)
UPDATE {schema}.connector_schedules s SET claim_token = :claim, claimed_until = :until
WHERE s.ctid = ANY (ARRAY(SELECT due.at FROM due))
RETURNING {schedule_columns}

-- name: renew_claim
UPDATE {schema}.connector_schedules SET claimed_until = :until
WHERE env = :env AND connector_instance_id = :instance_id AND claim_token = :claim

-- name: settle_schedule
-- Gives a claim back, and says when the schedule is looked at again, why nothing was started, whether it stops, and
-- what was told (null: nothing new).
UPDATE {schema}.connector_schedules SET claim_token = NULL, claimed_until = NULL, check_at = :check_at,
    condition = :condition,
  stop_reason = :stop_reason, told_seq = coalesce(:told_seq, told_seq), told_attention = coalesce(:told_attention,
      told_attention)
WHERE env = :env AND connector_instance_id = :instance_id AND claim_token = :claim

-- name: skip_run
-- A run that was not started; it counts in no statistics.
{kept_history}

-- name: end_unstarted
-- The end of a run that never was an active one, so that its handle resolves.
INSERT INTO {schema}.spine_events (env, run_id, event_id, event_type, status, occurred_at, recorded_at, trace_id,
  connector_id, connector_instance_id, actor_type, grant_id, terminal, kept, data)
VALUES (:env, :run_id, :event_id, :event_type, :status, :now, :now, :trace_id, :connector_id, :instance_id,
    :actor_type, :grant_id, true, true, :data)

-- name: note_instance
-- The row that retention of the history goes by.
INSERT INTO {schema}.scheduler_last_run_times (env, connector_instance_id, total_runs, succeeded, failed, total_records)
VALUES (:env, :instance_id, 0, 0, 0, 0)
ON CONFLICT DO NOTHING

-- name: add_notice
INSERT INTO {schema}.schedule_notices (env, connector_id, connector_instance_id, kind, reason, run_id, created_at,
  attempts, send_at)
VALUES (:env, :connector_id, :instance_id, :kind, :reason, :run_id, :created_at, 0, :created_at)

-- name: claim_notices
-- Gives up to :limit notices that are due to the caller until :until, when they are due again unless they are removed.
-- Those of before :too_old, which nobody sent while they were news, are deleted instead.
WITH due AS MATERIALIZED (
  SELECT d.ctid AS at FROM {schema}.schedule_notices d
  WHERE d.env = :env AND d.attempts >= 0 AND d.send_at <= :now AND d.created_at >= :too_old
  ORDER BY d.send_at LIMIT :limit FOR UPDATE SKIP LOCKED
), outdated AS MATERIALIZED (
  SELECT d.ctid AS at FROM {schema}.schedule_notices d
  WHERE d.env = :env AND d.attempts >= 0 AND d.send_at <= :now AND d.created_at < :too_old
  ORDER BY d.send_at LIMIT 1000 FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM {schema}.schedule_notices WHERE ctid = ANY (ARRAY(SELECT outdated.at FROM outdated))
)
UPDATE {schema}.schedule_notices n SET send_at = :until, attempts = n.attempts + 1
WHERE n.ctid = ANY (ARRAY(SELECT due.at FROM due))
RETURNING n.notice_seq, n.connector_id, n.connector_instance_id, n.kind, n.reason, n.run_id, n.created_at, n.attempts

-- name: prune_notices
-- Deletes up to :limit notices of before :older_than that were due by then: no notice is due before it is made, so that
-- the index of what is due has them. What somebody is sending is passed over.
WITH old AS MATERIALIZED (
  SELECT d.ctid AS at FROM {schema}.schedule_notices d
  WHERE d.env = :env AND d.attempts >= 0 AND d.send_at < :older_than AND d.created_at < :older_than
  ORDER BY d.send_at LIMIT :limit FOR UPDATE SKIP LOCKED
)
DELETE FROM {schema}.schedule_notices WHERE ctid = ANY (ARRAY(SELECT old.at FROM old))

-- name: postpone_notice
UPDATE {schema}.schedule_notices SET send_at = :until WHERE env = :env AND notice_seq = :notice

-- name: remove_notice
DELETE FROM {schema}.schedule_notices WHERE env = :env AND notice_seq = :notice
