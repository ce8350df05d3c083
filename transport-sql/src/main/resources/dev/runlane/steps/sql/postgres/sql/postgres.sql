-- Rows of the tables are found by their keys alone, whatever plan was made while
-- the tables were empty, as they are after each quiet hour: an array of ids is an
-- index condition, and a subselect with a LIMIT is a probe, where EXISTS and a
-- join may become a hash of everything. The index of results by time ends in the
-- step, so that Postgres, which then takes each index to be as good, may walk all
-- of it for each key. So a result is found in the order of its key, which only
-- the key's index has ({of_step}; connections do not sort where an index has the
-- order), and changed by its row's place, which is read and locked by the same
-- statement: a change has no order.

-- fragment: given_tasks
-- Tasks to be inserted, in the order given.
unnest(:step_ids::text[], :run_ids::text[], :seqs::int[], :names::text[], :groups::text[],
    :inputs::text[], :attempts::int[], :created_times::bigint[])
  WITH ORDINALITY AS g (step_id, run_id, seq, name, grp, input, attempt, created_at, place)

-- fragment: task_columns
-- What is written of a task.
{schema}."{prefix}_transport_tasks"
    (step_id, run_id, seq, name, grp, input, attempt, status, created_at)

-- fragment: of_step
-- The result of one step, in a subselect: a range of one key, as an equal column has no order.
r.step_id >= g.step_id AND r.step_id <= g.step_id

-- name: find_objects
-- What of ours is there: two tables, two indexes, two triggers. Takes no lock,
-- so a start disturbs nobody once everything is there.
SELECT to_regclass(:tasks) IS NOT NULL,
       to_regclass(:results) IS NOT NULL,
       to_regclass(:tasks_index) IS NOT NULL,
       to_regclass(:results_index) IS NOT NULL,
       (SELECT count(*) FROM pg_catalog.pg_trigger
         WHERE tgname = :signal AND tgrelid IN (to_regclass(:tasks), to_regclass(:results)))

-- name: create_tables
-- Exactly the published columns. The storage settings keep the tables small
-- although every row is updated and soon deleted: room for updates in place,
-- and vacuum by a fixed number of dead rows.
CREATE TABLE IF NOT EXISTS {schema}."{prefix}_transport_tasks" (
  step_id varchar(191) PRIMARY KEY,
  run_id varchar(191) NOT NULL,
  seq integer NOT NULL,
  name varchar(191) NOT NULL,
  grp varchar(191) NOT NULL,
  input text,
  attempt integer NOT NULL,
  status varchar(32) NOT NULL,
  claimed_by varchar(191),
  claimed_at bigint,
  created_at bigint NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE TABLE IF NOT EXISTS {schema}."{prefix}_transport_results" (
  step_id varchar(191) PRIMARY KEY,
  run_id varchar(191) NOT NULL,
  seq integer NOT NULL,
  status varchar(32) NOT NULL,
  output text,
  error text,
  started_at bigint,
  claimed_by varchar(191),
  claimed_at bigint,
  created_at bigint NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX IF NOT EXISTS "{prefix}_transport_tasks_order_idx"
  ON {schema}."{prefix}_transport_tasks" (grp, created_at);
CREATE INDEX IF NOT EXISTS "{prefix}_transport_results_order_idx"
  ON {schema}."{prefix}_transport_results" (created_at, step_id);

-- name: create_triggers
-- Optional: whoever inserts, in whatever language, wakes those who listen.
CREATE OR REPLACE FUNCTION {schema}."{prefix}_transport_signal"() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify(TG_ARGV[0], TG_ARGV[1]);
  RETURN NULL;
END
$$;
DROP TRIGGER IF EXISTS "{prefix}_transport_signal" ON {schema}."{prefix}_transport_tasks";
CREATE TRIGGER "{prefix}_transport_signal" AFTER INSERT ON {schema}."{prefix}_transport_tasks"
  FOR EACH STATEMENT EXECUTE PROCEDURE
  {schema}."{prefix}_transport_signal"('{prefix}_transport', '{"tasks":[]}');
DROP TRIGGER IF EXISTS "{prefix}_transport_signal" ON {schema}."{prefix}_transport_results";
CREATE TRIGGER "{prefix}_transport_signal" AFTER INSERT ON {schema}."{prefix}_transport_results"
  FOR EACH STATEMENT EXECUTE PROCEDURE
  {schema}."{prefix}_transport_signal"('{prefix}_transport', '{"results":true}');

-- name: dispatch
-- Many tasks, each inserted unless its step has one, which then stays as it is.
-- The attempt that stands tells a repetition from an earlier attempt in the
-- way; it is unknown (null) when somebody inserted the row in this moment.
WITH given AS (
  SELECT * FROM {given_tasks}
), stored AS (
  INSERT INTO {task_columns}
  SELECT step_id, run_id, seq, name, grp, input, attempt, 'pending', created_at
    FROM given ORDER BY step_id
  ON CONFLICT (step_id) DO NOTHING
  RETURNING step_id
)
SELECT s.step_id IS NOT NULL,
       (SELECT t.attempt FROM {schema}."{prefix}_transport_tasks" t WHERE t.step_id = g.step_id)
  FROM given g
  LEFT JOIN stored s ON s.step_id = g.step_id
 ORDER BY g.place

-- name: dispatch_missing
-- The same, where a step has neither a task nor a result. One snapshot: a task
-- that becomes a result in this moment is seen as one of the two.
WITH given AS (
  SELECT g.*,
         (SELECT t.attempt FROM {schema}."{prefix}_transport_tasks" t
           WHERE t.step_id = g.step_id) AS standing,
         (SELECT true FROM {schema}."{prefix}_transport_results" r
           WHERE {of_step} ORDER BY r.step_id LIMIT 1) IS NOT NULL AS answered
    FROM {given_tasks}
), stored AS (
  INSERT INTO {task_columns}
  SELECT step_id, run_id, seq, name, grp, input, attempt, 'pending', created_at
    FROM given WHERE standing IS NULL AND NOT answered ORDER BY step_id
  ON CONFLICT (step_id) DO NOTHING
  RETURNING step_id
)
SELECT s.step_id IS NOT NULL, g.standing, g.answered
  FROM given g
  LEFT JOIN stored s ON s.step_id = g.step_id
 ORDER BY g.place

-- name: withdraw
-- Tasks of these steps, leased or not, in one order with everybody else.
WITH wanted AS (
  SELECT step_id FROM {schema}."{prefix}_transport_tasks"
   WHERE step_id = ANY (:step_ids::text[]) ORDER BY step_id FOR UPDATE
)
DELETE FROM {schema}."{prefix}_transport_tasks"
 WHERE step_id = ANY (ARRAY(SELECT step_id FROM wanted))

-- name: missing
-- Steps without a row. One snapshot: a task that becomes a result in this
-- moment is seen as one of the two.
SELECT g.step_id
  FROM unnest(:step_ids::text[]) WITH ORDINALITY AS g (step_id, place)
 WHERE (SELECT true FROM {schema}."{prefix}_transport_tasks" t WHERE t.step_id = g.step_id) IS NULL
   AND (SELECT true FROM {schema}."{prefix}_transport_results" r
         WHERE {of_step} ORDER BY r.step_id LIMIT 1) IS NULL
 ORDER BY g.place

-- name: list_tasks
-- Tasks that stand, without their content.
SELECT t.step_id, t.attempt, t.claimed_at, t.claimed_by
  FROM unnest(:step_ids::text[]) WITH ORDINALITY AS g (step_id, place)
 CROSS JOIN LATERAL (SELECT s.step_id, s.attempt, s.claimed_at, s.claimed_by
    FROM {schema}."{prefix}_transport_tasks" s WHERE s.step_id = g.step_id LIMIT 1) t
 ORDER BY g.place

-- name: list_results
-- Results nobody holds, after a position, without their content.
SELECT step_id, run_id, created_at
  FROM {schema}."{prefix}_transport_results"
 WHERE (created_at, step_id) > (:after_time, :after_id)
   AND (claimed_at IS NULL OR claimed_at < :claimed_before)
 ORDER BY created_at, step_id
 LIMIT :limit

-- name: claim_results
-- Exactly these results, as far as nobody holds them; a row that somebody is
-- claiming in this moment is skipped, never waited for. The commit is not
-- flushed: a claim that a crash of the server forgets is one that has passed. What
-- is too long for an engine's memory stays here, and only its length is told.
UPDATE {schema}."{prefix}_transport_results"
   SET claimed_by = :token, claimed_at = :now
 WHERE ctid = ANY (ARRAY(
   SELECT r.ctid
     FROM (SELECT set_config('synchronous_commit', 'off', true)) AS relaxed,
          {schema}."{prefix}_transport_results" r
    WHERE r.step_id = ANY (:step_ids::text[]) AND (r.claimed_at IS NULL OR r.claimed_at < :claimed_before)
    ORDER BY r.step_id
    FOR UPDATE OF r SKIP LOCKED))
RETURNING step_id, run_id, seq, status, CASE WHEN octet_length(output) <= :most_bytes THEN output END,
  CASE WHEN octet_length(error) <= :most_bytes THEN error END, started_at, created_at,
  greatest(octet_length(output), octet_length(error))

-- name: settle
-- Many results, each deleted only under its claim, and the next attempt
-- inserted only with that. The results are locked first: whoever competes for a
-- claim has come before or comes after. While a task of the step stands, also
-- one of somebody who dispatches at this moment, a next attempt cannot be
-- inserted, so the result stays too.
WITH given AS (
  SELECT * FROM unnest(:step_ids::text[], :tokens::text[], :run_ids::text[], :seqs::int[], :names::text[],
      :groups::text[],
                       :inputs::text[], :attempts::int[], :created_times::bigint[])
    WITH ORDINALITY
    AS g (step_id, token, run_id, seq, name, grp, input, attempt, created_at, place)
), held AS MATERIALIZED (
  SELECT g.step_id, l.place
    FROM (SELECT step_id, token FROM given ORDER BY step_id) g
   CROSS JOIN LATERAL (
     SELECT r.ctid AS place FROM {schema}."{prefix}_transport_results" r
      WHERE {of_step} AND r.claimed_by = g.token
      ORDER BY r.step_id LIMIT 1 FOR UPDATE) l
), dispatched AS (
  INSERT INTO {task_columns}
  SELECT g.step_id, g.run_id, g.seq, g.name, g.grp, g.input, g.attempt, 'pending', g.created_at
    FROM given g JOIN held ON held.step_id = g.step_id
   WHERE g.name IS NOT NULL
   ORDER BY g.step_id
  ON CONFLICT (step_id) DO NOTHING
  RETURNING step_id
), taken AS (
  DELETE FROM {schema}."{prefix}_transport_results" r
   WHERE r.ctid = ANY (ARRAY(
     SELECT h.place FROM held h JOIN given g ON g.step_id = h.step_id
      WHERE g.name IS NULL OR g.step_id IN (SELECT d.step_id FROM dispatched d)))
  RETURNING r.step_id
)
SELECT taken.step_id IS NOT NULL, held.step_id IS NOT NULL
  FROM given g
  LEFT JOIN held ON held.step_id = g.step_id
  LEFT JOIN taken ON taken.step_id = g.step_id
 ORDER BY g.place

-- name: release_results
-- Results held under these claims, claimable again at a later instant.
UPDATE {schema}."{prefix}_transport_results"
   SET claimed_by = NULL, claimed_at = :claimed_at
 WHERE ctid = ANY (ARRAY(
   SELECT l.place
     FROM (SELECT * FROM unnest(:step_ids::text[], :tokens::text[]) AS g (step_id, token) ORDER BY g.step_id) g
    CROSS JOIN LATERAL (
      SELECT r.ctid AS place FROM {schema}."{prefix}_transport_results" r
       WHERE {of_step} AND r.claimed_by = g.token
       ORDER BY r.step_id LIMIT 1 FOR UPDATE) l))

-- name: discard_results
-- Old results that nobody holds.
DELETE FROM {schema}."{prefix}_transport_results"
 WHERE ctid = ANY (ARRAY(
   SELECT r.ctid FROM {schema}."{prefix}_transport_results" r
    WHERE r.step_id = ANY (:step_ids::text[]) AND r.created_at < :created_before
      AND (r.claimed_at IS NULL OR r.claimed_at < :claimed_before)
    ORDER BY r.step_id
    FOR UPDATE))

-- name: claim_tasks
-- Up to :limit waiting tasks of each group from an instant on, the oldest :limit of all
-- leased, the others let go with the statement. Rows that somebody is claiming
-- in this moment are skipped. The commit is not flushed: a lease that a crash
-- of the server forgets is one that has passed. An input too long for a worker's
-- memory stays here, and only its length is told.
WITH due AS (
  SELECT found.step_id
    FROM (SELECT set_config('synchronous_commit', 'off', true)) AS relaxed,
         unnest(:groups::text[], :from_times::bigint[]) AS wanted (grp, from_millis)
    CROSS JOIN LATERAL (
      SELECT t.step_id, t.created_at
        FROM {schema}."{prefix}_transport_tasks" t
       WHERE t.grp = wanted.grp
         AND t.created_at >= wanted.from_millis
         AND (t.claimed_at IS NULL OR t.claimed_at < :claimed_before)
       ORDER BY t.created_at
       LIMIT :limit
       FOR UPDATE SKIP LOCKED) AS found
   ORDER BY found.created_at
   LIMIT :limit
)
UPDATE {schema}."{prefix}_transport_tasks"
   SET claimed_by = :token, claimed_at = :now
 WHERE step_id = ANY (ARRAY(SELECT due.step_id FROM due))
RETURNING step_id, run_id, seq, name, grp, CASE WHEN octet_length(input) <= :most_bytes THEN input END,
  attempt, created_at, octet_length(input)

-- name: renew_tasks
-- Leases that are still the caller's. Not flushed either.
UPDATE {schema}."{prefix}_transport_tasks" t
   SET claimed_at = :now
  FROM (SELECT set_config('synchronous_commit', 'off', true)) AS relaxed,
       unnest(:step_ids::text[], :tokens::text[]) AS g (step_id, token)
 WHERE t.step_id = ANY (:step_ids::text[]) AND t.step_id = g.step_id
   AND t.claimed_by = g.token AND t.claimed_at IS NOT NULL
RETURNING t.step_id

-- name: record_results
-- Many results, each stored only with the deletion of a task that is still
-- leased by the caller. A result that is there already stays; one that is older
-- than the task belongs to an earlier attempt and keeps everything as it is.
-- Whether the task of one that was not stored is still held is read under its
-- lock: somebody may have ended the lease since the statement began.
WITH given AS (
  SELECT * FROM unnest(:step_ids::text[], :tokens::text[], :statuses::text[], :outputs::text[], :errors::text[],
      :started_times::bigint[],
                       :created_times::bigint[])
    WITH ORDINALITY AS g (step_id, token, status, output, error, started_at, created_at, place)
), taken AS (
  DELETE FROM {schema}."{prefix}_transport_tasks" t
   USING given g
   WHERE t.step_id = ANY (:step_ids::text[]) AND t.step_id = g.step_id
     AND t.claimed_by = g.token AND t.claimed_at IS NOT NULL
     AND coalesce((SELECT r.created_at >= t.created_at
                     FROM {schema}."{prefix}_transport_results" r
                    WHERE {of_step} ORDER BY r.step_id LIMIT 1), true)
  RETURNING t.step_id, t.run_id, t.seq
), stored AS (
  INSERT INTO {schema}."{prefix}_transport_results"
    (step_id, run_id, seq, status, output, error, started_at, created_at)
  SELECT g.step_id, taken.run_id, taken.seq, g.status, g.output, g.error, g.started_at, g.created_at
    FROM given g JOIN taken ON taken.step_id = g.step_id
   ORDER BY g.step_id
  ON CONFLICT (step_id) DO NOTHING
), held AS MATERIALIZED (
  SELECT o.place
    FROM (SELECT g.step_id, g.token, g.place FROM given g LEFT JOIN taken ON taken.step_id = g.step_id
           WHERE taken.step_id IS NULL ORDER BY g.step_id) o
   CROSS JOIN LATERAL (
     SELECT t.step_id FROM {schema}."{prefix}_transport_tasks" t
      WHERE t.step_id = o.step_id AND t.claimed_by = o.token AND t.claimed_at IS NOT NULL
      LIMIT 1 FOR SHARE) l
)
SELECT taken.step_id IS NOT NULL, held.place IS NOT NULL
  FROM given g
  LEFT JOIN taken ON taken.step_id = g.step_id
  LEFT JOIN held ON held.place = g.place
 ORDER BY g.place

-- name: release_tasks
-- Tasks that are still the caller's, for anybody at once.
UPDATE {schema}."{prefix}_transport_tasks" t
   SET claimed_by = NULL, claimed_at = NULL
  FROM unnest(:step_ids::text[], :tokens::text[]) AS g (step_id, token)
 WHERE t.step_id = ANY (:step_ids::text[]) AND t.step_id = g.step_id AND t.claimed_by = g.token

-- name: signal
-- Wakes whoever listens. Nothing is stored, so nothing is flushed.
SELECT pg_notify(:channel, :payload), set_config('synchronous_commit', 'off', true)
