-- name: schema_exists
SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = :schema) AS found,
  EXISTS (SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = :schema AND c.relname = 'active_runs') AS has_runs

-- name: other_environments
-- Those that there are, where none of them is the one that is asked for.
SELECT e.environment_key FROM {schema}.environments e
WHERE NOT EXISTS (SELECT 1 FROM {schema}.environments o WHERE o.environment_key = :environment)
ORDER BY e.environment_key LIMIT 20

-- name: server_version
SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS version

-- name: clock
-- The server's clock at the moment of the answer, whatever the transaction.
SELECT clock_timestamp() AS now

-- name: settings
-- With what takes one back that was set for the role or the database. That of a transaction comes from its default.
SELECT s.name, s.setting, pg_is_in_recovery() AS is_standby,
  CASE coalesce(d.source, s.source)
    WHEN 'user' THEN format('ALTER ROLE %I RESET %s;', session_user, coalesce(d.name, s.name))
    WHEN 'database' THEN format('ALTER DATABASE %I RESET %s;', current_database(), coalesce(d.name, s.name))
    WHEN 'database user' THEN
      format('ALTER ROLE %I IN DATABASE %I RESET %s;', session_user, current_database(), coalesce(d.name, s.name))
  END AS reset
FROM pg_catalog.pg_settings s LEFT JOIN pg_catalog.pg_settings d ON d.name = 'default_' || s.name
WHERE s.name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum', 'track_counts', 'transaction_read_only',
  'transaction_timeout')
ORDER BY s.name

-- name: missing_rights
-- Tables, sequences and functions of the schema on which this role lacks a right that a process needs. Who may write to
-- a table needs none on the sequence of its identity column, nor on functions of triggers; the function "trigger" is for
-- others.
SELECT pg_catalog.quote_ident(c.relname) AS subject, 'table' AS kind, string_agg(r.name, ', ' ORDER BY r.name) AS rights
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) AS r(name)
WHERE n.nspname = :schema AND c.relkind = 'r' AND c.relname <> 'schema_migrations'
  AND NOT pg_catalog.has_table_privilege(c.oid, r.name)
GROUP BY c.relname
UNION ALL
SELECT pg_catalog.quote_ident(c.relname), 'sequence', 'USAGE'
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = :schema
  AND CASE WHEN c.relkind = 'S' THEN NOT pg_catalog.has_sequence_privilege(c.oid, 'USAGE') ELSE false END
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
    WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'i')
UNION ALL
SELECT pg_catalog.quote_ident(p.proname) || '(' || pg_catalog.pg_get_function_identity_arguments(p.oid) || ')', 'function',
  'EXECUTE'
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = :schema AND p.proname <> 'trigger' AND p.prokind = 'f'
  AND p.prorettype <> 'pg_catalog.trigger'::regtype AND NOT pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
ORDER BY subject

-- name: sequence_tables
SELECT to_regclass('{schema}.job_group_marks') IS NOT NULL AS has_jobs,
  to_regclass('{schema}.schedule_notices') IS NOT NULL AS has_connectors

-- name: sequences_of_runs
-- Sequences whose next number was given out before, as a copy of the rows without the sequences leaves them. Events have
-- no index by their number: the highest stands at one of the runs that changed last, which indexes tell. Numbers of
-- environments from 2^30 on follow from their keys. Without the right to look at a sequence there is no row: the check of
-- rights names it.
SELECT s.name AS sequence_name, s.highest, s.highest_of
FROM (VALUES
  ('{schema}.event_ids',
    (SELECT max(e.event_id) FROM {schema}.environments n CROSS JOIN LATERAL (
        (SELECT a.run_id, a.sequence FROM {schema}.active_runs a WHERE a.env = n.env AND a.sequence > 0
         ORDER BY a.created_at DESC, a.run_id DESC LIMIT 20)
        UNION ALL
        (SELECT t.run_id, t.sequence FROM (VALUES ('succeeded'), ('failed'), ('cancelled')) AS o(status)
         CROSS JOIN LATERAL (SELECT x.run_id, x.sequence FROM {schema}.terminal_runs x
           WHERE x.env = n.env AND x.status = o.status AND x.sequence > 0
           ORDER BY x.updated_at DESC, x.run_id DESC LIMIT 20) t)) r
      JOIN {schema}.run_events e ON e.env = n.env AND e.run_id = r.run_id AND e.sequence = r.sequence),
    '(SELECT max(event_id) FROM {schema}.run_events)'),
  (pg_get_serial_sequence('{schema}.environments', 'env'),
    (SELECT max(n.env)::bigint FROM {schema}.environments n WHERE n.env < 1073741824),
    '(SELECT max(env) FROM {schema}.environments WHERE env < 1073741824)')) AS s(name, highest, highest_of)
WHERE s.highest > CASE WHEN has_sequence_privilege(to_regclass(s.name)::oid, 'USAGE, SELECT')
  THEN coalesce(pg_sequence_last_value(to_regclass(s.name)), 0) END
ORDER BY s.name

-- name: sequences_of_jobs
-- As sequences_of_runs. Of jobs those that wait are looked at, by their index: no other has its place any more.
SELECT s.name AS sequence_name, s.highest, s.highest_of
FROM (VALUES
  ('{schema}.job_places',
    greatest((SELECT max(abs(j.place)) FROM {schema}.jobs j WHERE j.state = 'waiting'),
      (SELECT max(f.number) FROM {schema}.job_rate_fetches f), (SELECT max(g.served) FROM {schema}.job_groups g)),
    'greatest((SELECT max(abs(place)) FROM {schema}.jobs), (SELECT max(number) FROM {schema}.job_rate_fetches), '
      || '(SELECT max(served) FROM {schema}.job_groups))'),
  ('{schema}.job_group_mark_numbers',
    (SELECT max(m.number) FROM {schema}.job_group_marks m),
    '(SELECT max(number) FROM {schema}.job_group_marks)')) AS s(name, highest, highest_of)
WHERE s.highest > CASE WHEN has_sequence_privilege(to_regclass(s.name)::oid, 'USAGE, SELECT')
  THEN coalesce(pg_sequence_last_value(to_regclass(s.name)), 0) END
ORDER BY s.name

-- name: sequences_of_connectors
-- As sequences_of_runs. Numbers of events count within a run, and only active ones get more.
SELECT s.name AS sequence_name, s.highest, s.highest_of
FROM (VALUES
  (pg_get_serial_sequence('{schema}.connector_environments', 'env'),
    (SELECT max(n.env)::bigint FROM {schema}.connector_environments n WHERE n.env < 1073741824),
    '(SELECT max(env) FROM {schema}.connector_environments WHERE env < 1073741824)'),
  ('{schema}.run_generations',
    (SELECT max(a.run_generation) FROM {schema}.controller_active_runs a),
    '(SELECT max(run_generation) FROM {schema}.controller_active_runs)'),
  ('{schema}.spine_event_seqs',
    (SELECT max(e.event_seq) FROM {schema}.controller_active_runs a CROSS JOIN LATERAL (
      SELECT x.event_seq FROM {schema}.spine_events x WHERE x.env = a.env AND x.run_id = a.run_id
      ORDER BY x.event_seq DESC LIMIT 1) e),
    '(SELECT max(event_seq) FROM {schema}.spine_events)'),
  (pg_get_serial_sequence('{schema}.record_streams', 'stream_number'),
    (SELECT max(r.stream_number) FROM {schema}.record_streams r),
    '(SELECT max(stream_number) FROM {schema}.record_streams)'),
  ('{schema}.record_change_seqs',
    (SELECT max(c.change_seq) FROM {schema}.record_streams r CROSS JOIN LATERAL (
      SELECT x.change_seq FROM {schema}.record_changes x WHERE x.stream_number = r.stream_number
      ORDER BY x.change_seq DESC LIMIT 1) c),
    '(SELECT max(change_seq) FROM {schema}.record_changes)'),
  (pg_get_serial_sequence('{schema}.run_history', 'history_seq'),
    (SELECT max(h.history_seq) FROM {schema}.connector_environments n CROSS JOIN LATERAL (
      SELECT x.history_seq FROM {schema}.run_history x WHERE x.env = n.env ORDER BY x.history_seq DESC LIMIT 1) h),
    '(SELECT max(history_seq) FROM {schema}.run_history)'),
  (pg_get_serial_sequence('{schema}.schedule_notices', 'notice_seq'),
    (SELECT max(m.notice_seq) FROM {schema}.connector_environments n CROSS JOIN LATERAL (
      SELECT x.notice_seq FROM {schema}.schedule_notices x WHERE x.env = n.env ORDER BY x.notice_seq DESC LIMIT 1) m),
    '(SELECT max(notice_seq) FROM {schema}.schedule_notices)')) AS s(name, highest, highest_of)
WHERE s.highest > CASE WHEN has_sequence_privilege(to_regclass(s.name)::oid, 'USAGE, SELECT')
  THEN coalesce(pg_sequence_last_value(to_regclass(s.name)), 0) END
ORDER BY s.name

-- name: additions
-- What somebody has made of tables of ours by which other things become of our statements. Functions of our triggers
-- are in the schema.
WITH ours AS MATERIALIZED (
  SELECT c.oid, c.relname::text AS name, c.relnamespace, c.relpersistence, c.relreplident
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = :schema AND c.relkind IN ('r', 'p') AND c.relname::text = ANY (:tables::text[])
)
SELECT 'FOREIGN_KEY' AS kind, o.name AS table_name, pg_catalog.quote_ident(k.conname) AS name,
  k.conrelid::regclass::text AS other
FROM ours o JOIN pg_catalog.pg_constraint k ON k.confrelid = o.oid AND k.contype = 'f' AND k.conparentid = 0
UNION ALL
SELECT 'TRIGGER', o.name, pg_catalog.quote_ident(g.tgname), g.tgfoid::regproc::text
FROM ours o JOIN pg_catalog.pg_trigger g ON g.tgrelid = o.oid AND NOT g.tgisinternal AND g.tgenabled <> 'D'
JOIN pg_catalog.pg_proc f ON f.oid = g.tgfoid AND f.pronamespace <> o.relnamespace
UNION ALL
SELECT 'RULE', o.name, pg_catalog.quote_ident(r.rulename), NULL
FROM ours o JOIN pg_catalog.pg_rewrite r ON r.ev_class = o.oid AND r.ev_enabled <> 'D'
UNION ALL
SELECT 'UNLOGGED', o.name, NULL, NULL FROM ours o WHERE o.relpersistence = 'u'
UNION ALL
SELECT 'WITHOUT_IDENTITY', o.name, NULL, min(p.pubname)::text
FROM ours o JOIN pg_catalog.pg_publication_tables t ON t.schemaname = :schema AND t.tablename = o.name
JOIN pg_catalog.pg_publication p ON p.pubname = t.pubname AND (p.pubupdate OR p.pubdelete)
WHERE o.relreplident = 'n' OR o.relreplident <> 'f' AND NOT EXISTS (SELECT FROM pg_catalog.pg_index i
  WHERE i.indrelid = o.oid AND CASE o.relreplident WHEN 'd' THEN i.indisprimary ELSE i.indisreplident END)
GROUP BY o.name
ORDER BY kind, table_name, name

-- name: invalid_indexes
-- What a concurrent build left when it failed, or has not finished yet. Which of both is told by the lock that a build
-- holds on the table, and a vacuum too: every role can see that, while builds of others are shown to some roles alone.
SELECT c.relname AS index_name, EXISTS (SELECT 1 FROM pg_catalog.pg_locks l
    WHERE l.locktype = 'relation' AND l.mode = 'ShareUpdateExclusiveLock' AND l.relation = i.indrelid
      AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())) AS is_taken
FROM pg_catalog.pg_index i
JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = :schema AND NOT i.indisvalid
ORDER BY c.relname

-- name: superseded_indexes
-- What processes of the release before follow and none of this one, where that which this one follows instead is whole.
SELECT c.relname AS index_name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN (VALUES ('active_runs_due', 'active_runs_due_task'), ('active_runs_due_bounded', 'active_runs_due_task_bounded'))
  AS o(name, successor) ON o.name = c.relname
JOIN pg_catalog.pg_class s ON s.relname = o.successor AND s.relnamespace = c.relnamespace
JOIN pg_catalog.pg_index i ON i.indexrelid = s.oid AND i.indisvalid
WHERE n.nspname = :schema AND c.relkind = 'i'
ORDER BY c.relname

-- name: indexes
SELECT c.relname AS index_name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = :schema AND c.relkind = 'i'

-- name: dead_rows
-- Tables where dead rows are many, by themselves and beside the living ones.
SELECT relname AS table_name, n_dead_tup AS dead, n_live_tup AS living,
  GREATEST(last_vacuum, last_autovacuum) AS vacuumed_at
FROM pg_catalog.pg_stat_user_tables
WHERE schemaname = :schema AND n_dead_tup > 50000 AND n_dead_tup > n_live_tup
ORDER BY n_dead_tup DESC

-- name: long_transactions
-- Whatever of this database keeps vacuum from removing rows that died since :before.
SELECT 'backend' AS kind, pid::text AS id, COALESCE(usename, '') AS who, COALESCE(application_name, '') AS application,
  COALESCE(state, '') AS state, xact_start AS since
FROM pg_catalog.pg_stat_activity
WHERE datname = current_database() AND xact_start < :before AND pid <> pg_catalog.pg_backend_pid()
  AND backend_type = 'client backend'
UNION ALL
SELECT 'prepared', gid, owner, '', 'prepared', prepared FROM pg_catalog.pg_prepared_xacts
WHERE database = current_database() AND prepared < :before
ORDER BY since

-- name: hidden_sessions
-- Sessions of this database whose transactions the role may not see. A session of nobody is the server's own.
SELECT count(*)::integer AS hidden, pg_catalog.quote_ident(current_user) AS role FROM pg_catalog.pg_stat_activity
WHERE datname = current_database() AND backend_type IS NULL AND usesysid IS NOT NULL

-- name: idle_slots
-- Replication slots that nobody reads from: how much of the log each keeps, and how many transactions ago rows of this
-- database may have died that it keeps. One whose log is gone keeps nothing.
SELECT slot_name::text AS name,
  COALESCE(pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END,
    restart_lsn), 0)::bigint AS kept_bytes,
  COALESCE(age(xmin), 0)::bigint AS held_transactions
FROM pg_catalog.pg_replication_slots
WHERE NOT active AND NOT temporary AND wal_status IS DISTINCT FROM 'lost'
ORDER BY slot_name

-- name: connections
-- What kind of session another role's is, is shown to some roles alone. One that is shown to be of a user and in a
-- database, and no more, is counted: at worst that is a parallel worker too many.
SELECT (SELECT count(*)::integer FROM pg_catalog.pg_stat_activity WHERE backend_type = 'client backend'
    OR backend_type IS NULL AND usesysid IS NOT NULL AND datid IS NOT NULL) AS used,
  current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer AS usable

-- name: processes
SELECT count(*)::integer AS living FROM {schema}.processes p JOIN {schema}.environments e ON e.env = p.env
WHERE p.expires_at > clock_timestamp()

-- name: outbox
-- Of one environment: what was given up, what fails, and what should have been published before :late.
SELECT count(*) FILTER (WHERE o.status = 'dead_lettered') AS dead,
  count(*) FILTER (WHERE o.status = 'failed') AS failing,
  count(*) FILTER (WHERE o.status <> 'dead_lettered' AND o.next_at < :late) AS late,
  min(o.available_at) FILTER (WHERE o.status <> 'dead_lettered' AND o.next_at < :late) AS oldest
FROM {schema}.outbox_messages o JOIN {schema}.environments e ON e.env = o.env
WHERE e.environment_key = :environment

-- name: capacity
-- Partitions whose row counts other than the runs that occupy a slot: equal in every committed state, and this is
-- one snapshot.
SELECT queue, partition, COALESCE(c.used, 0) AS counted, COALESCE(r.occupied, 0) AS occupied
FROM (SELECT q.queue, q.partition, q.used FROM {schema}.queue_capacity q
    JOIN {schema}.environments e ON e.env = q.env WHERE e.environment_key = :environment) c
FULL JOIN (SELECT a.queue, a.partition, count(*)::integer AS occupied FROM {schema}.active_runs a
    JOIN {schema}.environments e ON e.env = a.env WHERE e.environment_key = :environment AND a.occupies
    GROUP BY a.queue, a.partition) r USING (queue, partition)
WHERE COALESCE(c.used, 0) <> COALESCE(r.occupied, 0)
ORDER BY queue, partition LIMIT 20

-- fragment: wanting
-- Runs that are due, or whose dispatch is reserved in vain.
FROM {schema}.active_runs a JOIN {schema}.environments e ON e.env = a.env
WHERE e.environment_key = :environment AND (a.due_at <= clock_timestamp() OR a.dispatch_expires_at IS NOT NULL)

-- fragment: works_on_queue
-- A process has workers that take the queue of the run, and gave a sign of life since :gone by this clock. A process of
-- the release before names all queues that it has.
p.env = a.env AND p.slots > 0 AND a.queue = ANY (p.queues)
  AND p.last_seen - coalesce(p.clock_offset_millis, 0) * interval '1 millisecond' > :gone

-- name: queues_without_process
-- Queues of such runs on which no living process works, whoever has them.
SELECT a.queue, count(*) AS runs, min(coalesce(a.dispatched_at, a.due_at)) AS oldest
{wanting}
  AND NOT EXISTS (SELECT 1 FROM {schema}.live_processes p WHERE {works_on_queue})
GROUP BY a.queue ORDER BY a.queue LIMIT 20

-- name: lost_leases
-- Runs whose worker is gone and that nobody has taken over since :late.
SELECT count(*) AS runs, min(a.lease_expires_at) AS oldest FROM {schema}.active_runs a
JOIN {schema}.environments e ON e.env = a.env
WHERE e.environment_key = :environment AND a.lease_expires_at < :late

-- name: gone_processes
-- Processes without a sign of life since :gone whose workers hold leases that have not ended, unless another process,
-- which lives, has a worker of that name.
SELECT p.process_id, p.host, p.last_seen, count(*) AS runs, max(a.lease_expires_at) AS until
FROM {schema}.live_processes p JOIN {schema}.environments e ON e.env = p.env
JOIN {schema}.active_runs a ON a.env = p.env AND a.lease_worker = ANY (p.worker_ids)
WHERE e.environment_key = :environment AND p.last_seen <= :gone AND a.lease_expires_at > clock_timestamp()
  AND NOT EXISTS (SELECT 1 FROM {schema}.live_processes l
    WHERE l.env = p.env AND l.last_seen > :gone AND a.lease_worker = ANY (l.worker_ids))
GROUP BY p.process_id, p.host, p.last_seen ORDER BY p.process_id LIMIT 20

-- name: clocks_of_processes
-- Processes whose clock was two seconds and more from this one at their last sign of life, which was not before :gone
-- by this clock: theirs would let one look gone that is behind.
SELECT p.process_id, p.host, p.clock_offset_millis
FROM {schema}.live_processes p JOIN {schema}.environments e ON e.env = p.env
WHERE e.environment_key = :environment AND abs(p.clock_offset_millis) >= 2000
  AND p.last_seen - p.clock_offset_millis * interval '1 millisecond' > :gone
ORDER BY p.process_id LIMIT 20

-- name: paused_queues
-- Queues that are paused while runs of them are due.
SELECT q.queue, COALESCE(q.actor_id, q.actor_type) AS actor, COALESCE(q.reason, '') AS reason, q.paused_at,
  count(*) AS runs, min(a.due_at) AS oldest
FROM {schema}.paused_queues q JOIN {schema}.environments e ON e.env = q.env
JOIN {schema}.active_runs a ON a.env = q.env AND a.queue = q.queue
WHERE e.environment_key = :environment AND a.due_at <= clock_timestamp()
GROUP BY q.queue, q.actor_id, q.actor_type, q.reason, q.paused_at ORDER BY q.queue LIMIT 20

-- name: tasks_without_process
-- Tasks of such runs which none of the living processes has that work on the queue, of which there are some.
SELECT a.task_id, a.queue, count(*) AS runs, min(coalesce(a.dispatched_at, a.due_at)) AS oldest
{wanting}
  AND EXISTS (SELECT 1 FROM {schema}.live_processes p WHERE {works_on_queue})
  AND NOT EXISTS (SELECT 1 FROM {schema}.live_processes p
    WHERE {works_on_queue} AND a.task_id = ANY (p.task_ids))
GROUP BY a.task_id, a.queue ORDER BY a.task_id, a.queue LIMIT 20

-- name: waiting_steps
-- Remote steps that nobody has looked after since :late, and those that wait past their deadline.
SELECT s.grp, count(*) AS steps, min(s.next_at) AS oldest FROM {schema}.pending_steps s
JOIN {schema}.environments e ON e.env = s.env
WHERE e.environment_key = :environment AND s.next_at < :late
GROUP BY s.grp ORDER BY s.grp LIMIT 20

-- name: unanswered_steps
-- Remote steps that workers were given before :before and have not answered. A run that has ended waits for none.
SELECT s.grp, count(*) AS steps, min(s.dispatched_at) AS oldest, min(s.deadline_at) AS deadline
FROM {schema}.pending_steps s JOIN {schema}.environments e ON e.env = s.env
WHERE e.environment_key = :environment AND s.dispatched_at < :before AND NOT s.run_ended
GROUP BY s.grp ORDER BY s.grp LIMIT 20

-- name: failing_schedules
-- Schedules whose last three fires all made runs that failed. A fire whose run has not ended is not one of those. One
-- that is paused, disabled, or left the program, fires no more: others were registered, or a scheduler without any
-- lived, a day after it was.
WITH registered AS (
  SELECT e.env, GREATEST(
    (SELECT max(f.last_seen) FROM {schema}.schedule_definitions f WHERE f.env = e.env),
    (SELECT max(p.last_seen) FROM {schema}.live_processes p
      WHERE p.env = e.env AND 'scheduler' = ANY (p.roles))) AS until
  FROM {schema}.environments e WHERE e.environment_key = :environment
), latest AS (
  SELECT DISTINCT ON (f.task_id, f.schedule_id) f.env, f.task_id, f.schedule_id, f.definition,
    f.last_seen >= r.until - interval '1 day' AS is_registered
  FROM registered r JOIN {schema}.schedule_definitions f ON f.env = r.env
  ORDER BY f.task_id, f.schedule_id, f.last_seen DESC, f.definition DESC
), d AS (
  SELECT l.env, l.task_id, l.schedule_id FROM latest l
  WHERE l.is_registered AND l.definition <> 'disabled' AND NOT EXISTS (SELECT 1 FROM {schema}.schedules s
    WHERE s.env = l.env AND s.task_id = l.task_id AND s.schedule_id = l.schedule_id AND s.paused_at IS NOT NULL)
)
SELECT d.schedule_id, d.task_id, min(o.fire_at) AS since
FROM d
CROSS JOIN LATERAL (SELECT c.fire_at, c.run_ids FROM {schema}.schedule_occurrences c
  WHERE c.env = d.env AND c.schedule_id = d.schedule_id AND (c.task_id = d.task_id OR c.task_id IS NULL)
  ORDER BY c.fire_at DESC LIMIT 3) o
WHERE EXISTS (SELECT 1 FROM {schema}.terminal_runs t
  WHERE t.env = d.env AND t.task_id = d.task_id AND t.run_id = ANY (o.run_ids) AND t.status = 'failed')
GROUP BY d.schedule_id, d.task_id HAVING count(*) = 3 ORDER BY d.schedule_id, d.task_id LIMIT 20

-- name: paused_schedules
-- Schedules that an operator has paused.
SELECT s.task_id, s.schedule_id, COALESCE(s.pause_actor_id, s.pause_actor_type) AS actor,
  COALESCE(s.pause_reason, '') AS reason, s.paused_at
FROM {schema}.schedules s JOIN {schema}.environments e ON e.env = s.env
WHERE e.environment_key = :environment AND s.paused_at IS NOT NULL ORDER BY s.task_id, s.schedule_id LIMIT 20

-- name: late_webhooks
-- Webhooks that were not told of runs that ended before :late.
SELECT d.webhook_id, count(*) AS ends, min(d.ended_at) AS oldest FROM {schema}.webhook_deliveries d
JOIN {schema}.environments e ON e.env = d.env
WHERE e.environment_key = :environment AND d.ended_at < :late
GROUP BY d.webhook_id ORDER BY d.webhook_id LIMIT 20

-- name: job_tables
SELECT to_regclass('{schema}.job_pauses') IS NOT NULL AS has_jobs,
  to_regclass('{schema}.job_webhook_deliveries') IS NOT NULL AS has_ends

-- name: paused_jobs
-- Pauses of job queues, of a whole one or of a name, while jobs wait or should by now. Where all wait for both, both are
-- told: each keeps them. Three scans of partial indexes, so that it does not matter how many jobs have ended.
SELECT p.queue, nullif(p.name, '__all__') AS name, count(*) AS jobs, min(w.since) AS oldest
FROM {schema}.job_pauses p CROSS JOIN LATERAL (
  SELECT j.name, j.created_at AS since FROM {schema}.jobs j
  WHERE j.queue = p.queue AND j.state = 'waiting' AND j.group_id IS NULL
  UNION ALL
  SELECT j.name, j.created_at FROM {schema}.jobs j
  WHERE j.queue = p.queue AND j.state = 'waiting' AND j.group_id IS NOT NULL
  UNION ALL
  SELECT j.name, j.delay_until FROM {schema}.jobs j
  WHERE j.queue = p.queue AND j.state = 'delayed' AND j.delay_until <= clock_timestamp()) w
WHERE p.name = '__all__' OR p.name = w.name
GROUP BY p.queue, p.name ORDER BY p.queue, p.name LIMIT 20

-- name: waiting_jobs
-- Jobs that have waited, or have been due, since :before and that no pause keeps, of queues where nothing says that a
-- worker lives: none has a job of theirs, none has ended one since, be it removed by now, and no rate holds any back.
-- First by queue, along partial indexes, so that the waiting jobs of queues with workers are not read.
WITH unworked AS MATERIALIZED (
  SELECT q.queue FROM (
    SELECT j.queue FROM {schema}.jobs j WHERE j.state = 'waiting' AND j.group_id IS NULL
    UNION SELECT j.queue FROM {schema}.jobs j WHERE j.state = 'waiting' AND j.group_id IS NOT NULL
    UNION SELECT j.queue FROM {schema}.jobs j WHERE j.state = 'delayed' AND j.delay_until < :before) q
  WHERE NOT EXISTS (SELECT 1 FROM {schema}.jobs j
      WHERE j.queue = q.queue AND j.state = 'active' AND j.lock_until > clock_timestamp())
    AND NOT EXISTS (SELECT 1 FROM {schema}.jobs j
      WHERE j.queue = q.queue AND j.state = 'completed' AND j.completed_at >= :before)
    AND NOT EXISTS (SELECT 1 FROM {schema}.jobs j
      WHERE j.queue = q.queue AND j.state = 'failed' AND j.failed_at >= :before)
    AND NOT EXISTS (SELECT 1 FROM {schema}.job_metrics m
      WHERE m.queue = q.queue AND m.granularity = 'minute'
        AND m.period_start > :before::timestamptz - interval '1 minute')
    AND NOT EXISTS (SELECT 1 FROM {schema}.job_rate_fetches f WHERE f.queue = q.queue
      AND f.fetched_at + f.window_millis * interval '1 millisecond' > clock_timestamp())
)
SELECT u.queue, count(*) AS jobs, min(w.since) AS oldest
FROM unworked u CROSS JOIN LATERAL (
  SELECT j.name, j.created_at AS since FROM {schema}.jobs j
  WHERE j.queue = u.queue AND j.state = 'waiting' AND j.group_id IS NULL
  UNION ALL
  SELECT j.name, j.created_at FROM {schema}.jobs j
  WHERE j.queue = u.queue AND j.state = 'waiting' AND j.group_id IS NOT NULL
  UNION ALL
  SELECT j.name, j.delay_until FROM {schema}.jobs j
  WHERE j.queue = u.queue AND j.state = 'delayed' AND j.delay_until < :before) w
WHERE w.since < :before AND NOT EXISTS (SELECT 1 FROM {schema}.job_pauses p
  WHERE p.queue = u.queue AND p.name IN ('__all__', w.name))
GROUP BY u.queue ORDER BY u.queue LIMIT 20

-- name: late_job_webhooks
-- Webhooks that were not told of jobs that ended before :late.
SELECT d.webhook_id, count(*) AS ends, min(d.ended_at) AS oldest FROM {schema}.job_webhook_deliveries d
WHERE d.ended_at < :late GROUP BY d.webhook_id ORDER BY d.webhook_id LIMIT 20
