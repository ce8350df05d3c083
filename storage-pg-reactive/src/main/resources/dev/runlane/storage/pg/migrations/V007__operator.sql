-- What operators are shown and do. No table that a run's own transaction touches is changed, and none of these is touched
-- by one: new tables only, so nobody waits for a lock.

-- What each process says of itself every few seconds. A row is as wide as its lists, and is rewritten in place.
CREATE TABLE {schema}.live_processes (
  env integer NOT NULL,
  process_id text COLLATE "C" NOT NULL,
  host text NOT NULL,
  version text NOT NULL,
  roles text[] NOT NULL,
  queues text[] NOT NULL,
  task_ids text[] NOT NULL,
  worker_ids text[] NOT NULL,
  slots integer NOT NULL,
  running integer NOT NULL,
  longest_lease_millis bigint NOT NULL,
  started_at timestamptz NOT NULL,
  last_seen timestamptz NOT NULL,
  CONSTRAINT live_processes_pkey PRIMARY KEY (env, process_id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE {schema}.paused_queues (
  env integer NOT NULL,
  queue text COLLATE "C" NOT NULL,
  actor_type text COLLATE "C" NOT NULL,
  actor_id text,
  reason text,
  paused_at timestamptz NOT NULL,
  CONSTRAINT paused_queues_pkey PRIMARY KEY (env, queue)
);

-- The latest counts, one row an environment. begun_at: when a process began to count, which keeps the others from it;
-- taken_at: of when the counts are, null before the first.
CREATE TABLE {schema}.depth_samples (
  env integer NOT NULL,
  begun_at timestamptz NOT NULL,
  taken_at timestamptz,
  queues text[] NOT NULL DEFAULT '{}',
  waiting bigint[] NOT NULL DEFAULT '{}',
  later bigint[] NOT NULL DEFAULT '{}',
  held bigint[] NOT NULL DEFAULT '{}',
  oldest timestamptz[] NOT NULL DEFAULT '{}',
  outbox_pending bigint NOT NULL DEFAULT 0,
  outbox_claimed bigint NOT NULL DEFAULT 0,
  outbox_failed bigint NOT NULL DEFAULT 0,
  outbox_dead_lettered bigint NOT NULL DEFAULT 0,
  outbox_oldest timestamptz,
  CONSTRAINT depth_samples_pkey PRIMARY KEY (env)
) WITH (fillfactor = 50);

-- What operators did that belongs to no run's history. succeeded is null until it has ended.
CREATE TABLE {schema}.operator_actions (
  env integer NOT NULL,
  action_id text COLLATE "C" NOT NULL,
  actor_type text COLLATE "C" NOT NULL,
  actor_id text,
  action text COLLATE "C" NOT NULL,
  target text,
  reason text,
  at timestamptz NOT NULL,
  succeeded boolean,
  result text,
  ended_at timestamptz,
  CONSTRAINT operator_actions_pkey PRIMARY KEY (env, action_id)
);

CREATE INDEX operator_actions_at ON {schema}.operator_actions (env, at, action_id);
