-- What handlers wrote, in the order in which it is read. Filled by gathered inserts beside the attempts, and emptied with
-- the runs. A new table only: nobody waits for a lock.
CREATE TABLE {schema}.log_lines (
  env integer NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  number integer NOT NULL,
  at timestamptz NOT NULL,
  level text COLLATE "C" NOT NULL,
  line text NOT NULL,
  fields text,
  CONSTRAINT log_lines_pkey PRIMARY KEY (env, run_id, attempt, number)
);
