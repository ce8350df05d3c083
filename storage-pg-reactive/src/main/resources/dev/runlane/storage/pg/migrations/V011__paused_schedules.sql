-- Operators pause schedules. Processes of the release before do not read these columns, and go on making runs. All are
-- null at first, so no row is written, and the table has one row a schedule.
ALTER TABLE {schema}.schedules
  ADD COLUMN paused_at timestamptz,
  ADD COLUMN pause_actor_type text COLLATE "C",
  ADD COLUMN pause_actor_id text,
  ADD COLUMN pause_reason text,
  ADD COLUMN resumed_at timestamptz;
