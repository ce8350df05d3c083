-- Operators see how far the consumers of a topic are behind: each process tells it of its own partitions with its sign
-- of life. Columns with a default that is no expression: nothing is rewritten, and a process of the release before,
-- which does not name them, tells of none.
ALTER TABLE {schema}.live_processes
  ADD COLUMN lag_topics text[] NOT NULL DEFAULT '{}',
  ADD COLUMN lag_groups text[] NOT NULL DEFAULT '{}',
  ADD COLUMN lag_partitions integer[] NOT NULL DEFAULT '{}',
  ADD COLUMN lag_queues text[] NOT NULL DEFAULT '{}',
  ADD COLUMN lag_records bigint[] NOT NULL DEFAULT '{}';
