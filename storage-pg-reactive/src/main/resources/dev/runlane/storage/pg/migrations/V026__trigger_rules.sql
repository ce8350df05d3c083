-- What a task's code says of each trigger: how long an idempotency key is kept ('active', or a duration such as '30d'),
-- whether another payload under it is refused, and the names of the tags that it makes. So that a trigger by another
-- process goes as one by its own. A release that does not know the columns leaves them as they are: what was last said
-- of the task counts on. Three columns of a small table, without a rewrite: the lock is held for an instant.
ALTER TABLE {schema}.known_tasks
  ADD COLUMN idempotency_ttl text,
  ADD COLUMN refuses_other_payload boolean NOT NULL DEFAULT false,
  ADD COLUMN tag_names text[] NOT NULL DEFAULT '{}';
