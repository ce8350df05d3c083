-- name: notify
-- Notifications in their order. Nothing is stored, so nothing is flushed.
SELECT count(pg_notify(n.channel, n.payload)), set_config('synchronous_commit', 'off', true)
FROM (SELECT * FROM unnest(:channels::text[], :payloads::text[]) WITH ORDINALITY AS g(channel, payload,
    place) ORDER BY place) n

-- name: store_events
-- Events that are too large for a notification, and forgets some of those older than :forgotten_before, more than come.
WITH gone AS (
  DELETE FROM {schema}.job_events WHERE ctid = ANY (ARRAY(
    SELECT e.ctid FROM {schema}.job_events e
    WHERE e.created_at > '-infinity' AND e.created_at < :forgotten_before
    ORDER BY e.created_at LIMIT 1000 + 2 * cardinality(:ids::text[]) FOR UPDATE SKIP LOCKED))
)
INSERT INTO {schema}.job_events (id, body, created_at)
SELECT g.id, g.body, :now FROM unnest(:ids::text[], :bodies::text[]) AS g(id, body)

-- name: read_event
SELECT body FROM {schema}.job_events WHERE id = :id
