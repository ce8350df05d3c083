-- name: append_events
-- Tells the timeline of the run that the fence names; an event that is there already stays as it is. With
-- :of_interaction, what the last of the events says of an interaction is noted in the run's row: that it waits, or
-- (null) that none does. Where it waits, the schedule is looked at now, so that somebody is told; a claim on it is
-- void, as at a run's end.
WITH run AS MATERIALIZED (
  SELECT r.run_id, r.trace_id, r.connector_id, r.connector_instance_id FROM {schema}.controller_active_runs r
  WHERE r.env = :env AND r.connector_instance_id = :instance_id AND r.run_id = :run_id
      AND r.run_generation = :generation
  FOR KEY SHARE OF r
), noted AS (
  UPDATE {schema}.controller_active_runs a SET pending_interaction = :waiting_interaction
  WHERE :of_interaction AND a.env = :env AND a.connector_instance_id = :instance_id
    AND a.run_id = (SELECT run.run_id FROM run)
), asked AS (
  UPDATE {schema}.connector_schedules s SET check_at = least(s.check_at, :now), claim_token = NULL, claimed_until = NULL
  FROM run WHERE :of_interaction AND :waiting_interaction::text IS NOT NULL AND s.env = :env
      AND s.connector_instance_id = :instance_id
), added AS (
  INSERT INTO {schema}.spine_events (env, run_id, event_id, event_type, status, occurred_at, recorded_at, trace_id,
    connector_id, connector_instance_id, actor_type, stream_id, interaction_id, grant_id, request_id, terminal, kept,
    data)
  SELECT :env, run.run_id, g.event_id, g.event_type, g.status, g.occurred_at, :now, run.trace_id, run.connector_id,
    run.connector_instance_id, g.actor_type, g.stream_id, g.interaction_id, g.grant_id, g.request_id, g.terminal,
    g.kept, g.data
  FROM run CROSS JOIN unnest(:event_ids::text[], :event_types::text[], :statuses::text[],
      :occurred_times::timestamptz[], :actor_types::text[], :stream_ids::text[],
    :interaction_ids::text[], :grant_ids::text[], :request_ids::text[], :terminal::boolean[], :kept::boolean[],
        :data::text[])
    WITH ORDINALITY AS g(event_id, event_type, status, occurred_at, actor_type, stream_id, interaction_id, grant_id,
      request_id, terminal, kept, data, n)
  ORDER BY g.n
  ON CONFLICT (run_id, event_id, env) DO NOTHING
)
SELECT run.run_id FROM run

-- name: events
-- At most :limit events of a run after a sequence, in order: as many as have fewer than :most_bytes bytes of data
-- together, and the one that goes beyond. Their size is known without fetching them.
SELECT {event_columns} FROM (
  SELECT {event_columns}, sum(octet_length(e.data)) OVER (
    ORDER BY e.event_seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
  FROM (
    SELECT {event_columns} FROM {schema}.spine_events e
    WHERE e.env = :env AND e.run_id = :run_id AND e.event_seq > :after ORDER BY e.event_seq LIMIT :limit
  ) e
) e
WHERE coalesce(e.bytes_before, 0) < :most_bytes ORDER BY e.event_seq

-- name: bounds
-- How a run began and ended, be it with an event of a later release, in the order that only the index of such events
-- has: others have all events of the run.
SELECT {event_columns} FROM {schema}.spine_events e
WHERE e.env = :env AND e.run_id = :run_id AND e.kept
  AND (e.event_type = 'run.started' OR e.terminal)
ORDER BY e.event_type

-- name: terminal_events
-- How runs ended: found like their bounds.
SELECT {event_columns}
FROM (SELECT DISTINCT h.run_id FROM unnest(:run_ids::text[]) AS h(run_id)) g
CROSS JOIN LATERAL (
  SELECT {event_columns} FROM {schema}.spine_events e
  WHERE e.env = :env AND e.run_id = g.run_id AND e.kept AND e.terminal ORDER BY e.event_type LIMIT 1) e

-- name: prune_events
-- The oldest events that retention does not keep, of runs that have ended; at most :limit. Those of runs that go on are
-- walked past, and the walk ends where events are not old enough. Each is deleted at its place, as none ever changes:
-- joined, the planner may read them all.
WITH old AS MATERIALIZED (
  SELECT e.ctid AS at FROM {schema}.spine_events e
  WHERE e.env = :env AND NOT e.kept AND e.recorded_at < :older_than
    AND (SELECT 1 FROM {schema}.spine_events t
      WHERE t.env = :env AND t.run_id = e.run_id AND t.kept AND t.terminal ORDER BY t.event_type LIMIT 1) IS NOT NULL
  ORDER BY e.recorded_at LIMIT :limit
)
DELETE FROM {schema}.spine_events WHERE ctid = ANY (ARRAY(SELECT o.at FROM old o))

-- fragment: event_columns
-- What an event is read from.
e.event_seq, e.run_id, e.event_id, e.event_type, e.status, e.occurred_at, e.recorded_at, e.trace_id, e.connector_id,
e.connector_instance_id, e.actor_type, e.stream_id, e.interaction_id, e.grant_id, e.request_id, e.data
