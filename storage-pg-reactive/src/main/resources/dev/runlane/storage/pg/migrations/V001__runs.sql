-- Runs, their history and everything that is decided together with them. Active runs live in a narrow
-- table that is its own due index; a run that ends moves to an insert-only table, where the indexes of
-- the operator's lists are. Payload, source, meta and output are kept once, in the history.

CREATE TABLE {schema}.environments (
  env integer GENERATED ALWAYS AS IDENTITY,
  environment_key text COLLATE "C" NOT NULL,
  CONSTRAINT environments_pkey PRIMARY KEY (env),
  CONSTRAINT environments_key UNIQUE (environment_key)
);

-- Taken when an event's row is written, one number at a time: inside one run, and inside one partition of
-- a bounded queue, whose capacity row is locked by then, the numbers are in the order of what happened.
CREATE SEQUENCE {schema}.event_ids AS bigint CACHE 1;

CREATE TABLE {schema}.run_events (
  env integer NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  event_id bigint NOT NULL DEFAULT nextval('{schema}.event_ids'),
  type text COLLATE "C" NOT NULL,
  occurred_at timestamptz NOT NULL,
  body text NOT NULL,
  CONSTRAINT run_events_pkey PRIMARY KEY (env, run_id, sequence)
);

CREATE INDEX run_events_occurred ON {schema}.run_events USING brin (occurred_at) WITH (pages_per_range = 32);

-- due_at: when the run next needs somebody; kind: for what (0 queued, 1 scheduled, retrying, released or
-- running, which recovery looks after as well, 2 asked to cancel, 3 reserved for dispatch); partition:
-- null on unbounded queues, else the concurrency key, '' where there is none; occupies: whether it is
-- counted in its partition's capacity row.
CREATE TABLE {schema}.active_runs (
  env integer NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  queue text COLLATE "C" NOT NULL,
  partition text COLLATE "C",
  status text COLLATE "C" NOT NULL,
  kind smallint NOT NULL,
  occupies boolean NOT NULL,
  due_at timestamptz NOT NULL,
  sequence bigint NOT NULL,
  attempts integer NOT NULL,
  failures integer NOT NULL,
  retries integer NOT NULL,
  releases integer NOT NULL,
  run_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  started_at timestamptz,
  lease_token text COLLATE "C",
  lease_worker text COLLATE "C",
  lease_expires_at timestamptz,
  dispatched_at timestamptz,
  dispatch_expires_at timestamptz,
  concurrency_key text COLLATE "C",
  idempotency_key text COLLATE "C",
  singleton_key text COLLATE "C",
  trace_carrier text,
  failure text,
  CONSTRAINT active_runs_pkey PRIMARY KEY (env, run_id),
  CONSTRAINT active_runs_status CHECK (status IN
    ('queued', 'scheduled', 'running', 'retrying', 'released', 'cancellation_requested')),
  CONSTRAINT active_runs_kind CHECK (kind BETWEEN 0 AND 3),
  CONSTRAINT active_runs_lease CHECK
    ((lease_token IS NOT NULL) = (status IN ('running', 'cancellation_requested'))),
  CONSTRAINT active_runs_occupies CHECK (NOT occupies OR partition IS NOT NULL)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000, autovacuum_vacuum_cost_delay = 0);

-- Every index below a primary key is partial, with a predicate that the scans it is for state and no probe
-- by key does, even where it holds for all rows: a plan made while a table is empty may otherwise take
-- such an index, which begins with the environment too, to find a row by its key, and walk it whole.
CREATE INDEX active_runs_due ON {schema}.active_runs (env, queue, kind, due_at, run_id)
  WHERE partition IS NULL;
CREATE INDEX active_runs_due_bounded ON {schema}.active_runs (env, queue, partition, occupies, due_at, run_id)
  WHERE partition IS NOT NULL;
CREATE INDEX active_runs_reserved ON {schema}.active_runs (env, queue, due_at, run_id) WHERE kind = 3;
CREATE INDEX active_runs_cancelling ON {schema}.active_runs (env, due_at, run_id) WHERE kind = 2;
CREATE INDEX active_runs_created ON {schema}.active_runs (env, created_at, run_id) WHERE sequence > 0;

CREATE TABLE {schema}.terminal_runs (
  env integer NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  queue text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  attempts integer NOT NULL,
  failures integer NOT NULL,
  retries integer NOT NULL,
  releases integer NOT NULL,
  run_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz NOT NULL,
  concurrency_key text COLLATE "C",
  idempotency_key text COLLATE "C",
  singleton_key text COLLATE "C",
  trace_carrier text,
  failure text,
  CONSTRAINT terminal_runs_pkey PRIMARY KEY (env, run_id),
  CONSTRAINT terminal_runs_status CHECK (status IN ('succeeded', 'failed', 'cancelled'))
);

CREATE INDEX terminal_runs_created ON {schema}.terminal_runs (env, created_at, run_id)
  WHERE sequence > 0;
CREATE INDEX terminal_runs_task ON {schema}.terminal_runs (env, task_id, created_at, run_id)
  WHERE sequence > 0;
CREATE INDEX terminal_runs_updated ON {schema}.terminal_runs (env, status, updated_at, run_id)
  WHERE sequence > 0;

-- An owner is live while its run is active and, for idempotency keys, while it is succeeded or cancelled
-- and expires_at is ahead. So nothing is written here when a run ends.
CREATE TABLE {schema}.idempotency_owners (
  env integer NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT idempotency_owners_pkey PRIMARY KEY (env, task_id, idempotency_key)
);

CREATE INDEX idempotency_owners_run ON {schema}.idempotency_owners (env, run_id)
  WHERE expires_at > '-infinity';

CREATE TABLE {schema}.singleton_owners (
  env integer NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  singleton_key text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  CONSTRAINT singleton_owners_pkey PRIMARY KEY (env, task_id, singleton_key)
);

CREATE INDEX singleton_owners_run ON {schema}.singleton_owners (env, run_id) WHERE singleton_key > '';

-- used is the number of active runs of the partition that occupy a slot, true in every committed state.
-- Read only under its row lock, and changed in the transaction that takes or frees the slot.
CREATE TABLE {schema}.queue_capacity (
  env integer NOT NULL,
  queue text COLLATE "C" NOT NULL,
  partition text COLLATE "C" NOT NULL,
  used integer NOT NULL,
  CONSTRAINT queue_capacity_pkey PRIMARY KEY (env, queue, partition)
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0);

-- next_at: when the row may be claimed: available_at, or the end of its claim. A published message is
-- deleted; a dead-lettered one stays and is due never.
CREATE TABLE {schema}.outbox_messages (
  env integer NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  queue text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  requested_at timestamptz NOT NULL,
  available_at timestamptz NOT NULL,
  next_at timestamptz NOT NULL,
  claim_token text COLLATE "C",
  failed_publishes integer NOT NULL DEFAULT 0,
  trace_carrier text,
  failure text,
  CONSTRAINT outbox_messages_pkey PRIMARY KEY (env, message_id),
  CONSTRAINT outbox_messages_status CHECK (status IN ('pending', 'claimed', 'failed', 'dead_lettered'))
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0);

CREATE INDEX outbox_messages_run ON {schema}.outbox_messages (env, run_id, sequence)
  WHERE sequence > 0;
CREATE INDEX outbox_messages_next ON {schema}.outbox_messages (env, next_at, message_id)
  WHERE failed_publishes >= 0;

CREATE TABLE {schema}.schedule_occurrences (
  env integer NOT NULL,
  occurrence_id text COLLATE "C" NOT NULL,
  schedule_id text COLLATE "C" NOT NULL,
  fire_at timestamptz NOT NULL,
  status text COLLATE "C" NOT NULL,
  claim_token text COLLATE "C" NOT NULL,
  claim_expires_at timestamptz NOT NULL,
  run_ids text[] NOT NULL DEFAULT '{}',
  updated_at timestamptz NOT NULL,
  CONSTRAINT schedule_occurrences_pkey PRIMARY KEY (env, occurrence_id),
  CONSTRAINT schedule_occurrences_status CHECK (status IN ('claimed', 'completed'))
);

-- Rolls a statement back that won one ownership key of a run and lost the other, with a SQLSTATE of our
-- own; sent again it sees the winner.
CREATE FUNCTION {schema}.partial_ownership() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'partial ownership' USING ERRCODE = 'RL001';
END $$;
