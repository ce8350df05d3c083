-- name: lock_migrations
-- One lock for each schema, held until the transaction ends. Taken before anything is created, because
-- concurrent CREATE SCHEMA IF NOT EXISTS fails.
SELECT pg_advisory_xact_lock(hashtextextended($1, 0))

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
