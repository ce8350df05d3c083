-- Notices are written by whoever looks at a schedule, so the schedule says what was told of already: told_seq is the
-- latest entry of the history that was, told_attention the latest run of which somebody heard that it needs a person.
ALTER TABLE {schema}.connector_schedules
  ADD COLUMN told_seq bigint NOT NULL DEFAULT 0,
  ADD COLUMN told_attention text COLLATE "C";

UPDATE {schema}.connector_schedules s SET told_seq = t.last_history_seq, told_attention = s.attention_run_id
FROM {schema}.scheduler_last_run_times t
WHERE t.env = s.env AND t.connector_instance_id = s.connector_instance_id AND t.last_history_seq IS NOT NULL;
