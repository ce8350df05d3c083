-- name: database_settings
SELECT current_setting('server_version_num')::integer AS version, current_database() AS database,
  current_setting('server_encoding') AS encoding, current_setting('default_transaction_isolation') AS isolation,
  current_setting('session_replication_role') AS replication_role, quote_ident(session_user) AS role

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

-- name: missing_objects
-- What of these names is not in the schema, and triggers that are disabled. A key is found by its index.
WITH there AS MATERIALIZED (
  SELECT c.oid, c.relname::text AS name, c.relkind AS kind FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = :schema_name
)
SELECT 'TABLE' AS kind, o.name, NULL::text AS table_name FROM unnest(:tables::text[]) AS o(name)
WHERE NOT EXISTS (SELECT FROM there t WHERE t.name = o.name AND t.kind IN ('r', 'p', 'v'))
UNION ALL
SELECT 'SEQUENCE', o.name, NULL FROM unnest(:sequences::text[]) AS o(name)
WHERE NOT EXISTS (SELECT FROM there t WHERE t.name = o.name AND t.kind = 'S')
UNION ALL
SELECT 'FUNCTION', o.name, NULL FROM unnest(:functions::text[]) AS o(name)
WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  WHERE n.nspname = :schema_name AND p.proname::text = o.name)
UNION ALL
SELECT 'KEY', o.name, NULL FROM unnest(:keys::text[]) AS o(name)
WHERE NOT EXISTS (SELECT FROM there t JOIN pg_catalog.pg_index i ON i.indexrelid = t.oid
  WHERE t.name = o.name AND i.indisunique AND i.indisvalid)
UNION ALL
SELECT CASE WHEN g.tgname IS NULL THEN 'TRIGGER' ELSE 'DISABLED_TRIGGER' END, o.name, o.table_name
FROM unnest(:triggers::text[], :trigger_tables::text[]) AS o(name, table_name)
LEFT JOIN there t ON t.name = o.table_name AND t.kind IN ('r', 'p')
LEFT JOIN pg_catalog.pg_trigger g ON g.tgrelid = t.oid AND g.tgname::text = o.name
WHERE g.tgname IS NULL OR g.tgenabled = 'D'
ORDER BY kind, name

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
