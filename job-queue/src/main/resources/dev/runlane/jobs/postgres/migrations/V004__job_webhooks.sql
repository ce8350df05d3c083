-- Which ends of jobs somebody outside is told of, and what is left to tell. New tables and functions only: nobody waits
-- for a lock. The triggers that record ends are made by the first webhook.
CREATE TABLE {schema}.job_webhooks (
  webhook_id text COLLATE "C" NOT NULL,
  states text[] COLLATE "C" NOT NULL,
  queues text[] COLLATE "C" NOT NULL,
  names text[] COLLATE "C" NOT NULL,
  last_seen timestamptz NOT NULL,
  CONSTRAINT job_webhooks_pkey PRIMARY KEY (webhook_id)
);

-- The job may be gone, or run again, when its end is told: all that is told of it stands here.
CREATE TABLE {schema}.job_webhook_deliveries (
  id text COLLATE "C" NOT NULL DEFAULT gen_random_uuid()::text,
  webhook_id text COLLATE "C" NOT NULL,
  queue text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  attempts_made integer NOT NULL,
  cancelled boolean NOT NULL,
  next_at timestamptz NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  claim_token text COLLATE "C",
  CONSTRAINT job_webhook_deliveries_pkey PRIMARY KEY (id)
);

CREATE INDEX job_webhook_deliveries_due ON {schema}.job_webhook_deliveries (webhook_id, next_at);

-- The webhooks that are told of such an end. Part of the statement that calls it.
CREATE FUNCTION {schema}.job_webhooks_of(of_queue text, of_name text, of_state text, ended_at timestamptz)
  RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT w.webhook_id FROM {schema}.job_webhooks w
  WHERE w.last_seen >= $4 - interval '7 days'
    AND (cardinality(w.states) = 0 OR $3 = ANY (w.states))
    AND (cardinality(w.queues) = 0 OR $1 = ANY (w.queues))
    AND (cardinality(w.names) = 0 OR $2 = ANY (w.names))
$$;

-- In the transaction of the end itself, whichever release commits it; with the rights of its owner, because the role of
-- a process of the release before may know nothing of the tables.
CREATE FUNCTION {schema}.record_job_end() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  ended timestamptz := coalesce(CASE NEW.state WHEN 'completed' THEN NEW.completed_at ELSE NEW.failed_at END,
    NEW.created_at);
BEGIN
  INSERT INTO {schema}.job_webhook_deliveries (webhook_id, queue, job_id, name, state, created_at, ended_at,
    attempts_made, cancelled, next_at)
  SELECT w.webhook_id, NEW.queue, NEW.id, NEW.name, NEW.state, NEW.created_at, ended, NEW.attempts_made,
    NEW.cancelled_at IS NOT NULL, ended
  FROM {schema}.job_webhooks_of(NEW.queue, NEW.name, NEW.state, ended) AS w(webhook_id);
  RETURN NULL;
END $$;

-- The same for a job that is removed by the statement that completes it, which says when in a setting of its
-- transaction: without it a job was only removed.
CREATE FUNCTION {schema}.record_gone_job_end() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  ended timestamptz := nullif(current_setting('runlane.job_completed_at', true), '');
BEGIN
  IF ended IS NOT NULL THEN
    INSERT INTO {schema}.job_webhook_deliveries (webhook_id, queue, job_id, name, state, created_at, ended_at,
      attempts_made, cancelled, next_at)
    SELECT w.webhook_id, OLD.queue, OLD.id, OLD.name, 'completed', OLD.created_at, ended, OLD.attempts_made, false,
      ended
    FROM {schema}.job_webhooks_of(OLD.queue, OLD.name, 'completed', ended) AS w(webhook_id);
  END IF;
  RETURN NULL;
END $$;

-- Makes the triggers, once. Jobs that are being written are waited for shortly, and nobody waits behind that for long.
CREATE FUNCTION {schema}.watch_job_ends() RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_trigger
      WHERE tgrelid = '{schema}.jobs'::regclass AND tgname = 'jobs_ended') THEN
    CREATE TRIGGER jobs_ended AFTER UPDATE OF state ON {schema}.jobs
      FOR EACH ROW WHEN (NEW.state IN ('completed', 'failed') AND NEW.state <> OLD.state)
      EXECUTE FUNCTION {schema}.record_job_end();
    CREATE TRIGGER jobs_gone AFTER DELETE ON {schema}.jobs
      FOR EACH ROW WHEN (OLD.state = 'active' AND OLD.removal = 1)
      EXECUTE FUNCTION {schema}.record_gone_job_end();
  END IF;
EXCEPTION WHEN duplicate_object THEN
  NULL;
END $$;
