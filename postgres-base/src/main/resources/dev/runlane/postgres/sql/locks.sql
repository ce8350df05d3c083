-- name: try_lock
-- One lock for each schema, or for each set of tables, held until the transaction ends. Taken before anything is created,
-- because concurrent CREATE ... IF NOT EXISTS fails, and before any table is locked. Asked for, never waited for: who
-- waits for it in a transaction holds back the horizon of every vacuum. Releases before this one wait for the same lock.
SELECT pg_try_advisory_xact_lock(hashtextextended(:lock, 0))

-- name: lock_tables_briefly
-- A change that waits for a table stands in front of every later statement on it, whatever that is. So it waits
-- for less than the statements of a running release are ready to wait themselves, and comes back later.
SET LOCAL lock_timeout = '40ms'
