-- A claim looks only for the tasks that its process has, so the runs it may take stand together in an index of
-- their own: with the index that begins with the due time, a backlog of another task is walked on every claim.
-- The older two stay: scans that ask for no task follow them, and so do claims of the release before. On a
-- table that is not small they are made after the start of a process, concurrently, since nobody can write
-- while an index is made here; until then claims are right but walk.
DO $$
BEGIN
  IF pg_relation_size('{schema}.active_runs') < 64 * 1024 * 1024 THEN
    CREATE INDEX active_runs_due_task ON {schema}.active_runs (env, queue, task_id, kind, due_at, run_id)
      WHERE partition IS NULL;
    CREATE INDEX active_runs_due_task_bounded
      ON {schema}.active_runs (env, queue, partition, occupies, task_id, due_at, run_id)
      WHERE partition IS NOT NULL;
  END IF;
END $$;

-- Whether a queue is bounded, as the process that looked last was told: for whoever creates a run without naming
-- the queue's policy. Written when that changes, never by a creation.
CREATE TABLE {schema}.queue_bindings (
  env integer NOT NULL,
  queue text COLLATE "C" NOT NULL,
  bounded boolean NOT NULL,
  CONSTRAINT queue_bindings_pkey PRIMARY KEY (env, queue)
);
