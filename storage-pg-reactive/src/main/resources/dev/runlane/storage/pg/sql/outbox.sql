-- fragment: claimed_messages
-- Claims what is chosen and answers it, in the order of what was due longest.
u AS (
  UPDATE {schema}.outbox_messages a SET status = 'claimed', next_at = :expires_at, claim_token = :token
  {claimed_messages_by_key}
  RETURNING a.message_id, run_id, queue, requested_at, available_at, next_at, failed_publishes, trace_carrier
)
SELECT u.message_id, u.run_id, u.queue, u.requested_at, u.available_at, u.next_at, u.failed_publishes, u.trace_carrier,
  coalesce((SELECT r.concurrency_key FROM {schema}.active_runs r WHERE r.env = :env AND r.run_id = u.run_id),
    (SELECT t.concurrency_key FROM {schema}.terminal_runs t WHERE t.env = :env AND t.run_id = u.run_id))
FROM u JOIN c USING (message_id) ORDER BY c.due_at, u.message_id

-- name: claim_outbox_messages
-- Gives up to :limit due messages to claim token :token until :expires_at. A message another publisher holds is
-- skipped, never waited for; an expired claim counts as due, from its end on. Answered in the order of what was due
-- longest.
WITH c AS MATERIALIZED (
  SELECT o.message_id, o.next_at AS due_at FROM {schema}.outbox_messages o
  WHERE o.env = :env AND o.failed_publishes >= 0 AND o.next_at <= :now
  ORDER BY o.next_at, o.message_id LIMIT :limit FOR UPDATE SKIP LOCKED
), {claimed_messages}

-- name: claim_named_outbox_messages
-- As claim_outbox_messages, of these messages only.
WITH c AS MATERIALIZED (
  SELECT o.message_id, o.due_at FROM unnest(:message_ids::text[]) AS p(message_id) CROSS JOIN LATERAL (
    SELECT m.message_id, m.next_at AS due_at FROM {schema}.outbox_messages m
    WHERE m.env = :env AND m.message_id = p.message_id AND m.next_at <= :now
    LIMIT 1 FOR UPDATE SKIP LOCKED) o
  ORDER BY o.due_at, o.message_id LIMIT :limit
), {claimed_messages}

-- name: mark_published
-- Deletes published messages. Calls are numbered: a call of which any message is not claimed with its token
-- deletes nothing. Answers the calls that were refused.
WITH p AS MATERIALIZED (
  SELECT * FROM unnest(:calls::integer[], :message_ids::text[], :tokens::text[]) AS p(call, message_id, token)
  ORDER BY message_id
), l AS MATERIALIZED (
  SELECT p.call, o.message_id FROM p LEFT JOIN LATERAL (
    SELECT m.message_id FROM {schema}.outbox_messages m
    WHERE m.env = :env AND m.message_id = p.message_id AND m.claim_token = p.token AND m.status = 'claimed'
    LIMIT 1 FOR UPDATE) o ON true
), refused AS MATERIALIZED (
  SELECT DISTINCT call FROM l WHERE message_id IS NULL
), gone AS (
  DELETE FROM {schema}.outbox_messages a {published_messages_by_key}
)
SELECT call FROM refused

-- name: mark_failed
-- Records failed publishes: to be claimed again from next_at on, or dead-lettered. One that is not counted adds nothing
-- to those of its message, which are 1 at least: the index of failed messages has those alone. Refuses calls as
-- mark_published does.
WITH p AS MATERIALIZED (
  SELECT * FROM unnest(:message_ids::text[], :tokens::text[], :statuses::text[], :next_times::timestamptz[],
      :failure_records::text[], :counted::boolean[])
    AS p(message_id, token, status, next_at, failure, counted)
  ORDER BY message_id
), l AS MATERIALIZED (
  SELECT p.*, o.run_id, o.sequence, o.failed_publishes FROM p LEFT JOIN LATERAL (
    SELECT m.run_id, m.sequence, m.failed_publishes FROM {schema}.outbox_messages m
    WHERE m.env = :env AND m.message_id = p.message_id AND m.claim_token = p.token AND m.status = 'claimed'
    LIMIT 1 FOR UPDATE) o ON true
), u AS (
  INSERT INTO {schema}.outbox_messages AS o (env, run_id, sequence, message_id, queue, status, requested_at,
      available_at, next_at, failed_publishes, failure)
  SELECT :env, run_id, sequence, message_id, '', status, next_at, next_at, next_at,
    CASE WHEN counted THEN failed_publishes + 1 ELSE greatest(failed_publishes, 1) END, failure
  FROM l
  WHERE (SELECT count(*) FROM l WHERE run_id IS NULL) = 0
  ON CONFLICT (env, message_id) DO UPDATE
    SET status = excluded.status, available_at = excluded.available_at, next_at = excluded.next_at,
      claim_token = NULL, failed_publishes = excluded.failed_publishes, failure = excluded.failure
)
SELECT message_id FROM l WHERE run_id IS NULL
