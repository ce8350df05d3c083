-- The steps of a run that ends are found in the order of the only index that has it. A plan that is made while the table
-- has no row, but pages that somebody's snapshot keeps, may look for them along the key, and walk the steps of all runs.
-- Only a row of the catalogue: nobody waits for a lock.
CREATE OR REPLACE FUNCTION {schema}.end_steps(p_env integer, p_run_id text, p_at timestamptz)
  RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE {schema}.pending_steps SET run_ended = true, next_at = p_at, claim_token = NULL
  WHERE env = p_env AND step_id = ANY (ARRAY(
    SELECT s.step_id FROM {schema}.pending_steps s
    WHERE s.env = p_env AND s.position >= 0 AND s.run_id = p_run_id
    ORDER BY s.position LIMIT 1000000));
  RETURN true;
END $$;
