-- What a controller has to know when it is another process than the one before: which manifest the owner has in use,
-- and how many records of a run that lost its process had been stored. The latter is written by the statement that
-- stores them, so the two never differ.

ALTER TABLE {schema}.record_streams
  ADD COLUMN run_attempted bigint NOT NULL DEFAULT 0,
  ADD COLUMN run_accepted bigint NOT NULL DEFAULT 0;

CREATE TABLE {schema}.connector_active_manifests (
  env integer NOT NULL,
  connector_id text COLLATE "C" NOT NULL,
  version text NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  activated_at timestamptz NOT NULL,
  CONSTRAINT connector_active_manifests_pkey PRIMARY KEY (env, connector_id)
);
