-- A run that was released to await its steps becomes due with the first result, so what it awaits is kept
-- beside its due time. It is looked at only while the run is released: a process of the release before, which
-- does not know the column, may claim such a run and leaves it as it is. The constraint holds for every row
-- written from now on; all others are null, so no scan of the table is needed while it is locked.
ALTER TABLE {schema}.active_runs ADD COLUMN awaiting text COLLATE "C";
ALTER TABLE {schema}.active_runs ADD CONSTRAINT active_runs_awaiting CHECK (awaiting IN ('steps')) NOT VALID;
