-- What a later release may do to tables that are read and written all the time.
ALTER TABLE {schema}.active_runs ADD COLUMN promised integer;
ALTER TABLE {schema}.active_runs ADD CONSTRAINT active_runs_promised CHECK (promised > 0) NOT VALID;
ALTER TABLE {schema}.run_events ADD COLUMN promised integer;
