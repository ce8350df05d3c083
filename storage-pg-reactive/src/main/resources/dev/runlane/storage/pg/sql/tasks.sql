-- name: publish_tasks
-- Rows are locked in the order of their ids, so that two processes do not wait for each other in a circle; of those to
-- forget, ones that somebody else is changing are passed over. A process that has no handler never replaces another that
-- has, nor an earlier one a later, unless that has not been published again for two of its intervals.
WITH old AS MATERIALIZED (
  SELECT o.task_id FROM {schema}.known_tasks o
  WHERE o.env = :env AND o.published_at < :kept_from AND o.task_id <> ALL (:task_ids::text[])
  ORDER BY o.task_id LIMIT 100 FOR UPDATE SKIP LOCKED
), forgotten AS (
  DELETE FROM {schema}.known_tasks a USING (SELECT :env::integer AS env, old.task_id FROM old OFFSET 0) k
  WHERE {env_of_key} AND a.task_id = k.task_id
)
INSERT INTO {schema}.known_tasks AS k
  (env, task_id, queue, has_handler, payload_type, payload_schema, keys, idempotency_ttl,
    refuses_other_payload, tag_names, process_id, started_at, published_at)
SELECT :env, t.task_id, t.queue, t.has_handler, t.payload_type, t.payload_schema, t.keys::text[], t.idempotency_ttl,
  t.refuses_other_payload, string_to_array(t.tag_names, ':'), :process_id, :started_at, :now
FROM unnest(:task_ids::text[], :queues::text[], :handled::boolean[], :payload_types::text[],
    :payload_schemas::text[], :key_lists::text[], :idempotency_ttls::text[], :refusing::boolean[],
    :tag_name_lists::text[])
  AS t(task_id, queue, has_handler, payload_type, payload_schema, keys, idempotency_ttl, refuses_other_payload,
    tag_names)
ORDER BY t.task_id COLLATE "C"
ON CONFLICT (env, task_id) DO UPDATE SET queue = excluded.queue, has_handler = excluded.has_handler,
    payload_type = excluded.payload_type, payload_schema = excluded.payload_schema, keys = excluded.keys,
    idempotency_ttl = excluded.idempotency_ttl, refuses_other_payload = excluded.refuses_other_payload,
    tag_names = excluded.tag_names,
    process_id = excluded.process_id, started_at = excluded.started_at, published_at = excluded.published_at
  WHERE k.process_id = excluded.process_id
    OR (excluded.has_handler, excluded.started_at) >= (k.has_handler, k.started_at)
    OR k.published_at < :stale_before

-- fragment: known_task_rows
SELECT k.task_id, k.queue, k.has_handler, k.payload_type, k.payload_schema, k.keys, k.idempotency_ttl,
  k.refuses_other_payload, k.tag_names, k.process_id, k.started_at, k.published_at
FROM {schema}.known_tasks k

-- name: list_tasks
{known_task_rows}
WHERE k.env = :env AND (:after_id::text IS NULL OR k.task_id > :after_id)
ORDER BY k.task_id LIMIT :limit

-- name: find_task
{known_task_rows}
WHERE k.env = :env AND k.task_id = :task_id AND (:after_id::text IS NULL OR k.task_id > :after_id)
