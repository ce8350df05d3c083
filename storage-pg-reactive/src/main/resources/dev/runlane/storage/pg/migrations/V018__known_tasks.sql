-- The tasks that processes say they have: the queue of one, the schema of its payloads, and which keys its code makes. So
-- that a console or an operator's program knows those of every process. A new table only: nobody waits for a lock.
CREATE TABLE {schema}.known_tasks (
  env integer NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  queue text COLLATE "C" NOT NULL,
  has_handler boolean NOT NULL,
  payload_type text NOT NULL,
  payload_schema text,
  keys text[] NOT NULL,
  process_id text COLLATE "C" NOT NULL,
  started_at timestamptz NOT NULL,
  published_at timestamptz NOT NULL,
  CONSTRAINT known_tasks_pkey PRIMARY KEY (env, task_id)
);
