-- What connector runs leave behind. The row of an active run is both the lock of its connection and the fence of its
-- writes: every write of a run takes a key-share lock on it and checks its generation, the run's end locks it for
-- update, so that whatever a run stores is stored before its end or not at all.

CREATE TABLE {schema}.connector_environments (
  env integer GENERATED ALWAYS AS IDENTITY,
  environment_key text COLLATE "C" NOT NULL,
  CONSTRAINT connector_environments_pkey PRIMARY KEY (env),
  CONSTRAINT connector_environments_key UNIQUE (environment_key)
);

CREATE SEQUENCE {schema}.run_generations AS bigint CACHE 1;

CREATE TABLE {schema}.controller_active_runs (
  env integer NOT NULL,
  connector_instance_id text COLLATE "C" NOT NULL,
  connector_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  trace_id text COLLATE "C" NOT NULL,
  run_generation bigint NOT NULL,
  started_at timestamptz NOT NULL,
  source text COLLATE "C" NOT NULL,
  trigger_kind text COLLATE "C" NOT NULL,
  automation_mode text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  grant_id text COLLATE "C",
  controller_id text COLLATE "C" NOT NULL,
  host_id text COLLATE "C" NOT NULL,
  boot_id text COLLATE "C" NOT NULL,
  pid bigint NOT NULL,
  start_ticks bigint NOT NULL,
  address text,
  cancel_requested_at timestamptz,
  pending_interaction text COLLATE "C",
  CONSTRAINT controller_active_runs_pkey PRIMARY KEY (env, connector_instance_id),
  CONSTRAINT controller_active_runs_attempt CHECK (attempt >= 1)
) WITH (fillfactor = 50);

CREATE UNIQUE INDEX controller_active_runs_run ON {schema}.controller_active_runs (run_id, env);

-- Taken when an event's row is written, one number at a time: within a run the numbers are in the order of what
-- was told, and the terminal event, which is written under the run's own lock, has the highest.
CREATE SEQUENCE {schema}.spine_event_seqs AS bigint CACHE 1;

CREATE TABLE {schema}.spine_events (
  env integer NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  event_seq bigint NOT NULL DEFAULT nextval('{schema}.spine_event_seqs'),
  event_id text COLLATE "C" NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  occurred_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL,
  trace_id text COLLATE "C" NOT NULL,
  connector_id text COLLATE "C" NOT NULL,
  connector_instance_id text COLLATE "C" NOT NULL,
  actor_type text COLLATE "C" NOT NULL,
  stream_id text COLLATE "C",
  interaction_id text COLLATE "C",
  grant_id text COLLATE "C",
  request_id text COLLATE "C",
  terminal boolean NOT NULL,
  kept boolean NOT NULL,
  data text NOT NULL,
  CONSTRAINT spine_events_pkey PRIMARY KEY (env, run_id, event_seq),
  CONSTRAINT spine_events_actor CHECK (actor_type IN ('runtime', 'owner')),
  CONSTRAINT spine_events_kept CHECK (kept OR NOT terminal)
);

-- An event that is sent again is found by its id; a run has one terminal event, whoever writes it.
CREATE UNIQUE INDEX spine_events_event ON {schema}.spine_events (run_id, event_id, env);
CREATE UNIQUE INDEX spine_events_terminal ON {schema}.spine_events (env, run_id) WHERE terminal;
CREATE INDEX spine_events_bounds ON {schema}.spine_events (env, run_id, event_type) WHERE kept;
CREATE INDEX spine_events_prunable ON {schema}.spine_events (env, recorded_at) WHERE NOT kept;

-- A stream of a connection, and the last batch it took: a batch that comes again under its number changes nothing.
CREATE TABLE {schema}.record_streams (
  env integer NOT NULL,
  connector_instance_id text COLLATE "C" NOT NULL,
  stream text COLLATE "C" NOT NULL,
  stream_number bigint GENERATED ALWAYS AS IDENTITY,
  run_id text COLLATE "C" NOT NULL,
  batch bigint NOT NULL,
  CONSTRAINT record_streams_pkey PRIMARY KEY (env, connector_instance_id, stream),
  CONSTRAINT record_streams_number UNIQUE (stream_number)
) WITH (fillfactor = 50);

CREATE TABLE {schema}.records (
  stream_number bigint NOT NULL,
  record_key text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  deleted boolean NOT NULL,
  emitted_at text NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  updated_at timestamptz NOT NULL,
  data text,
  CONSTRAINT records_pkey PRIMARY KEY (stream_number, record_key),
  CONSTRAINT records_data CHECK (deleted = (data IS NULL))
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.1,
  autovacuum_vacuum_cost_delay = 0);

CREATE SEQUENCE {schema}.record_change_seqs AS bigint CACHE 1;

CREATE TABLE {schema}.record_changes (
  stream_number bigint NOT NULL,
  change_seq bigint NOT NULL DEFAULT nextval('{schema}.record_change_seqs'),
  record_key text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  deleted boolean NOT NULL,
  emitted_at text NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  changed_at timestamptz NOT NULL,
  data text,
  CONSTRAINT record_changes_pkey PRIMARY KEY (stream_number, change_seq)
);

CREATE TABLE {schema}.connector_state (
  env integer NOT NULL,
  connector_instance_id text COLLATE "C" NOT NULL,
  stream text COLLATE "C" NOT NULL,
  cursor text NOT NULL,
  run_id text COLLATE "C",
  records_accepted bigint NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT connector_state_pkey PRIMARY KEY (env, connector_instance_id, stream)
);

CREATE TABLE {schema}.grant_connector_state (
  env integer NOT NULL,
  grant_id text COLLATE "C" NOT NULL,
  connector_instance_id text COLLATE "C" NOT NULL,
  stream text COLLATE "C" NOT NULL,
  cursor text NOT NULL,
  run_id text COLLATE "C",
  records_accepted bigint NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT grant_connector_state_pkey PRIMARY KEY (env, grant_id, connector_instance_id, stream)
);

CREATE TABLE {schema}.connector_grants (
  env integer NOT NULL,
  grant_id text COLLATE "C" NOT NULL,
  connector_instance_id text COLLATE "C" NOT NULL,
  access_mode text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  expires_at timestamptz,
  consumed_by text COLLATE "C",
  updated_at timestamptz NOT NULL,
  CONSTRAINT connector_grants_pkey PRIMARY KEY (env, grant_id),
  CONSTRAINT connector_grants_mode CHECK (access_mode IN ('continuous', 'single_use')),
  CONSTRAINT connector_grants_state CHECK (state IN ('active', 'consumed', 'revoked'))
);

CREATE TABLE {schema}.run_history (
  env integer NOT NULL,
  history_seq bigint GENERATED ALWAYS AS IDENTITY,
  run_id text COLLATE "C" NOT NULL,
  trace_id text COLLATE "C" NOT NULL,
  connector_id text COLLATE "C" NOT NULL,
  connector_instance_id text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  trigger_kind text COLLATE "C" NOT NULL,
  automation_mode text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  status text COLLATE "C" NOT NULL,
  started_at timestamptz NOT NULL,
  completed_at timestamptz NOT NULL,
  terminal_reason text COLLATE "C",
  failure_reason text COLLATE "C",
  error text,
  http_status integer,
  records_emitted bigint NOT NULL,
  reported_records_emitted bigint,
  needs_attention boolean NOT NULL,
  checkpoint_summary text,
  known_gaps text NOT NULL,
  state text,
  connector_error text,
  CONSTRAINT run_history_pkey PRIMARY KEY (env, history_seq),
  CONSTRAINT run_history_status CHECK (status IN ('succeeded', 'failed', 'cancelled', 'skipped'))
);

CREATE INDEX run_history_instance ON {schema}.run_history (env, connector_instance_id, history_seq)
  WHERE history_seq > 0;

-- One row a connection: what its runs come to, and when the latest began and ended.
CREATE TABLE {schema}.scheduler_last_run_times (
  env integer NOT NULL,
  connector_instance_id text COLLATE "C" NOT NULL,
  last_started_at timestamptz,
  last_finished_at timestamptz,
  last_successful_at timestamptz,
  last_history_seq bigint,
  total_runs bigint NOT NULL,
  succeeded bigint NOT NULL,
  failed bigint NOT NULL,
  total_records bigint NOT NULL,
  CONSTRAINT scheduler_last_run_times_pkey PRIMARY KEY (env, connector_instance_id)
) WITH (fillfactor = 50);

-- check_at: when a scheduler looks at the schedule next, which may be before it is due. claim_token: whoever evaluates
-- it until claimed_until; a run is begun under this claim or not at all. attention_…: a run asked for something only a
-- person has. stop_reason: why no run is started any more until the schedule is restarted. condition: the reason of
-- the last skipped run, which is written once as long as it lasts.
CREATE TABLE {schema}.connector_schedules (
  env integer NOT NULL,
  connector_instance_id text COLLATE "C" NOT NULL,
  connector_id text COLLATE "C" NOT NULL,
  interval_seconds bigint NOT NULL,
  jitter_seconds bigint NOT NULL,
  enabled boolean NOT NULL,
  grant_id text COLLATE "C",
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  check_at timestamptz NOT NULL,
  claim_token text COLLATE "C",
  claimed_until timestamptz,
  attention_run_id text COLLATE "C",
  attention_reason text,
  attention_since timestamptz,
  stop_reason text COLLATE "C",
  condition text COLLATE "C",
  CONSTRAINT connector_schedules_pkey PRIMARY KEY (env, connector_instance_id),
  CONSTRAINT connector_schedules_interval CHECK (interval_seconds >= 1 AND jitter_seconds >= 0),
  CONSTRAINT connector_schedules_claim CHECK ((claim_token IS NULL) = (claimed_until IS NULL))
) WITH (fillfactor = 50);

CREATE INDEX connector_schedules_check ON {schema}.connector_schedules (env, check_at) WHERE enabled;

-- What somebody outside is told of a schedule, until it was told or given up.
CREATE TABLE {schema}.schedule_notices (
  env integer NOT NULL,
  notice_seq bigint GENERATED ALWAYS AS IDENTITY,
  connector_id text COLLATE "C" NOT NULL,
  connector_instance_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  reason text,
  run_id text COLLATE "C",
  created_at timestamptz NOT NULL,
  attempts integer NOT NULL,
  send_at timestamptz NOT NULL,
  CONSTRAINT schedule_notices_pkey PRIMARY KEY (env, notice_seq)
);

CREATE INDEX schedule_notices_due ON {schema}.schedule_notices (env, send_at) WHERE attempts >= 0;
