-- Since when a partition was seen without any run that has not ended; null while it has some. Its row is removed a day
-- later at the earliest, by the removal of old runs: a queue with a concurrency key for each customer or order would
-- keep a row of each for ever. Processes that don't know the column remember rows that they made; they are upgraded
-- by then.
ALTER TABLE {schema}.queue_capacity ADD COLUMN idle_since timestamptz;
