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
