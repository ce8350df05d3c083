-- Operators see how far the clock of each process is from the database's; null where an older release writes the row.
ALTER TABLE {schema}.live_processes ADD COLUMN clock_offset_millis bigint;
