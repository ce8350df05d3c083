-- name: cursors
-- The cursors of a connection, or those that a grant keeps for it.
SELECT c.stream, c.cursor, c.run_id, c.records_accepted, c.updated_at FROM {schema}.connector_state c
WHERE :grant_id::text IS NULL AND c.env = :env AND c.connector_instance_id = :instance_id
UNION ALL
SELECT c.stream, c.cursor, c.run_id, c.records_accepted, c.updated_at FROM {schema}.grant_connector_state c
WHERE c.env = :env AND c.connector_instance_id = :instance_id AND c.grant_id = :grant_id

-- name: commit_cursors
-- Stores cursors of the run that the fence names, where its grant keeps them, or none of them when the run is not,
-- or no longer, the one the fence names, its grant cannot be used, or a batch that was taken of it is not there. The
-- grant is of no account where there are no cursors.
WITH run AS MATERIALIZED (
  SELECT r.grant_id, coalesce(CASE WHEN cardinality(:streams::text[]) > 0 THEN ({refusal}) END, (
    SELECT 'stored_records_lost' FROM unnest(:taken_streams::text[], :taken_batches::bigint[]) AS t(stream, batch)
    WHERE NOT EXISTS (
      SELECT FROM {schema}.record_streams b
      WHERE b.env = r.env AND b.connector_instance_id = r.connector_instance_id AND b.stream = t.stream
        AND b.run_id = r.run_id AND b.batch >= t.batch)
    LIMIT 1)) AS refusal
  FROM {schema}.controller_active_runs r
  WHERE r.env = :env AND r.connector_instance_id = :instance_id AND r.run_id = :run_id
      AND r.run_generation = :generation
  FOR KEY SHARE OF r
), own AS (
  INSERT INTO {schema}.connector_state (env, connector_instance_id, stream, cursor, run_id, records_accepted,
      updated_at)
  SELECT :env, :instance_id, g.stream, g.cursor, :run_id, g.accepted, :now
  FROM run CROSS JOIN unnest(:streams::text[], :cursors::text[], :accepted::bigint[]) AS g(stream, cursor, accepted)
  WHERE run.grant_id IS NULL AND run.refusal IS NULL ORDER BY g.stream
  ON CONFLICT (env, connector_instance_id, stream) DO UPDATE SET cursor = excluded.cursor, run_id = excluded.run_id,
    records_accepted = excluded.records_accepted, updated_at = excluded.updated_at
), granted AS (
  INSERT INTO {schema}.grant_connector_state (env, grant_id, connector_instance_id, stream, cursor, run_id,
    records_accepted, updated_at)
  SELECT :env, run.grant_id, :instance_id, g.stream, g.cursor, :run_id, g.accepted, :now
  FROM run CROSS JOIN unnest(:streams::text[], :cursors::text[], :accepted::bigint[]) AS g(stream, cursor, accepted)
  WHERE run.grant_id IS NOT NULL AND run.refusal IS NULL ORDER BY g.stream
  ON CONFLICT (env, grant_id, connector_instance_id, stream) DO UPDATE SET cursor = excluded.cursor,
    run_id = excluded.run_id, records_accepted = excluded.records_accepted, updated_at = excluded.updated_at
)
SELECT run.refusal FROM run

-- name: edit_cursor
-- Stores a cursor of the owner's, unless a run of the connection is active; answers that run.
WITH active AS MATERIALIZED (
  SELECT r.run_id FROM {schema}.controller_active_runs r WHERE {of_instance}
), own AS (
  INSERT INTO {schema}.connector_state (env, connector_instance_id, stream, cursor, records_accepted, updated_at)
  SELECT :env, :instance_id, :stream, :cursor, 0, :now WHERE :grant_id::text IS NULL AND NOT EXISTS (SELECT FROM active)
  ON CONFLICT (env, connector_instance_id, stream) DO UPDATE SET cursor = excluded.cursor, run_id = NULL,
    records_accepted = 0, updated_at = excluded.updated_at
), granted AS (
  INSERT INTO {schema}.grant_connector_state (env, grant_id, connector_instance_id, stream, cursor, records_accepted,
    updated_at)
  SELECT :env, :grant_id, :instance_id, :stream, :cursor, 0, :now WHERE :grant_id::text IS NOT NULL
      AND NOT EXISTS (SELECT FROM active)
  ON CONFLICT (env, grant_id, connector_instance_id, stream) DO UPDATE SET cursor = excluded.cursor, run_id = NULL,
    records_accepted = 0, updated_at = excluded.updated_at
)
SELECT (SELECT active.run_id FROM active) AS active_run, true AS found

-- name: reset_cursor
-- Forgets a cursor, unless a run of the connection is active; answers that run, and whether there was a cursor.
WITH active AS MATERIALIZED (
  SELECT r.run_id FROM {schema}.controller_active_runs r WHERE {of_instance}
), own AS (
  DELETE FROM {schema}.connector_state c
  WHERE :grant_id::text IS NULL AND c.env = :env AND c.connector_instance_id = :instance_id AND c.stream = :stream
    AND NOT EXISTS (SELECT FROM active)
  RETURNING 1
), granted AS (
  DELETE FROM {schema}.grant_connector_state c
  WHERE c.env = :env AND c.grant_id = :grant_id AND c.connector_instance_id = :instance_id AND c.stream = :stream
    AND NOT EXISTS (SELECT FROM active)
  RETURNING 1
)
SELECT (SELECT active.run_id FROM active) AS active_run,
  EXISTS (SELECT FROM own) OR EXISTS (SELECT FROM granted) AS found

-- name: put_grant
INSERT INTO {schema}.connector_grants (env, grant_id, connector_instance_id, access_mode, state, expires_at, updated_at)
VALUES (:env, :grant_id, :instance_id, :access_mode, :state, :expires_at, :now)
ON CONFLICT (env, grant_id) DO UPDATE SET connector_instance_id = excluded.connector_instance_id,
  access_mode = excluded.access_mode, state = excluded.state, expires_at = excluded.expires_at, consumed_by = NULL,
  updated_at = excluded.updated_at

-- name: grant
SELECT g.grant_id, g.connector_instance_id, g.access_mode, g.state, g.expires_at
FROM {schema}.connector_grants g WHERE g.env = :env AND g.grant_id >= :grant_id AND g.grant_id <= :grant_id
ORDER BY g.grant_id LIMIT 1

-- name: grants_of_connection
-- Those that changed last first, by connector_grants_connection.
SELECT g.grant_id, g.connector_instance_id, g.access_mode, g.state, g.expires_at
FROM {schema}.connector_grants g WHERE g.env = :env AND g.connector_instance_id = :instance_id
ORDER BY g.updated_at DESC, g.grant_id LIMIT :limit

-- name: revoke_grant
UPDATE {schema}.connector_grants SET state = 'revoked', updated_at = :now WHERE env = :env AND grant_id = :grant_id

-- name: consume_grant
-- Marks a single-use grant as used up by the run that succeeded under it.
UPDATE {schema}.connector_grants SET state = 'consumed', consumed_by = :run_id, updated_at = :now
WHERE env = :env AND grant_id = :grant_id AND access_mode = 'single_use' AND state = 'active'
