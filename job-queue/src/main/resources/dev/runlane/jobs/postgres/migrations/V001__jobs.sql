-- Jobs: one mutable row each, in every state. What a fetch looks at are partial indexes over the open states,
-- so that it does not matter how many jobs have ended. What only some readers want, logs, stacks and attempts,
-- lies in rows of its own.

-- Where a job stands among those of its priority, and when a group was served: one number at a time, so that
-- the order of numbers is the order of what was stored.
CREATE SEQUENCE {schema}.job_places AS bigint CACHE 1;

-- place: ascending in the order of adding, negative where the job goes before those that wait already.
-- deduplication_slot: the key, on the one open job that holds it; null on all others. removal: what becomes of
-- the job when it completes: 0 it stays, 1 it goes at once, 2 it is counted among those that are kept.
-- keep_millis: how long it then stays. remove_at: when a job that has ended goes. counted: whether its parent
-- knows how it ended. children and dead_letter are JSON, as are options.
CREATE TABLE {schema}.jobs (
  queue text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  priority double precision NOT NULL,
  attempts_made integer NOT NULL,
  started_attempts integer NOT NULL,
  stalls integer NOT NULL,
  progress double precision NOT NULL,
  pending_children integer NOT NULL,
  discarded boolean NOT NULL,
  repeats boolean NOT NULL,
  counted boolean NOT NULL,
  removal smallint NOT NULL,
  keep_millis bigint,
  created_at timestamptz NOT NULL,
  processed_at timestamptz,
  completed_at timestamptz,
  failed_at timestamptz,
  delay_until timestamptz,
  cancelled_at timestamptz,
  remove_at timestamptz,
  lock_until timestamptz,
  locked_by text COLLATE "C",
  lock_token text COLLATE "C",
  group_id text COLLATE "C",
  parent_queue text COLLATE "C",
  parent_id text COLLATE "C",
  deduplication_key text COLLATE "C",
  deduplication_slot text COLLATE "C",
  deduplication_until timestamptz,
  schedule_key text COLLATE "C",
  children text,
  dead_letter text,
  options text NOT NULL,
  data text NOT NULL,
  returnvalue text,
  failed_reason text,
  CONSTRAINT jobs_pkey PRIMARY KEY (queue, id),
  CONSTRAINT jobs_state CHECK (state IN
    ('waiting', 'waiting-children', 'delayed', 'active', 'completed', 'failed')),
  CONSTRAINT jobs_removal CHECK (removal BETWEEN 0 AND 2)
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.1, autovacuum_analyze_threshold = 50000, autovacuum_vacuum_cost_delay = 0);

-- Every index below the primary key is partial, with a predicate that the scans it is for state and no probe by
-- key does: a plan made while the table is empty may otherwise take it to find a row by its key, and walk it.
CREATE INDEX jobs_waiting ON {schema}.jobs (queue, priority, place)
  WHERE state = 'waiting' AND group_id IS NULL;
CREATE INDEX jobs_waiting_grouped ON {schema}.jobs (queue, priority, place)
  WHERE state = 'waiting' AND group_id IS NOT NULL;
CREATE INDEX jobs_waiting_by_group ON {schema}.jobs (queue, group_id, priority, place)
  WHERE state = 'waiting' AND group_id IS NOT NULL;
CREATE INDEX jobs_waiting_children ON {schema}.jobs (queue, created_at) WHERE state = 'waiting-children';
CREATE INDEX jobs_delayed ON {schema}.jobs (queue, delay_until) WHERE state = 'delayed';
CREATE INDEX jobs_active ON {schema}.jobs (queue, group_id) WHERE state = 'active';
CREATE INDEX jobs_completed ON {schema}.jobs (queue, completed_at) WHERE state = 'completed';
CREATE INDEX jobs_failed ON {schema}.jobs (queue, failed_at) WHERE state = 'failed';
CREATE INDEX jobs_expiring ON {schema}.jobs (queue, remove_at) WHERE remove_at IS NOT NULL;
CREATE INDEX jobs_children ON {schema}.jobs (parent_queue, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX jobs_parents ON {schema}.jobs (created_at) WHERE children IS NOT NULL;
CREATE UNIQUE INDEX jobs_deduplication ON {schema}.jobs (queue, deduplication_slot)
  WHERE deduplication_slot IS NOT NULL;

-- kind: 0 a line of log, 1 the stack of a failed attempt, 2 the record of an attempt. number counts from 1 in
-- each kind, without gaps but for the oldest, which are dropped.
CREATE TABLE {schema}.job_entries (
  queue text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  kind smallint NOT NULL,
  number bigint NOT NULL,
  attempt integer NOT NULL,
  body text NOT NULL,
  CONSTRAINT job_entries_pkey PRIMARY KEY (queue, job_id, kind, number),
  CONSTRAINT job_entries_kind CHECK (kind BETWEEN 0 AND 2)
);

CREATE TABLE {schema}.job_pauses (
  queue text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  CONSTRAINT job_pauses_pkey PRIMARY KEY (queue, name)
);

-- When a group was last served, as a number of job_places; the jobs without a group are the group ''. Written
-- under the queue's advisory lock only.
CREATE TABLE {schema}.job_groups (
  queue text COLLATE "C" NOT NULL,
  group_id text COLLATE "C" NOT NULL,
  served bigint NOT NULL,
  CONSTRAINT job_groups_pkey PRIMARY KEY (queue, group_id)
) WITH (fillfactor = 50);

-- Hand-outs that count for a rate limit, one row a fetch. Written under the queue's advisory lock only.
CREATE TABLE {schema}.job_rate_fetches (
  queue text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  fetched_at timestamptz NOT NULL,
  window_millis bigint NOT NULL,
  jobs integer NOT NULL,
  CONSTRAINT job_rate_fetches_pkey PRIMARY KEY (queue, number)
);

-- Each process writes a shard of its own, so that those who end jobs at once do not wait for one row. added_…: what
-- of a minute its hour has already.
CREATE TABLE {schema}.job_metrics (
  queue text COLLATE "C" NOT NULL,
  granularity text COLLATE "C" NOT NULL,
  period_start timestamptz NOT NULL,
  name text COLLATE "C" NOT NULL,
  shard smallint NOT NULL,
  completed bigint NOT NULL,
  failed bigint NOT NULL,
  total_millis bigint NOT NULL,
  min_millis bigint,
  max_millis bigint,
  added_completed bigint NOT NULL DEFAULT 0,
  added_failed bigint NOT NULL DEFAULT 0,
  added_millis bigint NOT NULL DEFAULT 0,
  CONSTRAINT job_metrics_pkey PRIMARY KEY (queue, granularity, period_start, name, shard),
  CONSTRAINT job_metrics_granularity CHECK (granularity IN ('minute', 'hour'))
);

CREATE TABLE {schema}.job_schedules (
  queue text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  data text NOT NULL,
  options text NOT NULL,
  repeat text NOT NULL,
  next_at timestamptz,
  fired bigint NOT NULL,
  last_fired_at timestamptz,
  last_job_id text COLLATE "C",
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT job_schedules_pkey PRIMARY KEY (queue, key)
);

CREATE INDEX job_schedules_next ON {schema}.job_schedules (queue, next_at) WHERE next_at IS NOT NULL;

-- Events that are too large for a notification, which then names the row.
CREATE TABLE {schema}.job_events (
  id text COLLATE "C" NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT job_events_pkey PRIMARY KEY (id)
);

CREATE INDEX job_events_created ON {schema}.job_events (created_at) WHERE created_at > '-infinity';
