-- A remote step waits for workers of other processes, so that somebody must ask them, ask again and give up in
-- the end, whatever becomes of the process that runs the handler. Each has a row here from its request to its
-- result, written in the transaction of the event. Runs without remote steps never touch the table: the
-- statements that append reach it through functions, called only for runs that have some. A process of the
-- release before does not know the column and leaves rows of runs that it ends; whoever looks after them next
-- finds the run gone.
ALTER TABLE {schema}.active_runs ADD COLUMN remote_steps boolean;

-- request_sequence: the event that holds name, group, input and dispatch, which are repeated here for people;
-- next_at: when somebody is to look after the step, or the end of the claim of whoever does; attempt: what a
-- worker is asked for; run_ended: its task is to be taken away.
CREATE TABLE {schema}.pending_steps (
  env integer NOT NULL,
  step_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  position integer NOT NULL,
  request_sequence bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  grp text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  next_at timestamptz NOT NULL,
  deadline_at timestamptz NOT NULL,
  dispatched_at timestamptz,
  last_result_at timestamptz,
  claim_token text COLLATE "C",
  run_ended boolean NOT NULL DEFAULT false,
  CONSTRAINT pending_steps_pkey PRIMARY KEY (env, step_id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
  autovacuum_vacuum_cost_delay = 0);

-- As everywhere, with predicates that only the scans they are for state.
CREATE INDEX pending_steps_next ON {schema}.pending_steps (env, next_at, step_id) WHERE attempt > 0;
CREATE INDEX pending_steps_run ON {schema}.pending_steps (env, run_id, position) WHERE position >= 0;

-- Each answers true, so that a statement can call it in a condition.
CREATE FUNCTION {schema}.request_step(p_env integer, p_step_id text, p_run_id text, p_position integer,
    p_sequence bigint, p_name text, p_grp text, p_attempt integer, p_at timestamptz, p_deadline_at timestamptz)
  RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO {schema}.pending_steps AS s (env, step_id, run_id, position, request_sequence, name, grp, attempt,
      next_at, deadline_at)
  VALUES (p_env, p_step_id, p_run_id, p_position, p_sequence, p_name, p_grp, p_attempt, p_at, p_deadline_at)
  ON CONFLICT (env, step_id) DO UPDATE SET request_sequence = excluded.request_sequence, name = excluded.name,
    grp = excluded.grp, attempt = excluded.attempt, next_at = excluded.next_at,
    deadline_at = excluded.deadline_at, dispatched_at = NULL, last_result_at = NULL, claim_token = NULL,
    run_ended = false;
  RETURN true;
END $$;

CREATE FUNCTION {schema}.complete_step(p_env integer, p_step_id text)
  RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM {schema}.pending_steps WHERE env = p_env AND step_id = p_step_id;
  RETURN true;
END $$;

CREATE FUNCTION {schema}.end_steps(p_env integer, p_run_id text, p_at timestamptz)
  RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE {schema}.pending_steps SET run_ended = true, next_at = p_at, claim_token = NULL
  WHERE env = p_env AND position >= 0 AND run_id = p_run_id;
  RETURN true;
END $$;
