-- fragment: schedule_columns
queue, key, name, data, options, repeat, next_at, fired, last_fired_at, last_job_id, created_at, updated_at

-- name: upsert_schedule
-- The last to write wins. Fire and count stay where the repetition is the one that is stored.
INSERT INTO {schema}.job_schedules AS s (queue, key, name, data, options, repeat, next_at, fired, created_at,
    updated_at)
VALUES (:queue, :key, :name, :data, :options, :repeat, :next_at, 0, :now, :now)
ON CONFLICT (queue, key) DO UPDATE SET name = excluded.name, data = excluded.data, options = excluded.options,
  repeat = excluded.repeat, updated_at = excluded.updated_at,
  next_at = CASE WHEN s.repeat = excluded.repeat THEN s.next_at ELSE excluded.next_at END,
  fired = CASE WHEN s.repeat = excluded.repeat THEN s.fired ELSE 0 END
RETURNING {schedule_columns}

-- name: get_schedule
SELECT {schedule_columns} FROM {schema}.job_schedules WHERE queue = :queue AND key = :key

-- name: list_schedules
SELECT {schedule_columns} FROM {schema}.job_schedules WHERE queue = :queue ORDER BY key

-- name: list_schedule_summaries
-- The same columns, without what may be large.
SELECT queue, key, name, 'null'::text, options, repeat, next_at, fired, last_fired_at, last_job_id, created_at, updated_at
FROM {schema}.job_schedules WHERE queue = :queue ORDER BY key

-- name: remove_schedule
DELETE FROM {schema}.job_schedules WHERE queue = :queue AND key = :key

-- name: due_schedules
SELECT {schedule_columns} FROM {schema}.job_schedules
WHERE queue = :queue AND next_at IS NOT NULL AND next_at <= :now ORDER BY next_at, key LIMIT :limit

-- name: next_schedule
SELECT next_at FROM {schema}.job_schedules
WHERE queue = :queue AND next_at IS NOT NULL ORDER BY next_at LIMIT 1

-- name: fire_schedule
-- Moves a schedule on if its next fire is still :due_at: of competing calls the first, which holds the row. One that
-- was said to repeat otherwise since it was listed goes on by that, though it may be due at the same instant. Compared
-- in a way that no index serves but that of the key: many may be due at one instant.
UPDATE {schema}.job_schedules SET next_at = :next_at, fired = fired + 1, last_fired_at = :due_at
WHERE queue = :queue AND key = :key AND (next_at, repeat) IS NOT DISTINCT FROM (:due_at::timestamptz, :repeat::text)

-- name: name_fired_job
UPDATE {schema}.job_schedules SET last_job_id = :job_id WHERE queue = :queue AND key = :key
