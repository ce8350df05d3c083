-- What operators keep for themselves, such as rules of alerts and saved filters, and the alerts that rules opened with who
-- is to be told. New tables only: nobody waits for a lock, and no run's own transaction touches them.
CREATE TABLE {schema}.operator_documents (
  env integer NOT NULL,
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  content text NOT NULL,
  actor_type text COLLATE "C" NOT NULL,
  actor_id text,
  changed_at timestamptz NOT NULL,
  CONSTRAINT operator_documents_pkey PRIMARY KEY (env, kind, name)
);

CREATE TABLE {schema}.alerts (
  env integer NOT NULL,
  alert_id text COLLATE "C" NOT NULL,
  rule_id text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  summary text NOT NULL,
  opened_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  resolved_at timestamptz,
  CONSTRAINT alerts_pkey PRIMARY KEY (env, alert_id)
);

CREATE UNIQUE INDEX alerts_open ON {schema}.alerts (env, rule_id, subject) WHERE resolved_at IS NULL;

CREATE INDEX alerts_opened ON {schema}.alerts (env, opened_at, alert_id);

CREATE INDEX alerts_resolved ON {schema}.alerts (env, resolved_at) WHERE resolved_at IS NOT NULL;

-- next_at is null where it is done with: the row stays as long as its alert, so that nobody is told twice.
CREATE TABLE {schema}.alert_deliveries (
  env integer NOT NULL,
  alert_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  change text COLLATE "C" NOT NULL CHECK (change IN ('opened', 'resolved')),
  next_at timestamptz,
  tries integer NOT NULL DEFAULT 0,
  claim_token text COLLATE "C",
  CONSTRAINT alert_deliveries_pkey PRIMARY KEY (env, alert_id, channel, change)
);

CREATE INDEX alert_deliveries_due ON {schema}.alert_deliveries (env, channel, next_at) WHERE next_at IS NOT NULL;
