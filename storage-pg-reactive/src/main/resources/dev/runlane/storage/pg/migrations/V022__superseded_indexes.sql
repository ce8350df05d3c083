-- The indexes of due runs that begin with the due time are followed by no statement of this release: those that ask for
-- no task go from task to task along the other two, so every run is written to one index less at its creation and at each
-- claim. Processes of the release before, which follow them still, do not say which schema they know. While one of those
-- lives, or the other two are not made yet, the indexes stay here: a process of this release drops them later, beside
-- readers and writers.
ALTER TABLE {schema}.live_processes ADD COLUMN schema_version integer;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM {schema}.live_processes
      WHERE schema_version IS NULL AND last_seen > now() - interval '1 minute') THEN
    IF EXISTS (SELECT FROM pg_index WHERE indisvalid
        AND indexrelid = to_regclass('{schema}.active_runs_due_task')) THEN
      DROP INDEX IF EXISTS {schema}.active_runs_due;
    END IF;
    IF EXISTS (SELECT FROM pg_index WHERE indisvalid
        AND indexrelid = to_regclass('{schema}.active_runs_due_task_bounded')) THEN
      DROP INDEX IF EXISTS {schema}.active_runs_due_bounded;
    END IF;
  END IF;
END $$;

-- A claimed run stays on its page more often: where it does not, its row is logged whole and its lock once more.
ALTER TABLE {schema}.active_runs SET (fillfactor = 45);
