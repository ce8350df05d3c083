-- Who may keep webhooks makes the triggers that record ends of jobs, and nobody else: a role that may only look into the
-- schema could call this function too, which makes them with the owner's rights, and in a transaction that it left open
-- every write of a job would have waited for their lock. Only a row of the catalogue: nobody waits for a lock.
CREATE OR REPLACE FUNCTION {schema}.watch_job_ends() RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
DECLARE
  caller name := coalesce(nullif(current_setting('role'), 'none'), session_user);
BEGIN
  IF NOT has_table_privilege(caller, '{schema}.job_webhooks', 'INSERT') THEN
    RAISE insufficient_privilege USING MESSAGE = 'only who may insert into the table of webhooks watches ends of jobs';
  END IF;
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
