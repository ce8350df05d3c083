-- Failed and dead-lettered messages, for lists of them: what waits for its time may be a million rows beside them. No
-- message that is published as it should has an entry. On a table that is not small it is made after the start of a
-- process, concurrently, since nobody can write while an index is made here; until then the lists are right but walk.
DO $$
BEGIN
  IF pg_relation_size('{schema}.outbox_messages') < 64 * 1024 * 1024 THEN
    CREATE INDEX outbox_messages_failed ON {schema}.outbox_messages (env, status, message_id)
      WHERE failed_publishes > 0;
  END IF;
END $$;
