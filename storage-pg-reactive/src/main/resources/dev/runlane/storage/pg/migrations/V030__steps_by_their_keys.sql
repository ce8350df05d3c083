-- The steps of a run that ends are changed by their keys in the form of all statements that go by keys: before PostgreSQL 17
-- a plan of the array of ids, made while the table was empty, reads the steps of all runs at each end. Only a row of the
-- catalogue: nobody waits for a lock.
CREATE OR REPLACE FUNCTION {schema}.end_steps(p_env integer, p_run_id text, p_at timestamptz)
  RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE {schema}.pending_steps a SET run_ended = true, next_at = p_at, claim_token = NULL
  FROM (SELECT s.env, s.step_id FROM {schema}.pending_steps s
    WHERE s.env = p_env AND s.position >= 0 AND s.run_id = p_run_id
    ORDER BY s.position LIMIT 1000000) k
  WHERE a.env = ANY (ARRAY[k.env]) AND a.step_id = k.step_id;
  RETURN true;
END $$;
