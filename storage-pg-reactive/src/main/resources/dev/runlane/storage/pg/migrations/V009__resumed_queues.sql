-- Queues that were resumed and hold runs whose wakeups were ignored while they were paused; a row goes when all of them
-- have new ones. A new table only: nobody waits for a lock. begun_at: when they were looked for first; last_time and
-- last_id: the last run that has its new wakeup.
CREATE TABLE {schema}.resumed_queues (
  env integer NOT NULL,
  queue text COLLATE "C" NOT NULL,
  taken_at timestamptz,
  begun_at timestamptz,
  claim_token text COLLATE "C",
  claim_until timestamptz,
  last_time timestamptz,
  last_id text COLLATE "C",
  CONSTRAINT resumed_queues_pkey PRIMARY KEY (env, queue)
) WITH (fillfactor = 50);
