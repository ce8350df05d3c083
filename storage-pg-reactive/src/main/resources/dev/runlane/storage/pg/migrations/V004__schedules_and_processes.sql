-- Occurrences say for which task they were completed, because two tasks may have schedules of one id. Rows
-- of the release before leave it null; theirs is the task of the run they name.
ALTER TABLE {schema}.schedule_occurrences ADD COLUMN task_id text COLLATE "C";

-- The latest fires of a schedule that is told of for the first time. Where it is not made here, because nobody could
-- write meanwhile, a process makes it after its start, beside readers and writers.
DO $$
BEGIN
  IF pg_relation_size('{schema}.schedule_occurrences') < 64 * 1024 * 1024 THEN
    CREATE INDEX schedule_occurrences_fires ON {schema}.schedule_occurrences (env, schedule_id, fire_at);
  END IF;
END $$;

-- Which schedules were ever told of, so that a new or edited one does not fire for the time before it was there.
CREATE TABLE {schema}.schedules (
  env integer NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  schedule_id text COLLATE "C" NOT NULL,
  first_seen timestamptz NOT NULL,
  last_fire timestamptz,
  CONSTRAINT schedules_pkey PRIMARY KEY (env, task_id, schedule_id)
);

-- Each definition counts for itself, because during a rolling upgrade processes with different ones tell theirs
-- in turn, and none of them must reset another.
CREATE TABLE {schema}.schedule_definitions (
  env integer NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  schedule_id text COLLATE "C" NOT NULL,
  definition text COLLATE "C" NOT NULL,
  counts_from timestamptz NOT NULL,
  last_seen timestamptz NOT NULL,
  CONSTRAINT schedule_definitions_pkey PRIMARY KEY (env, task_id, schedule_id, definition)
);

-- What each process says of its queues, until it says so again or expires. A limit of 0 stands for none.
CREATE TABLE {schema}.processes (
  env integer NOT NULL,
  process_id text COLLATE "C" NOT NULL,
  queues text[] NOT NULL,
  queue_limits integer[] NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT processes_pkey PRIMARY KEY (env, process_id)
);
