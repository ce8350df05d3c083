-- name: try_lock_migrations
-- One lock for each schema, held until the transaction ends. Taken before anything is created, because
-- concurrent CREATE SCHEMA IF NOT EXISTS fails, and before any table is locked. Asked for, never waited for: who waits
-- for it in a transaction holds back the horizon of every vacuum. Releases before this one wait for the same lock.
SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))

-- name: lock_tables_briefly
-- A migration that waits for a table stands in front of every later statement on it, whatever that is. So it waits
-- for less than the statements of a running release are ready to wait themselves, and comes back later.
SET LOCAL lock_timeout = '40ms'

-- name: look
-- Needs no right but to connect: the answer to whether there is anything to read.
SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1) AS schema_exists,
  EXISTS (SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname = 'schema_migrations') AS table_exists

-- name: create_schema
CREATE SCHEMA IF NOT EXISTS {schema}

-- name: create_schema_migrations
CREATE TABLE IF NOT EXISTS {schema}.schema_migrations (
  module text NOT NULL,
  version integer NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (module, version)
)

-- name: applied_migrations
SELECT version, checksum FROM {schema}.schema_migrations WHERE module = $1

-- name: record_migration
INSERT INTO {schema}.schema_migrations (module, version, name, checksum) VALUES ($1, $2, $3, $4)
