-- The id of a run that was pruned may be used again. The end of the later run takes the place of an end of the earlier one
-- that is left to tell, whoever holds that; it was passed over, and nobody was told of the later run. A function only:
-- nobody waits for a lock, and the trigger that calls it, where there is one, stays.
CREATE OR REPLACE FUNCTION {schema}.record_webhook_ends() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO {schema}.webhook_deliveries AS d (env, webhook_id, run_id, status, ended_at, next_at)
  SELECT n.env, w.webhook_id, n.run_id, n.status, n.updated_at, n.updated_at
  FROM ended n JOIN {schema}.webhooks w ON w.env = n.env
  WHERE w.last_seen >= n.updated_at - interval '7 days'
    AND (cardinality(w.statuses) = 0 OR n.status = ANY (w.statuses))
    AND (cardinality(w.task_ids) = 0 OR n.task_id = ANY (w.task_ids))
    AND (cardinality(w.queues) = 0 OR n.queue = ANY (w.queues))
    AND NOT EXISTS (SELECT 1 FROM unnest(w.tag_names, w.tag_values) AS t(name, value)
      WHERE NOT EXISTS (SELECT 1 FROM {schema}.run_tags g
        WHERE g.env = n.env AND g.run_id = n.run_id AND g.name = t.name AND g.value = t.value))
  ORDER BY n.run_id, w.webhook_id
  ON CONFLICT (run_id, webhook_id, env) DO UPDATE SET status = excluded.status, ended_at = excluded.ended_at,
    next_at = excluded.next_at, tries = 0, claim_token = NULL;
  RETURN NULL;
END $$;
