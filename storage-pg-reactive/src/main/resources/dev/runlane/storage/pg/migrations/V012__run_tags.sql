-- What people find runs by. Written in the statement that creates a run, for runs that have tags alone, and removed
-- with the run. A new table only: nobody waits for a lock, and processes of the release before neither read nor write
-- it.
-- The keys begin with what only their own readers know, so that a plan of an empty table takes no other.
CREATE TABLE {schema}.run_tags (
  env integer NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT run_tags_pkey PRIMARY KEY (run_id, name, env)
);

CREATE INDEX run_tags_value ON {schema}.run_tags (env, name, value, created_at, run_id);
