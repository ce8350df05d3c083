-- name: upsert_schedule
-- The last to write wins. Fire and count stay where the repetition is the one that is stored.
INSERT INTO {schema}.job_schedules AS s (queue, key, name, data, options, repeat, next_at, fired, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $8)
ON CONFLICT (queue, key) DO UPDATE SET name = excluded.name, data = excluded.data, options = excluded.options,
  repeat = excluded.repeat, updated_at = excluded.updated_at,
  next_at = CASE WHEN s.repeat = excluded.repeat THEN s.next_at ELSE excluded.next_at END,
  fired = CASE WHEN s.repeat = excluded.repeat THEN s.fired ELSE 0 END
RETURNING {columns}

-- name: get_schedule
SELECT {columns} FROM {schema}.job_schedules WHERE queue = $1 AND key = $2

-- name: list_schedules
SELECT {columns} FROM {schema}.job_schedules WHERE queue = $1 ORDER BY key

-- name: remove_schedule
DELETE FROM {schema}.job_schedules WHERE queue = $1 AND key = $2

-- name: due_schedules
SELECT {columns} FROM {schema}.job_schedules
WHERE queue = $1 AND next_at IS NOT NULL AND next_at <= $2 ORDER BY next_at, key LIMIT $3

-- name: next_schedule
SELECT next_at FROM {schema}.job_schedules
WHERE queue = $1 AND next_at IS NOT NULL ORDER BY next_at LIMIT 1

-- name: fire_schedule
-- Moves a schedule on if its next fire is still $3: of competing calls the first, which holds the row.
UPDATE {schema}.job_schedules SET next_at = $4, fired = fired + 1, last_fired_at = $3
WHERE queue = $1 AND key = $2 AND next_at = $3

-- name: name_fired_job
UPDATE {schema}.job_schedules SET last_job_id = $3 WHERE queue = $1 AND key = $2
