-- name: register_job_webhooks
-- What is told of, by :webhook_ids; JSON lists, each of one webhook. Forgets those that nobody registered since
-- :kept_from, for which no end has been recorded since: at most :most of what each is owed, what somebody holds passed
-- over, and itself once nothing is left. Rows in the order of their ids.
WITH old AS MATERIALIZED (
  SELECT w.webhook_id, (SELECT 1 FROM {schema}.job_webhook_deliveries d
    WHERE d.webhook_id = w.webhook_id LIMIT 1) IS NOT NULL AS is_owed
  FROM {schema}.job_webhooks w WHERE w.last_seen < :kept_from AND w.webhook_id <> ALL (:webhook_ids::text[])
), gone AS (
  DELETE FROM {schema}.job_webhooks
  WHERE webhook_id = ANY (ARRAY(SELECT o.webhook_id FROM old o WHERE NOT o.is_owed)) AND last_seen < :kept_from
), dropped AS (
  DELETE FROM {schema}.job_webhook_deliveries WHERE ctid = ANY (ARRAY(
    SELECT l.place FROM old o CROSS JOIN LATERAL (
      SELECT d.ctid AS place FROM {schema}.job_webhook_deliveries d
      WHERE d.webhook_id = o.webhook_id LIMIT :most FOR UPDATE SKIP LOCKED) l
    WHERE o.is_owed))
)
INSERT INTO {schema}.job_webhooks (webhook_id, states, queues, names, last_seen)
SELECT w.webhook_id,
  ARRAY(SELECT json_array_elements_text(w.filter::json -> 'states')),
  ARRAY(SELECT json_array_elements_text(w.filter::json -> 'queues')),
  ARRAY(SELECT json_array_elements_text(w.filter::json -> 'names')), :now
FROM unnest(:webhook_ids::text[], :filters::text[]) AS w(webhook_id, filter)
ORDER BY w.webhook_id COLLATE "C"
ON CONFLICT (webhook_id) DO UPDATE
  SET states = excluded.states, queues = excluded.queues, names = excluded.names,
    last_seen = GREATEST({schema}.job_webhooks.last_seen, excluded.last_seen)

-- name: watch_job_ends
SELECT {schema}.watch_job_ends()

-- name: claim_job_deliveries
-- Of each webhook along the index of due ones; what somebody else is claiming is passed over. Locked rows stay where
-- they are until they are updated.
WITH c AS MATERIALIZED (
  SELECT l.place, l.id, l.next_at
  FROM (SELECT DISTINCT h.webhook_id FROM unnest(:webhook_ids::text[]) AS h(webhook_id)) w CROSS JOIN LATERAL (
    SELECT d.ctid AS place, d.id, d.next_at FROM {schema}.job_webhook_deliveries d
    WHERE d.webhook_id = w.webhook_id AND d.next_at <= :now
    ORDER BY d.next_at LIMIT :limit FOR UPDATE SKIP LOCKED) l
  ORDER BY l.next_at LIMIT :limit
), u AS (
  UPDATE {schema}.job_webhook_deliveries SET next_at = :claim_until, claim_token = :token, tries = tries + 1
  WHERE ctid = ANY (ARRAY(SELECT c.place FROM c))
  RETURNING id, webhook_id, queue, job_id, name, state, created_at, ended_at, attempts_made, cancelled, tries
)
SELECT u.id, u.webhook_id, u.queue, u.job_id, u.name, u.state, u.created_at, u.ended_at, u.attempts_made, u.cancelled,
  u.tries
FROM u JOIN c USING (id) ORDER BY c.next_at

-- name: finish_job_deliveries
-- Those that the claim still holds, each by its key: without a time they are done with.
WITH f AS MATERIALIZED (
  SELECT h.place, w.next_at
  FROM unnest(:ids::text[], :next_times::timestamptz[]) AS w(id, next_at)
  CROSS JOIN LATERAL (
    SELECT d.ctid AS place FROM {schema}.job_webhook_deliveries d
    WHERE d.id = w.id AND d.claim_token = :token LIMIT 1 FOR UPDATE) h
), gone AS (
  DELETE FROM {schema}.job_webhook_deliveries WHERE ctid = ANY (ARRAY(SELECT f.place FROM f WHERE f.next_at IS NULL))
)
UPDATE {schema}.job_webhook_deliveries d SET next_at = (SELECT f.next_at FROM f WHERE f.place = d.ctid),
  claim_token = NULL
WHERE d.ctid = ANY (ARRAY(SELECT f.place FROM f WHERE f.next_at IS NOT NULL))
