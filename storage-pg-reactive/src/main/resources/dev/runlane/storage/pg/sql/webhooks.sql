-- name: register_webhooks
-- What is told of, by :webhook_ids; texts of arrays, as Postgres reads them. Forgets those that nobody registered since
-- :kept_from, for which no end has been recorded since: at most :most of what each is owed, what somebody holds passed
-- over, and itself once nothing is left. Rows in the order of their ids.
WITH old AS MATERIALIZED (
  SELECT w.webhook_id, (SELECT 1 FROM {schema}.webhook_deliveries d
    WHERE d.env = :env AND d.webhook_id = w.webhook_id ORDER BY d.next_at LIMIT 1) IS NOT NULL AS is_owed
  FROM {schema}.webhooks w
  WHERE w.env = :env AND w.last_seen < :kept_from AND w.webhook_id <> ALL (:webhook_ids::text[])
), gone AS (
  DELETE FROM {schema}.webhooks
  WHERE env = :env AND webhook_id = ANY (ARRAY(SELECT o.webhook_id FROM old o WHERE NOT o.is_owed))
    AND last_seen < :kept_from
), dropped AS (
  DELETE FROM {schema}.webhook_deliveries WHERE ctid = ANY (ARRAY(
    SELECT l.place FROM old o CROSS JOIN LATERAL (
      SELECT d.ctid AS place FROM {schema}.webhook_deliveries d
      WHERE d.env = :env AND d.webhook_id = o.webhook_id ORDER BY d.next_at LIMIT :most FOR UPDATE SKIP LOCKED) l
    WHERE o.is_owed))
)
INSERT INTO {schema}.webhooks (env, webhook_id, statuses, task_ids, queues, tag_names, tag_values, last_seen)
SELECT :env, w.webhook_id,
  ARRAY(SELECT json_array_elements_text(w.filter::json -> 'statuses')),
  ARRAY(SELECT json_array_elements_text(w.filter::json -> 'taskIds')),
  ARRAY(SELECT json_array_elements_text(w.filter::json -> 'queues')),
  ARRAY(SELECT json_array_elements_text(w.filter::json -> 'names')),
  ARRAY(SELECT json_array_elements_text(w.filter::json -> 'values')), :now
FROM unnest(:webhook_ids::text[], :filters::text[]) AS w(webhook_id, filter) ORDER BY w.webhook_id
ON CONFLICT (env, webhook_id) DO UPDATE
  SET statuses = excluded.statuses, task_ids = excluded.task_ids, queues = excluded.queues,
    tag_names = excluded.tag_names, tag_values = excluded.tag_values,
    last_seen = GREATEST({schema}.webhooks.last_seen, excluded.last_seen)

-- name: watch_ends
SELECT {schema}.watch_ends()

-- name: claim_webhook_deliveries
-- Of each webhook along the index of due ones; what somebody else is claiming is passed over. Locked rows stay where they
-- are until they are updated.
WITH c AS MATERIALIZED (
  SELECT l.place, l.run_id, l.webhook_id, l.next_at
  FROM (SELECT DISTINCT h.webhook_id FROM unnest(:webhook_ids::text[]) AS h(webhook_id)) w CROSS JOIN LATERAL (
    SELECT d.ctid AS place, d.run_id, d.webhook_id, d.next_at FROM {schema}.webhook_deliveries d
    WHERE d.env = :env AND d.webhook_id = w.webhook_id AND d.next_at <= :now
    ORDER BY d.next_at LIMIT :limit FOR UPDATE SKIP LOCKED) l
  ORDER BY l.next_at, l.run_id LIMIT :limit
), u AS (
  UPDATE {schema}.webhook_deliveries SET next_at = :claim_until, claim_token = :token, tries = tries + 1
  WHERE ctid = ANY (ARRAY(SELECT c.place FROM c))
  RETURNING webhook_id, run_id, status, ended_at, tries
)
SELECT u.webhook_id, u.run_id, u.status, u.ended_at, u.tries FROM u JOIN c USING (webhook_id, run_id)
ORDER BY c.next_at, u.run_id

-- name: finish_webhook_deliveries
-- Those that the claim still holds, each by its key: without a time they are done with.
WITH f AS MATERIALIZED (
  SELECT h.place, w.next_at
  FROM unnest(:webhook_ids::text[], :run_ids::text[], :next_times::timestamptz[]) AS w(webhook_id, run_id, next_at)
  CROSS JOIN LATERAL (
    SELECT d.ctid AS place FROM {schema}.webhook_deliveries d
    WHERE d.env = :env AND d.webhook_id = w.webhook_id AND d.run_id = w.run_id AND d.claim_token = :token
    LIMIT 1 FOR UPDATE) h
), gone AS (
  DELETE FROM {schema}.webhook_deliveries WHERE ctid = ANY (ARRAY(SELECT f.place FROM f WHERE f.next_at IS NULL))
)
UPDATE {schema}.webhook_deliveries d SET next_at = (SELECT f.next_at FROM f WHERE f.place = d.ctid), claim_token = NULL
WHERE d.ctid = ANY (ARRAY(SELECT f.place FROM f WHERE f.next_at IS NOT NULL))
