-- name: fetch
-- Hands out up to $6 waiting jobs, best first. Jobs without and with a group are two ordered scans; what is locked
-- beyond the limit is let go with the statement. A row that somebody else holds is passed over, never waited for,
-- and a row that was taken meanwhile is not waiting any more when it is locked.
WITH paused AS MATERIALIZED (
  SELECT p.name FROM {schema}.job_pauses p WHERE p.queue = $1
), c AS MATERIALIZED (
  SELECT x.id FROM (
    SELECT a.id, a.priority, a.place FROM (
      SELECT j.id, j.priority, j.place FROM {schema}.jobs j
      WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NULL
        AND j.name <> ALL (ARRAY(SELECT p.name FROM paused p))
        AND NOT ('__all__' = ANY (ARRAY(SELECT p.name FROM paused p)))
        AND ($7::text IS NULL OR j.name = $7)
      ORDER BY j.priority, j.place LIMIT $6 FOR UPDATE SKIP LOCKED) a
    UNION ALL
    SELECT b.id, b.priority, b.place FROM (
      SELECT j.id, j.priority, j.place FROM {schema}.jobs j
      WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NOT NULL
        AND j.name <> ALL (ARRAY(SELECT p.name FROM paused p))
        AND NOT ('__all__' = ANY (ARRAY(SELECT p.name FROM paused p)))
        AND ($7::text IS NULL OR j.name = $7)
      ORDER BY j.priority, j.place LIMIT $6 FOR UPDATE SKIP LOCKED) b) x
  ORDER BY x.priority, x.place LIMIT $6
), u AS (
  UPDATE {schema}.jobs SET state = 'active', started_attempts = started_attempts + 1, processed_at = $2,
    lock_until = $3, locked_by = $4, lock_token = $5 || '_' || abs(place)
  WHERE queue = $1 AND id = ANY (ARRAY(SELECT c.id FROM c))
  RETURNING place, priority, {columns}
)
SELECT u.place, {u_columns} FROM u ORDER BY u.priority, u.place

-- name: fetch_last
-- As fetch, the last of each priority first: a loose scan walks the priorities from the lowest on, each backwards.
WITH RECURSIVE paused AS MATERIALIZED (
  SELECT p.name FROM {schema}.job_pauses p WHERE p.queue = $1
), priorities AS (
  SELECT (
    SELECT least(
      (SELECT j.priority FROM {schema}.jobs j WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NULL
       ORDER BY j.priority LIMIT 1),
      (SELECT j.priority FROM {schema}.jobs j WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NOT NULL
       ORDER BY j.priority LIMIT 1))) AS priority
  UNION ALL
  SELECT least(
      (SELECT j.priority FROM {schema}.jobs j WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NULL
         AND j.priority > p.priority ORDER BY j.priority LIMIT 1),
      (SELECT j.priority FROM {schema}.jobs j WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NOT NULL
         AND j.priority > p.priority ORDER BY j.priority LIMIT 1))
  FROM priorities p WHERE p.priority IS NOT NULL
), c AS MATERIALIZED (
  SELECT x.id FROM (SELECT p.priority FROM priorities p WHERE p.priority IS NOT NULL) q
  CROSS JOIN LATERAL (
    SELECT y.id FROM (
      SELECT a.id, a.place FROM (
        SELECT j.id, j.place FROM {schema}.jobs j
        WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NULL AND j.priority = q.priority
          AND j.name <> ALL (ARRAY(SELECT p.name FROM paused p))
          AND NOT ('__all__' = ANY (ARRAY(SELECT p.name FROM paused p)))
          AND ($7::text IS NULL OR j.name = $7)
        ORDER BY j.priority DESC, j.place DESC LIMIT $6 FOR UPDATE SKIP LOCKED) a
      UNION ALL
      SELECT b.id, b.place FROM (
        SELECT j.id, j.place FROM {schema}.jobs j
        WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NOT NULL AND j.priority = q.priority
          AND j.name <> ALL (ARRAY(SELECT p.name FROM paused p))
          AND NOT ('__all__' = ANY (ARRAY(SELECT p.name FROM paused p)))
          AND ($7::text IS NULL OR j.name = $7)
        ORDER BY j.priority DESC, j.place DESC LIMIT $6 FOR UPDATE SKIP LOCKED) b) y
    ORDER BY y.place DESC LIMIT $6) x
  LIMIT $6
), u AS (
  UPDATE {schema}.jobs SET state = 'active', started_attempts = started_attempts + 1, processed_at = $2,
    lock_until = $3, locked_by = $4, lock_token = $5 || '_' || abs(place)
  WHERE queue = $1 AND id = ANY (ARRAY(SELECT c.id FROM c))
  RETURNING place, priority, {columns}
)
SELECT u.place, {u_columns} FROM u ORDER BY u.priority, u.place DESC

-- name: lock_queue
-- The lock of a queue whose fetches have limits, held until the transaction ends. What comes next in the
-- transaction sees all that its holder before committed. Waiting for it may take longer than for a row.
SELECT set_config('lock_timeout', $2, true), pg_advisory_xact_lock($1)

-- name: room
-- How many jobs the limits of the whole queue leave, under its lock: $2 most active jobs, or null; $3 most
-- hand-outs of fetches with a rate limit since $4, or null.
SELECT least(
  $2::bigint - CASE WHEN $2::bigint IS NULL THEN 0 ELSE (
    SELECT count(*) FROM {schema}.jobs j WHERE j.queue = $1 AND j.state = 'active') END,
  $3::bigint - CASE WHEN $3::bigint IS NULL THEN 0 ELSE (
    SELECT coalesce(sum(r.jobs), 0) FROM {schema}.job_rate_fetches r
    WHERE r.queue = $1 AND r.fetched_at > $4) END)

-- name: count_rate
-- Remembers $4 hand-outs, under the queue's lock, and forgets those that no window of the recent ones reaches, nor of one that comes late.
WITH gone AS (
  DELETE FROM {schema}.job_rate_fetches
  WHERE queue = $1 AND fetched_at <= $2::timestamptz - greatest($3::bigint, (
    SELECT max(r.window_millis) FROM {schema}.job_rate_fetches r WHERE r.queue = $1)) * interval '1 millisecond'
)
INSERT INTO {schema}.job_rate_fetches (queue, number, fetched_at, window_millis, jobs)
VALUES ($1, nextval('{schema}.job_places'), $2, $3, $4)

-- name: fetch_grouped
-- Hands out up to $6 waiting jobs under the queue's lock, each from the group that was served least recently. A
-- loose scan finds the groups that have waiting jobs; those excluded ($9) or with $8 active jobs are left out. Each
-- group's n-th job comes after all groups' (n-1)-th, in the order in which the groups were served, of those never
-- served in the order of their best jobs: what as many fetches of one would do. With more groups than jobs asked
-- for, one of each is looked at.
WITH RECURSIVE paused AS MATERIALIZED (
  SELECT p.name FROM {schema}.job_pauses p WHERE p.queue = $1
), named AS (
  SELECT (
    SELECT j.group_id FROM {schema}.jobs j
    WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NOT NULL
    ORDER BY j.group_id LIMIT 1) AS group_id
  UNION ALL
  SELECT (
    SELECT j.group_id FROM {schema}.jobs j
    WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NOT NULL AND j.group_id > n.group_id
    ORDER BY j.group_id LIMIT 1)
  FROM named n WHERE n.group_id IS NOT NULL
), busy AS MATERIALIZED (
  SELECT j.group_id, count(*) AS active FROM {schema}.jobs j
  WHERE j.queue = $1 AND j.state = 'active' AND j.group_id IS NOT NULL AND $8::bigint IS NOT NULL
  GROUP BY j.group_id
), open_groups AS MATERIALIZED (
  SELECT n.group_id, least($6::bigint, coalesce($8::bigint - coalesce(b.active, 0), $6)) AS room
  FROM named n LEFT JOIN busy b ON b.group_id = n.group_id
  WHERE n.group_id IS NOT NULL AND n.group_id <> ALL ($9::text[])
    AND ($8::bigint IS NULL OR coalesce(b.active, 0) < $8)
), best AS MATERIALIZED (
  SELECT o.group_id, o.room, f.priority, f.place, coalesce((
      SELECT s.served FROM {schema}.job_groups s WHERE s.queue = $1 AND s.group_id = o.group_id), 0) AS served
  FROM open_groups o CROSS JOIN LATERAL (
    SELECT j.priority, j.place FROM {schema}.jobs j
    WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NOT NULL AND j.group_id = o.group_id
      AND j.name <> ALL (ARRAY(SELECT p.name FROM paused p))
      AND NOT ('__all__' = ANY (ARRAY(SELECT p.name FROM paused p)))
      AND ($7::text IS NULL OR j.name = $7)
    ORDER BY j.group_id, j.priority, j.place {direction} LIMIT 1) f
  UNION ALL
  SELECT '', $6::bigint, f.priority, f.place, coalesce((
      SELECT s.served FROM {schema}.job_groups s WHERE s.queue = $1 AND s.group_id = ''), 0)
  FROM (
    SELECT j.priority, j.place FROM {schema}.jobs j
    WHERE j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NULL
      AND j.name <> ALL (ARRAY(SELECT p.name FROM paused p))
      AND NOT ('__all__' = ANY (ARRAY(SELECT p.name FROM paused p)))
      AND ($7::text IS NULL OR j.name = $7)
    ORDER BY j.priority, j.place {direction} LIMIT 1) f
), turns AS MATERIALIZED (
  SELECT b.group_id, b.room, row_number() OVER (
      ORDER BY b.served, b.priority, b.place {direction}) AS turn, count(*) OVER () AS groups
  FROM best b
), candidates AS MATERIALIZED (
  SELECT t.turn, t.group_id, k.id, k.rank
  FROM turns t CROSS JOIN LATERAL (
    SELECT y.id, row_number() OVER () AS rank FROM (
      SELECT j.id FROM {schema}.jobs j
      WHERE t.group_id <> '' AND j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NOT NULL
        AND j.group_id = t.group_id
        AND j.name <> ALL (ARRAY(SELECT p.name FROM paused p))
        AND ($7::text IS NULL OR j.name = $7)
      ORDER BY j.group_id, j.priority, j.place {direction}
      LIMIT CASE WHEN t.groups >= $6 THEN 1 ELSE t.room END) y
    UNION ALL
    SELECT z.id, row_number() OVER () AS rank FROM (
      SELECT j.id FROM {schema}.jobs j
      WHERE t.group_id = '' AND j.queue = $1 AND j.state = 'waiting' AND j.group_id IS NULL
        AND j.name <> ALL (ARRAY(SELECT p.name FROM paused p))
        AND ($7::text IS NULL OR j.name = $7)
      ORDER BY j.priority, j.place {direction}
      LIMIT CASE WHEN t.groups >= $6 THEN 1 ELSE t.room END) z) k
), ordered AS MATERIALIZED (
  SELECT c.id, c.group_id, row_number() OVER (ORDER BY c.rank, c.turn) AS number FROM candidates c
), taken AS MATERIALIZED (
  SELECT o.id, o.group_id, o.number FROM (SELECT id, group_id, number FROM ordered ORDER BY number LIMIT $6) o
  CROSS JOIN LATERAL (
    SELECT j.id FROM {schema}.jobs j
    WHERE j.queue = $1 AND j.id = o.id AND j.state || '' = 'waiting' FOR UPDATE SKIP LOCKED) l
), u AS (
  UPDATE {schema}.jobs SET state = 'active', started_attempts = started_attempts + 1, processed_at = $2,
    lock_until = $3, locked_by = $4, lock_token = $5 || '_' || abs(place)
  WHERE queue = $1 AND id = ANY (ARRAY(SELECT t.id FROM taken t))
  RETURNING place, priority, {columns}
), served AS (
  INSERT INTO {schema}.job_groups AS g (queue, group_id, served)
  SELECT $1, s.group_id, nextval('{schema}.job_places')
  FROM (SELECT t.group_id, max(t.number) AS last FROM taken t GROUP BY t.group_id ORDER BY max(t.number)) s
  ON CONFLICT (queue, group_id) DO UPDATE SET served = excluded.served
)
SELECT u.place, {u_columns} FROM u JOIN taken t ON t.id = u.id ORDER BY t.number
