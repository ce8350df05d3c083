-- fragment: waiting_steps
-- With the event that asked for each, for when that was; it is missing where an older release has left a row behind.
FROM {schema}.pending_steps s
  JOIN {schema}.environments v ON v.env = s.env
  LEFT JOIN {schema}.run_events e ON e.env = s.env AND e.run_id = s.run_id AND e.sequence = s.request_sequence

-- name: groups
SELECT s.grp, count(*) AS waiting, count(*) FILTER (WHERE s.dispatched_at IS NOT NULL) AS dispatched,
  max(s.attempt) AS attempt, min(e.occurred_at) AS oldest, min(s.deadline_at) AS deadline
{waiting_steps}
WHERE v.environment_key = :environment AND NOT s.run_ended
GROUP BY s.grp ORDER BY s.grp COLLATE "C"

-- name: steps
SELECT s.step_id, s.run_id, s.name, s.grp, s.attempt, s.dispatched_at, s.next_at, s.deadline_at, e.occurred_at, s.run_ended
{waiting_steps}
WHERE v.environment_key = :environment
  AND (:run_id::text IS NULL OR (s.run_id = :run_id AND s.position >= 0))
  AND (:grp::text IS NULL OR s.grp = :grp)
  AND (:after_id::text IS NULL OR s.step_id > :after_id)
ORDER BY s.step_id LIMIT :limit
