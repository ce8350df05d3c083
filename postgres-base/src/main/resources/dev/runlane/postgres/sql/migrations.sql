-- name: database_settings
SELECT current_setting('server_version_num')::integer AS version, current_database() AS database,
  current_setting('server_encoding') AS encoding, current_setting('default_transaction_isolation') AS isolation,
  quote_ident(session_user) AS role

-- name: take_time
-- A migration may take longer than the role's transactions may. Servers before 17 have no such setting.
SELECT CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL
  THEN set_config('transaction_timeout', '0', false) END

-- name: look
-- Needs no right but to connect: the answer to whether there is anything to read. Others call a table of theirs so too
-- (Rails, Ecto, golang-migrate); only ours has a column "module". A function names its schema in its text, which no
-- renaming changes: one of these whose text names our tables and functions, but in another schema alone, is from before a
-- renaming. One that names other things is another application's. The expression is matched last: it is far dearer than
-- all else here, and a schema as it should be has few functions that do not name it.
SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = :schema_name) AS schema_exists,
  t.oid IS NOT NULL AS table_exists,
  EXISTS (SELECT 1 FROM pg_catalog.pg_attribute a WHERE a.attrelid = t.oid AND a.attname = 'module'
    AND NOT a.attisdropped) AS table_is_ours,
  (SELECT min(p.proname::text) FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = :schema_name AND p.proname::text = ANY (:functions::text[])
      AND CASE WHEN strpos(p.prosrc, :quoted_schema || '.') = 0
        THEN p.prosrc ~ ('"[^"]+"[.](' || array_to_string(:objects::text[], '|') || ')($|[^a-zA-Z0-9_])')
        ELSE false END) AS renamed_function
FROM (SELECT 1) one LEFT JOIN (SELECT c.oid FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = :schema_name AND c.relname = 'schema_migrations') t ON true

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
SELECT version, checksum FROM {schema}.schema_migrations WHERE module = :module

-- name: record_migration
INSERT INTO {schema}.schema_migrations (module, version, name, checksum) VALUES (:module, :version, :name, :checksum)
