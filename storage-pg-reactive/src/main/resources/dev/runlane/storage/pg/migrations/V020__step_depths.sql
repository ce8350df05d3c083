-- How many remote steps wait for the workers of each group, counted with the rest of a sample. Columns with a default
-- that is no expression: the one row of an environment is not rewritten, and a process of the release before leaves them
-- as they are.
ALTER TABLE {schema}.depth_samples
  ADD COLUMN step_groups text[] NOT NULL DEFAULT '{}',
  ADD COLUMN steps_waiting bigint[] NOT NULL DEFAULT '{}',
  ADD COLUMN steps_oldest timestamptz[] NOT NULL DEFAULT '{}';
