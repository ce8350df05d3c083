-- name: try_lock
-- One lock for each schema, or for each set of tables, held until the transaction ends. Taken before anything is created,
-- because concurrent CREATE ... IF NOT EXISTS fails, and before any table is locked. Asked for, never waited for: who
-- waits for it in a transaction holds back the horizon of every vacuum. Releases before this one wait for the same lock.
SELECT pg_try_advisory_xact_lock(hashtextextended(:lock, 0))

-- name: lock_tables_briefly
-- A change that waits for a table stands in front of every later statement on it, whatever that is. So it waits
-- for less than the statements of a running release are ready to wait themselves, and comes back later.
SET LOCAL lock_timeout = '40ms'

-- name: lock_tables_past_autovacuum
-- Postgres ends an ordinary autovacuum that somebody has waited behind for deadlock_timeout, and not before.
SELECT set_config('lock_timeout', (s.setting::integer + 100)::text, true)
FROM pg_catalog.pg_settings s WHERE s.name = 'deadlock_timeout'

-- name: lock_holders
-- The transactions of others that have locks on tables of the schema, or the advisory lock. What a role may not see of
-- them is NULL, of an autovacuum its type too; but a backend without a user is one. No query is read but an autovacuum's.
SELECT l.virtualtransaction AS transaction, l.pid, a.backend_type, a.pid IS NOT NULL AND a.usesysid IS NULL AS has_no_user,
  coalesce(a.usesysid IS NULL AND a.query LIKE '%(to prevent wraparound)%', false) AS prevents_wraparound,
  (SELECT s.setting::integer FROM pg_catalog.pg_settings s WHERE s.name = 'deadlock_timeout') AS deadlock_timeout_millis,
  nullif(a.application_name, '') AS application, a.xact_start AS since,
  array_to_string((array_agg(DISTINCT c.relname::text) FILTER (WHERE c.oid IS NOT NULL))[1:3], ', ') AS tables
FROM pg_catalog.pg_locks l
LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
LEFT JOIN (pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = :schema_name)
  ON l.locktype = 'relation' AND c.oid = l.relation AND c.relkind IN ('r', 'p')
WHERE l.granted AND l.pid IS DISTINCT FROM pg_backend_pid()
  AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())
  AND (c.oid IS NOT NULL OR l.locktype = 'advisory' AND l.objsubid = 1
    AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(:lock, 0))
GROUP BY l.virtualtransaction, l.pid, a.pid, a.backend_type, a.usesysid, a.query, a.application_name, a.xact_start
ORDER BY a.xact_start, l.pid
