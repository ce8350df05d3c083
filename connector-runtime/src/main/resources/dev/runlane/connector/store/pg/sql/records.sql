-- name: ingest
-- Takes one batch of a stream, or nothing of it: nothing when the run is not, or no longer, the one the fence names,
-- when its grant cannot be used, when the batch before it is not there, which was stored before this one was sent, and
-- when the batch was taken before. What a record does to the one of its key is decided in the order of the batch:
-- against the record before it of that key, and the first of each key against the stored one. Rows are written in the
-- order of their keys.
WITH run AS MATERIALIZED (
  SELECT r.connector_instance_id, r.run_id, coalesce(({refusal}), CASE WHEN :batch::bigint > 1 + coalesce((
    SELECT b.batch FROM {schema}.record_streams b
    WHERE b.env = r.env AND b.connector_instance_id = r.connector_instance_id AND b.stream = :stream
      AND b.run_id = r.run_id), 0) THEN 'stored_records_lost' END) AS refusal
  FROM {schema}.controller_active_runs r
  WHERE r.env = :env AND r.connector_instance_id = :instance_id AND r.run_id = :run_id
      AND r.run_generation = :generation
  FOR KEY SHARE OF r
), target AS (
  INSERT INTO {schema}.record_streams AS s (env, connector_instance_id, stream, run_id, batch, run_attempted,
    run_accepted)
  SELECT :env, run.connector_instance_id, :stream, run.run_id, :batch, :attempted, cardinality(:keys::text[])
  FROM run WHERE run.refusal IS NULL
  ON CONFLICT (env, connector_instance_id, stream) DO UPDATE SET run_id = excluded.run_id, batch = excluded.batch,
    run_attempted = excluded.run_attempted + CASE WHEN s.run_id = excluded.run_id THEN s.run_attempted ELSE 0 END,
    run_accepted = excluded.run_accepted + CASE WHEN s.run_id = excluded.run_id THEN s.run_accepted ELSE 0 END
  WHERE s.run_id <> excluded.run_id OR s.batch < excluded.batch
  RETURNING s.stream_number
), given AS MATERIALIZED (
  SELECT t.stream_number, g.n, g.key, g.emitted_at, g.deleted, CASE WHEN g.deleted THEN NULL ELSE g.data END AS data
  FROM target t
  CROSS JOIN unnest(:keys::text[], :data::text[], :emitted_times::text[], :deleted::boolean[])
    WITH ORDINALITY AS g(key, data, emitted_at, deleted, n)
), compared AS (
  SELECT g.stream_number, g.n, g.key, g.data, g.emitted_at, g.deleted, r.version AS stored_version,
    {changed} AS changed
  FROM given g
  LEFT JOIN LATERAL (
    SELECT k.version, k.deleted, k.data FROM {schema}.records k
    WHERE k.stream_number = g.stream_number AND k.record_key = g.key LIMIT 1) r ON true
  WINDOW w AS (PARTITION BY g.key ORDER BY g.n)
), changed AS MATERIALIZED (
  SELECT c.stream_number, c.n, c.key, c.data, c.emitted_at, c.deleted,
    coalesce(c.stored_version, 0) + row_number() OVER (PARTITION BY c.key ORDER BY c.n) AS version,
    row_number() OVER (PARTITION BY c.key ORDER BY c.n DESC) = 1 AS newest
  FROM compared c WHERE c.changed
), kept AS (
  INSERT INTO {schema}.records (stream_number, record_key, version, deleted, emitted_at, run_id, updated_at, data)
  SELECT c.stream_number, c.key, c.version, c.deleted, c.emitted_at, :run_id, :now, c.data
  FROM changed c WHERE c.newest ORDER BY c.key
  ON CONFLICT (stream_number, record_key) DO UPDATE SET version = excluded.version, deleted = excluded.deleted,
    emitted_at = excluded.emitted_at, run_id = excluded.run_id, updated_at = excluded.updated_at, data = excluded.data
), told AS (
  INSERT INTO {schema}.record_changes (stream_number, record_key, version, deleted, emitted_at, run_id, changed_at,
    data)
  SELECT c.stream_number, c.key, c.version, c.deleted, c.emitted_at, :run_id, :now, c.data
  FROM changed c ORDER BY c.n
)
SELECT run.refusal FROM run

-- fragment: changed_mutable
-- The part of ingest that says what changes a record whose key may come again: anything but its present state.
CASE WHEN lag(g.n) OVER w IS NULL THEN r.version IS NULL OR (g.deleted, g.data) IS DISTINCT FROM (r.deleted, r.data)
  ELSE (g.deleted, g.data) IS DISTINCT FROM (lag(g.deleted) OVER w, lag(g.data) OVER w) END

-- fragment: changed_append_only
-- The part of ingest that says what changes a record whose key comes once: the first of it, and its deletion.
CASE WHEN g.deleted THEN r.deleted IS NOT TRUE AND count(*) FILTER (WHERE g.deleted) OVER w = 1
  ELSE r.version IS NULL AND lag(g.n) OVER w IS NULL END

-- fragment: refusal
-- The part of a statement that says why the grant of the active run r cannot be used at :now, or null when it can. It
-- cannot in a state of a later release. In the order of the key, as a range, so that no other index serves.
CASE WHEN r.grant_id IS NULL THEN NULL ELSE nullif(coalesce((
  SELECT CASE WHEN g.connector_instance_id <> r.connector_instance_id THEN 'grant_invalid'
    WHEN g.state = 'consumed' THEN 'grant_consumed' WHEN g.state <> 'active' THEN 'grant_revoked'
    WHEN g.expires_at <= :now THEN 'grant_expired' ELSE '' END
  FROM {schema}.connector_grants g WHERE g.env = r.env AND g.grant_id >= r.grant_id AND g.grant_id <= r.grant_id
  ORDER BY g.grant_id LIMIT 1), 'grant_invalid'), '') END

-- name: flushed
-- What the streams of a connection have taken of one run, where no later one has come.
SELECT s.stream, s.run_attempted, s.run_accepted FROM {schema}.record_streams s
WHERE s.env = :env AND s.connector_instance_id = :instance_id AND s.run_id = :run_id ORDER BY s.stream

-- name: record
-- The record with a key, deleted ones included.
SELECT r.record_key, r.version, r.data, r.emitted_at, r.deleted
FROM {schema}.record_streams s
CROSS JOIN LATERAL (
  SELECT k.record_key, k.version, k.data, k.emitted_at, k.deleted FROM {schema}.records k
  WHERE k.stream_number = s.stream_number AND k.record_key = :key LIMIT 1) r
WHERE s.env = :env AND s.connector_instance_id = :instance_id AND s.stream = :stream

-- name: records
-- Records of a stream after a key, in the order of their keys.
SELECT r.record_key, r.version, r.data, r.emitted_at, r.deleted
FROM {schema}.record_streams s
CROSS JOIN LATERAL (
  SELECT k.record_key, k.version, k.data, k.emitted_at, k.deleted FROM {schema}.records k
  WHERE k.stream_number = s.stream_number AND k.record_key > :after ORDER BY k.record_key LIMIT :limit) r
WHERE s.env = :env AND s.connector_instance_id = :instance_id AND s.stream = :stream
ORDER BY r.record_key

-- name: changes
-- Changes of a stream after a sequence, in the order they were made.
SELECT r.change_seq, r.run_id, r.record_key, r.version, r.data, r.emitted_at, r.deleted
FROM {schema}.record_streams s
CROSS JOIN LATERAL (
  SELECT k.change_seq, k.run_id, k.record_key, k.version, k.data, k.emitted_at, k.deleted
  FROM {schema}.record_changes k
  WHERE k.stream_number = s.stream_number AND k.change_seq > :after ORDER BY k.change_seq LIMIT :limit) r
WHERE s.env = :env AND s.connector_instance_id = :instance_id AND s.stream = :stream
ORDER BY r.change_seq

-- name: prune_changes
-- The oldest changes, but for the newest of each stream; at most :limit. Of each stream a beginning goes, up to the
-- first that is not old enough, whatever the clocks of those who wrote them said: a change that is there has all later
-- ones behind it. A stream whose first change is younger costs one row. Each is deleted at its place, as none
-- ever changes: joined, the planner may read them all.
WITH old AS MATERIALIZED (
  SELECT o.at
  FROM {schema}.record_streams s
  CROSS JOIN LATERAL (
    SELECT f.changed_at FROM {schema}.record_changes f
    WHERE f.stream_number = s.stream_number ORDER BY f.change_seq LIMIT 1) oldest
  CROSS JOIN LATERAL (
    SELECT c.at, bool_and(c.changed_at < :older_than) OVER w AS of_old,
      lead(c.change_seq) OVER w AS next_seq
    FROM (
      SELECT k.ctid AS at, k.change_seq, k.changed_at FROM {schema}.record_changes k
      WHERE k.stream_number = s.stream_number ORDER BY k.change_seq LIMIT :limit::bigint + 1) c
    WINDOW w AS (ORDER BY c.change_seq)) o
  WHERE s.env = :env AND oldest.changed_at < :older_than AND o.of_old AND o.next_seq IS NOT NULL
  LIMIT :limit
)
DELETE FROM {schema}.record_changes WHERE ctid = ANY (ARRAY(SELECT o.at FROM old o))
