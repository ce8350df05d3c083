-- name: environment
-- Makes the number of an environment; no row: somebody else does at this moment. It follows from the key, so that it is
-- the same again in a database that was restored to a moment before, for processes that went on and remember it, and
-- never another environment's. Those that follow from nothing are smaller; where two keys come to one number, the
-- second has one of them.
INSERT INTO {schema}.connector_environments (env, environment_key) OVERRIDING SYSTEM VALUE
SELECT CASE WHEN (SELECT 1 FROM {schema}.connector_environments e WHERE e.env = n.env) IS NULL THEN n.env
  ELSE nextval(pg_get_serial_sequence('{schema}.connector_environments', 'env'))::integer END, n.environment_key
FROM (SELECT k.environment_key, 1073741824 | (1073741823
    & ('x' || encode(substr(sha256(convert_to(k.environment_key, 'UTF8')), 1, 4), 'hex'))::bit(32)::integer) AS env
  FROM (SELECT :environment_key::text AS environment_key) k) n
ON CONFLICT DO NOTHING
RETURNING env

-- name: find_environment
SELECT env FROM {schema}.connector_environments WHERE environment_key = :environment_key

-- name: insert_run
-- Makes a run its connection's active one, unless there is one or the run is active elsewhere.
INSERT INTO {schema}.controller_active_runs AS r (env, connector_instance_id, connector_id, run_id, trace_id,
  run_generation, started_at, source, trigger_kind, automation_mode, attempt, grant_id, controller_id, host_id, boot_id,
  pid, start_ticks, address)
VALUES (:env, :instance_id, :connector_id, :run_id, :trace_id, nextval('{schema}.run_generations'), :now, :source,
    :trigger_kind, :automation_mode, :attempt, :grant_id, :controller_id, :host_id, :boot_id, :pid, :start_ticks,
    :address)
ON CONFLICT DO NOTHING
RETURNING {run_columns}

-- fragment: of_instance
-- The active run of a connection. Active runs have a key by connection and one by run, and while there are none,
-- Postgres takes each of them to be as good for either: the range asks for the order of the one that is meant, and
-- connections of this store do not sort where an index has the order.
r.env = :env AND r.connector_instance_id >= :instance_id AND r.connector_instance_id <= :instance_id
ORDER BY r.connector_instance_id LIMIT 1

-- fragment: of_run
-- The active run with an id, likewise.
r.env = :env AND r.run_id >= :run_id AND r.run_id <= :run_id ORDER BY r.run_id LIMIT 1

-- name: run_in_the_way
-- The active run of the connection, or the one with this id.
(SELECT {run_columns} FROM {schema}.controller_active_runs r WHERE {of_instance})
UNION ALL
(SELECT {run_columns} FROM {schema}.controller_active_runs r WHERE {of_run})

-- name: claimed_schedule
-- Spends the claim a run is begun under. The schedule is looked at again when the run has ended, or after an interval.
-- Enabled in a way that no index serves: that of the schedules that are to be looked at has all of them.
UPDATE {schema}.connector_schedules SET claim_token = NULL, claimed_until = NULL, condition = NULL,
  check_at = :now::timestamptz + interval_seconds * interval '1 second'
WHERE env = :env AND connector_instance_id = :instance_id AND claim_token = :claim AND coalesce(enabled, false)

-- name: note_start
-- When the latest run of a connection was accepted.
INSERT INTO {schema}.scheduler_last_run_times AS s (env, connector_instance_id, last_started_at, total_runs, succeeded,
  failed, total_records)
VALUES (:env, :instance_id, :now, 0, 0, 0, 0)
ON CONFLICT (env, connector_instance_id) DO UPDATE SET last_started_at = excluded.last_started_at

-- name: attended
-- The owner runs the connection by hand, so whatever waited for a person is seen to.
UPDATE {schema}.connector_schedules SET attention_run_id = NULL, attention_reason = NULL, attention_since = NULL,
  condition = NULL
WHERE env = :env AND connector_instance_id = :instance_id AND attention_since IS NOT NULL

-- name: take_over
-- Gives a run a new generation. The lock is the one that every write of the run excludes, so those under way end first.
WITH held AS MATERIALIZED (
  SELECT h.connector_instance_id FROM {schema}.controller_active_runs h
  WHERE h.env = :env AND h.run_id >= :run_id AND h.run_id <= :run_id AND h.run_generation = :generation
  ORDER BY h.run_id LIMIT 1 FOR UPDATE
)
UPDATE {schema}.controller_active_runs r SET run_generation = nextval('{schema}.run_generations'),
    controller_id = :controller_id,
  host_id = :host_id, boot_id = :boot_id, pid = :pid, start_ticks = :start_ticks, address = :address
WHERE r.env = :env AND r.run_id = :run_id AND r.connector_instance_id = (
  SELECT held.connector_instance_id FROM held)
RETURNING {run_columns}

-- name: lock_run
-- The active run with this id, locked against its end.
SELECT {run_columns} FROM {schema}.controller_active_runs r WHERE {of_run} FOR UPDATE

-- name: mark_cancelled
UPDATE {schema}.controller_active_runs r SET cancel_requested_at = :now
WHERE r.env = :env AND r.connector_instance_id = :instance_id AND r.run_id = :run_id
RETURNING {run_columns}

-- name: run
SELECT {run_columns} FROM {schema}.controller_active_runs r WHERE {of_run}

-- name: run_of_instance
SELECT {run_columns} FROM {schema}.controller_active_runs r WHERE {of_instance}

-- name: active_runs
SELECT {run_columns} FROM {schema}.controller_active_runs r WHERE r.env = :env ORDER BY r.run_generation

-- name: delete_run
DELETE FROM {schema}.controller_active_runs r
WHERE r.env = :env AND r.connector_instance_id = :instance_id AND r.run_id = :run_id

-- fragment: kept_history
-- An entry of the history.
INSERT INTO {schema}.run_history (env, run_id, trace_id, connector_id, connector_instance_id, source, trigger_kind,
    automation_mode, attempt, status, started_at, completed_at, terminal_reason, failure_reason, error, http_status,
    records_emitted, reported_records_emitted, needs_attention, checkpoint_summary, known_gaps, state, connector_error)
  VALUES (:env, :run_id, :trace_id, :connector_id, :instance_id, :source, :trigger_kind, :automation_mode, :attempt,
      :status, :started_at, :completed_at, :terminal_reason, :failure_reason, :error, :http_status, :records_emitted,
      :reported_records_emitted, :needs_attention, :checkpoint_summary, :known_gaps, :state, :connector_error)

-- name: insert_history
-- The run as the history keeps it, and what all runs of its connection come to with it.
WITH entry AS (
  {kept_history}
  RETURNING history_seq
)
INSERT INTO {schema}.scheduler_last_run_times AS s (env, connector_instance_id, last_started_at, last_finished_at,
  last_successful_at, last_history_seq, total_runs, succeeded, failed, total_records)
SELECT :env, :instance_id, :started_at, :completed_at, CASE WHEN :status = 'succeeded' THEN :completed_at END,
    entry.history_seq, 1,
  CASE WHEN :status = 'succeeded' THEN 1 ELSE 0 END, CASE WHEN :status = 'failed' THEN 1 ELSE 0 END, :records_emitted
FROM entry
ON CONFLICT (env, connector_instance_id) DO UPDATE SET last_finished_at = excluded.last_finished_at,
  last_successful_at = coalesce(excluded.last_successful_at, s.last_successful_at),
  last_history_seq = excluded.last_history_seq, total_runs = s.total_runs + 1,
  succeeded = s.succeeded + excluded.succeeded, failed = s.failed + excluded.failed,
  total_records = s.total_records + excluded.total_records

-- name: after_run
-- A run of the connection has ended: its schedule is looked at now, and where an unattended run asked for a person no
-- other follows until the owner ran it. Whoever was about to decide has decided from what is no longer so: its claim
-- is void.
UPDATE {schema}.connector_schedules SET check_at = least(check_at, :now), claim_token = NULL, claimed_until = NULL,
  attention_run_id = CASE WHEN :attention THEN :run_id ELSE attention_run_id END,
  attention_reason = CASE WHEN :attention THEN :reason ELSE attention_reason END,
  attention_since = CASE WHEN :attention THEN :now ELSE attention_since END
WHERE env = :env AND connector_instance_id = :instance_id

-- fragment: run_columns
-- What an active run is read from.
r.connector_instance_id, r.connector_id, r.run_id, r.trace_id, r.run_generation, r.started_at, r.source,
r.trigger_kind, r.automation_mode, r.attempt, r.grant_id, r.controller_id, r.host_id, r.boot_id, r.pid, r.start_ticks,
r.address, r.cancel_requested_at, r.pending_interaction

-- name: history
-- Entries of all connections, the newest first: as many as have fewer than :most_bytes bytes of JSON together, and the
-- one that goes beyond. Their size is known without fetching them.
SELECT {history_columns} FROM (
  SELECT {history_columns}, {history_bytes_before} FROM (
    SELECT {history_columns} FROM {schema}.run_history h
    WHERE h.env = :env AND h.history_seq < :before AND (cardinality(:statuses::text[]) = 0
        OR h.status = ANY (:statuses::text[]))
    ORDER BY h.history_seq DESC LIMIT :limit
  ) h
) h
WHERE coalesce(h.bytes_before, 0) < :most_bytes ORDER BY h.history_seq DESC

-- name: history_of_instance
-- Entries of one connection, the newest first, bounded likewise.
SELECT {history_columns} FROM (
  SELECT {history_columns}, {history_bytes_before} FROM (
    SELECT {history_columns} FROM {schema}.run_history h
    WHERE h.env = :env AND h.connector_instance_id = :instance_id AND h.history_seq > 0 AND h.history_seq < :before
      AND (cardinality(:statuses::text[]) = 0 OR h.status = ANY (:statuses::text[]))
    ORDER BY h.history_seq DESC LIMIT :limit
  ) h
) h
WHERE coalesce(h.bytes_before, 0) < :most_bytes ORDER BY h.history_seq DESC

-- fragment: history_bytes_before
-- How many bytes of JSON the newer entries of the page have.
sum(coalesce(octet_length(h.checkpoint_summary), 0) + octet_length(h.known_gaps)
  + coalesce(octet_length(h.state), 0) + coalesce(octet_length(h.connector_error), 0)) OVER (
    ORDER BY h.history_seq DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before

-- name: outcomes
-- How the latest runs of a connection ended, without what may be large and decides nothing.
SELECT h.history_seq, h.run_id, h.trace_id, h.connector_id, h.connector_instance_id, h.source, h.trigger_kind,
  h.automation_mode, h.attempt, h.status, h.started_at, h.completed_at, h.terminal_reason, h.failure_reason, h.error,
  h.http_status, h.records_emitted, h.reported_records_emitted, h.needs_attention, h.checkpoint_summary,
  CASE WHEN h.status = 'failed' THEN h.known_gaps ELSE '[]' END AS known_gaps, NULL::text AS state, h.connector_error
FROM {schema}.run_history h
WHERE h.env = :env AND h.connector_instance_id = :instance_id AND h.history_seq > 0 AND h.history_seq < :before
  AND (cardinality(:statuses::text[]) = 0 OR h.status = ANY (:statuses::text[]))
ORDER BY h.history_seq DESC LIMIT :limit

-- name: stats
-- What all runs of a connection come to.
SELECT s.last_started_at, s.last_finished_at, s.last_successful_at, s.total_runs, s.succeeded, s.failed,
  s.total_records, s.last_history_seq
FROM {schema}.scheduler_last_run_times s WHERE s.env = :env AND s.connector_instance_id = :instance_id

-- name: history_entry
SELECT {history_columns} FROM {schema}.run_history h WHERE h.env = :env AND h.history_seq = :history_seq

-- name: prune_history
-- The oldest entries, but for the newest :kept of each connection and the one its statistics show. No index has when they
-- ended: of each connection only its first :limit are looked at, which ended before the others but for clocks. Entries
-- never change, so that each is deleted at its place: joined, the planner may read them all.
WITH bounds AS MATERIALIZED (
  SELECT s.connector_instance_id, s.last_history_seq, n.history_seq AS oldest_kept
  FROM {schema}.scheduler_last_run_times s
  CROSS JOIN LATERAL (
    SELECT k.history_seq FROM {schema}.run_history k
    WHERE k.env = :env AND k.connector_instance_id = s.connector_instance_id AND k.history_seq > 0
    ORDER BY k.history_seq DESC OFFSET :kept::integer - 1 LIMIT 1) n
  WHERE s.env = :env
), old AS MATERIALIZED (
  SELECT h.at FROM bounds b
  CROSS JOIN LATERAL (
    SELECT f.at FROM (
      SELECT k.ctid AS at, k.completed_at FROM {schema}.run_history k
      WHERE k.env = :env AND k.connector_instance_id = b.connector_instance_id AND k.history_seq > 0
        AND k.history_seq < b.oldest_kept AND k.history_seq IS DISTINCT FROM b.last_history_seq
      ORDER BY k.history_seq LIMIT :limit) f
    WHERE f.completed_at < :older_than) h
  LIMIT :limit
)
DELETE FROM {schema}.run_history WHERE ctid = ANY (ARRAY(SELECT o.at FROM old o))

-- fragment: history_columns
-- What an entry of the history is read from.
h.history_seq, h.run_id, h.trace_id, h.connector_id, h.connector_instance_id, h.source, h.trigger_kind,
h.automation_mode, h.attempt, h.status, h.started_at, h.completed_at, h.terminal_reason, h.failure_reason, h.error,
h.http_status, h.records_emitted, h.reported_records_emitted, h.needs_attention, h.checkpoint_summary, h.known_gaps,
h.state, h.connector_error
