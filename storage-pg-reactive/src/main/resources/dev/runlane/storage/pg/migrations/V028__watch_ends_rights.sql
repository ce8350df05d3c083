-- Who may keep webhooks makes the trigger that records ends, and nobody else: a role that may only look into the schema,
-- or only trigger, could call this function too, which makes the trigger with the owner's rights, and in a transaction
-- that it left open every end of a run would have waited for that trigger's lock. Only a row of the catalogue: nobody
-- waits for a lock.
CREATE OR REPLACE FUNCTION {schema}.watch_ends() RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
DECLARE
  caller name := coalesce(nullif(current_setting('role'), 'none'), session_user);
BEGIN
  IF NOT has_table_privilege(caller, '{schema}.webhooks', 'INSERT') THEN
    RAISE insufficient_privilege USING MESSAGE = 'only who may insert into the table of webhooks watches ends';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM pg_trigger
      WHERE tgrelid = '{schema}.terminal_runs'::regclass AND tgname = 'webhook_ends') THEN
    CREATE TRIGGER webhook_ends AFTER INSERT ON {schema}.terminal_runs
      REFERENCING NEW TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION {schema}.record_webhook_ends();
  END IF;
EXCEPTION WHEN duplicate_object THEN
  NULL;
END $$;
