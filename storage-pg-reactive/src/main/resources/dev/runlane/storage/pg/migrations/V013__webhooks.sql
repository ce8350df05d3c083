-- Which ends of runs somebody outside is told of, and what is left to tell. New tables and functions only: nobody
-- waits for a lock, and an end costs nothing more until the first webhook is registered, which makes the trigger.
CREATE TABLE {schema}.webhooks (
  env integer NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  statuses text[] NOT NULL,
  task_ids text[] NOT NULL,
  queues text[] NOT NULL,
  tag_names text[] NOT NULL,
  tag_values text[] NOT NULL,
  last_seen timestamptz NOT NULL,
  CONSTRAINT webhooks_pkey PRIMARY KEY (env, webhook_id)
);

CREATE TABLE {schema}.webhook_deliveries (
  env integer NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  ended_at timestamptz NOT NULL,
  next_at timestamptz NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  claim_token text COLLATE "C",
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (run_id, webhook_id, env)
);

CREATE INDEX webhook_deliveries_due ON {schema}.webhook_deliveries (env, webhook_id, next_at);

-- In the transaction of the end itself, so that none can be skipped, whichever release commits it; with the rights of
-- its owner, because the role of a process of the release before may know nothing of the tables.
CREATE FUNCTION {schema}.record_webhook_ends() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO {schema}.webhook_deliveries (env, webhook_id, run_id, status, ended_at, next_at)
  SELECT n.env, w.webhook_id, n.run_id, n.status, n.updated_at, n.updated_at
  FROM ended n JOIN {schema}.webhooks w ON w.env = n.env
  WHERE w.last_seen >= n.updated_at - interval '7 days'
    AND (cardinality(w.statuses) = 0 OR n.status = ANY (w.statuses))
    AND (cardinality(w.task_ids) = 0 OR n.task_id = ANY (w.task_ids))
    AND (cardinality(w.queues) = 0 OR n.queue = ANY (w.queues))
    AND NOT EXISTS (SELECT 1 FROM unnest(w.tag_names, w.tag_values) AS t(name, value)
      WHERE NOT EXISTS (SELECT 1 FROM {schema}.run_tags g
        WHERE g.env = n.env AND g.run_id = n.run_id AND g.name = t.name AND g.value = t.value))
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

-- Makes the trigger, once. Ends that are being committed are waited for shortly, and nobody waits behind that for long.
CREATE FUNCTION {schema}.watch_ends() RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_trigger
      WHERE tgrelid = '{schema}.terminal_runs'::regclass AND tgname = 'webhook_ends') THEN
    CREATE TRIGGER webhook_ends AFTER INSERT ON {schema}.terminal_runs
      REFERENCING NEW TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION {schema}.record_webhook_ends();
  END IF;
EXCEPTION WHEN duplicate_object THEN
  NULL;
END $$;
