-- fragment: claimed_runs_by_key
-- How many rows are changed at once, each by its key. A server before PostgreSQL 17 is sent what says so in its name:
-- it reads an index by its first column alone, and compares the keys with each row that has it, where that looks cheaper
-- than a search for each key, as it does for an empty table. One of 17 reads neighbouring keys at once.
WHERE a.env = :env AND a.run_id = ANY (ARRAY(SELECT c.run_id FROM c))

-- fragment: claimed_runs_by_key_before_17
FROM (SELECT :env::integer AS env, c.run_id FROM c OFFSET 0) k
  WHERE {env_of_key} AND a.run_id = k.run_id

-- fragment: ended_runs_by_key
WHERE a.env = :env AND a.run_id = ANY (ARRAY(SELECT l.run_id FROM l))

-- fragment: ended_runs_by_key_before_17
USING (SELECT :env::integer AS env, l.run_id FROM l OFFSET 0) k
  WHERE {env_of_key} AND a.run_id = k.run_id

-- fragment: terminal_runs_by_key
WHERE a.env = :env AND a.run_id = ANY (ARRAY(SELECT l.run_id FROM l WHERE l.terminal))

-- fragment: terminal_runs_by_key_before_17
USING (SELECT :env::integer AS env, l.run_id FROM l WHERE l.terminal OFFSET 0) k
  WHERE {env_of_key} AND a.run_id = k.run_id

-- fragment: claimed_messages_by_key
WHERE a.env = :env AND a.message_id = ANY (ARRAY(SELECT c.message_id FROM c))

-- fragment: claimed_messages_by_key_before_17
FROM (SELECT :env::integer AS env, c.message_id FROM c OFFSET 0) k
  WHERE {env_of_key} AND a.message_id = k.message_id

-- fragment: published_messages_by_key
WHERE a.env = :env AND a.message_id = ANY (ARRAY(
    SELECT l.message_id FROM l LEFT JOIN refused r USING (call) WHERE r.call IS NULL))

-- fragment: published_messages_by_key_before_17
USING (SELECT :env::integer AS env, l.message_id FROM l LEFT JOIN refused r USING (call) WHERE r.call IS NULL
    OFFSET 0) k
  WHERE {env_of_key} AND a.message_id = k.message_id

-- fragment: claimed_steps_by_key
WHERE a.env = :env AND a.step_id = ANY (ARRAY(SELECT c.step_id FROM c))

-- fragment: claimed_steps_by_key_before_17
FROM (SELECT :env::integer AS env, c.step_id FROM c OFFSET 0) k
  WHERE {env_of_key} AND a.step_id = k.step_id

-- fragment: env_of_key
-- Rows a are changed by their keys, which stand in a subquery k together with the environment. Compared as here, the
-- environment is no condition that an index is read by alone, nor one to join by: what is left, whatever was known of the
-- table when the plan was made, is a probe for each key.
a.env = ANY (ARRAY[k.env])
