-- What became of the runs of each task in each queue, by minutes, for two weeks: counters and histograms as one list of
-- numbers, which a later release may make longer. A new table only: nobody waits for a lock.
CREATE TABLE {schema}.throughput_minutes (
  env integer NOT NULL,
  minute timestamptz NOT NULL,
  queue text COLLATE "C" NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  numbers bigint[] NOT NULL,
  CONSTRAINT throughput_minutes_pkey PRIMARY KEY (env, minute, queue, task_id)
) WITH (fillfactor = 80);
