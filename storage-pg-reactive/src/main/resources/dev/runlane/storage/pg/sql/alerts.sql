-- name: put_document
-- Insert and update are one statement, so that of many that expect the same version one wins. A version is only ever
-- found by the update: an insert would make anew what somebody removes meanwhile.
WITH changed AS (
  UPDATE {schema}.operator_documents SET version = version + 1, content = :content, actor_type = :actor_type,
    actor_id = :actor_id, changed_at = :now
  WHERE env = :env AND kind = :kind AND name = :name AND version = :expected::bigint
  RETURNING version
), made AS (
  INSERT INTO {schema}.operator_documents AS d (env, kind, name, version, content, actor_type, actor_id, changed_at)
  SELECT :env, :kind, :name, 1, :content, :actor_type, :actor_id, :now
  WHERE coalesce(:expected::bigint, 0) = 0
  ON CONFLICT (env, kind, name) DO UPDATE SET version = d.version + 1, content = excluded.content,
      actor_type = excluded.actor_type, actor_id = excluded.actor_id, changed_at = excluded.changed_at
    WHERE :expected::bigint IS NULL
  RETURNING d.version
)
SELECT version FROM changed UNION ALL SELECT version FROM made

-- name: remove_document
DELETE FROM {schema}.operator_documents WHERE env = :env AND kind = :kind AND name = :name

-- name: list_documents
SELECT d.name, d.version, d.content, d.actor_type, d.actor_id, d.changed_at FROM {schema}.operator_documents d
WHERE d.env = :env AND d.kind = :kind AND (:after_name::text IS NULL OR d.name > :after_name)
ORDER BY d.name LIMIT :limit

-- name: list_occupied
-- The rows of one queue's partitions, of which those go that have held nothing for a day.
SELECT nullif(c.partition, ''), c.used FROM {schema}.queue_capacity c
WHERE c.env = :env AND c.queue = :queue AND c.used > 0
ORDER BY c.used DESC, c.partition LIMIT :limit

-- name: observe_alerts
-- What one rule finds: by the partial unique index, one open alert a subject, also where two processes tell at once.
-- Deliveries stay when they are done with, so that each is made once. Rows are locked by subject first, so that nobody
-- waits in a circle. An id that an alert has already opens none.
WITH held AS MATERIALIZED (
  SELECT a.alert_id, a.subject FROM {schema}.alerts a
  WHERE a.env = :env AND a.rule_id = :rule_id AND a.resolved_at IS NULL ORDER BY a.subject FOR UPDATE
), forgotten AS (
  DELETE FROM {schema}.alerts a WHERE a.env = :env AND a.resolved_at < :kept_from RETURNING a.alert_id
), untold AS (
  DELETE FROM {schema}.alert_deliveries d USING forgotten f WHERE d.env = :env AND d.alert_id = f.alert_id
), resolved AS (
  UPDATE {schema}.alerts a SET resolved_at = GREATEST(:now, a.last_seen_at)
  WHERE a.env = :env AND a.alert_id = ANY (ARRAY(
    SELECT h.alert_id FROM held h WHERE h.subject <> ALL (:subjects::text[])))
  RETURNING a.alert_id
), opened AS (
  INSERT INTO {schema}.alerts AS a (env, alert_id, rule_id, subject, summary, opened_at, last_seen_at)
  SELECT :env, f.alert_id, :rule_id, f.subject, f.summary, :now, :now
  FROM unnest(:alert_ids::text[], :subjects::text[], :summaries::text[]) AS f(alert_id, subject, summary)
  WHERE f.subject = ANY (ARRAY(SELECT h.subject FROM held h))
    OR NOT EXISTS (SELECT FROM {schema}.alerts k WHERE k.env = :env AND k.alert_id = f.alert_id)
  ORDER BY f.subject
  ON CONFLICT (env, rule_id, subject) WHERE resolved_at IS NULL DO UPDATE
    SET summary = excluded.summary, last_seen_at = GREATEST(a.last_seen_at, excluded.last_seen_at)
  RETURNING a.alert_id
)
INSERT INTO {schema}.alert_deliveries (env, alert_id, channel, change, next_at)
SELECT :env, o.alert_id, c.channel, 'opened', :now::timestamptz
FROM opened o CROSS JOIN (SELECT DISTINCT n.channel FROM unnest(:channels::text[]) AS n(channel)) c
UNION ALL
SELECT :env, r.alert_id, d.channel, 'resolved', :now::timestamptz
FROM resolved r JOIN {schema}.alert_deliveries d ON d.env = :env AND d.alert_id = r.alert_id AND d.change = 'opened'
ON CONFLICT DO NOTHING

-- name: list_alerts
SELECT a.alert_id, a.rule_id, a.subject, a.summary, a.opened_at, a.last_seen_at, a.resolved_at,
  (SELECT count(*)::integer FROM {schema}.alert_deliveries d
    WHERE d.env = a.env AND d.alert_id = a.alert_id AND d.next_at IS NOT NULL)
FROM {schema}.alerts a
WHERE a.env = :env AND (:rule_id::text IS NULL OR a.rule_id = :rule_id)
  AND (:is_open::boolean IS NULL OR (a.resolved_at IS NULL) = :is_open)
  AND (:after_time::timestamptz IS NULL OR (a.opened_at, a.alert_id) < (:after_time, :after_id))
ORDER BY a.opened_at DESC, a.alert_id DESC LIMIT :limit

-- name: claim_alert_deliveries
-- Of each channel along the index of due ones; what somebody else is claiming is passed over, as is an end while its
-- beginning is to be told.
WITH c AS MATERIALIZED (
  SELECT l.place, l.next_at, l.alert_id, l.channel, l.change
  FROM (SELECT DISTINCT h.channel FROM unnest(:channels::text[]) AS h(channel)) w CROSS JOIN LATERAL (
    SELECT d.ctid AS place, d.next_at, d.alert_id, d.channel, d.change FROM {schema}.alert_deliveries d
    WHERE d.env = :env AND d.channel = w.channel AND d.next_at <= :now
      AND (d.change = 'opened' OR NOT EXISTS (SELECT FROM {schema}.alert_deliveries o
        WHERE o.env = d.env AND o.alert_id = d.alert_id AND o.channel = d.channel AND o.change = 'opened'
          AND o.next_at IS NOT NULL))
    ORDER BY d.next_at LIMIT :limit FOR UPDATE SKIP LOCKED) l
  ORDER BY l.next_at, l.alert_id LIMIT :limit
), u AS (
  UPDATE {schema}.alert_deliveries SET next_at = :claim_until, claim_token = :token, tries = tries + 1
  WHERE ctid = ANY (ARRAY(SELECT c.place FROM c))
  RETURNING alert_id, channel, change, tries
)
SELECT a.alert_id, a.rule_id, a.subject, a.summary, a.opened_at, a.last_seen_at, a.resolved_at,
  (SELECT count(*)::integer FROM {schema}.alert_deliveries d
    WHERE d.env = a.env AND d.alert_id = a.alert_id AND d.next_at IS NOT NULL),
  u.channel, u.change, u.tries
FROM u JOIN c USING (alert_id, channel, change) JOIN {schema}.alerts a ON a.env = :env AND a.alert_id = u.alert_id
ORDER BY c.next_at, u.alert_id, u.channel, u.change

-- name: finish_alert_deliveries
-- Those that the claim still holds, each by its key: without a time they are done with.
UPDATE {schema}.alert_deliveries d SET next_at = w.next_at, claim_token = NULL
FROM unnest(:alert_ids::text[], :channels::text[], :changes::text[], :next_times::timestamptz[])
  AS w(alert_id, channel, change, next_at)
WHERE d.env = :env AND d.alert_id = w.alert_id AND d.channel = w.channel AND d.change = w.change
  AND d.claim_token = :token
