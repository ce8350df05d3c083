-- fragment: choose_first
-- The part of a statement that locks up to {most} waiting jobs to hand out, best first. Jobs without and with a group
-- are two ordered scans; what is locked beyond the limit is let go with the statement. A row that somebody else holds
-- is passed over, never waited for, and a row that was taken meanwhile is not waiting any more when it is locked. What
-- was locked is changed by its place: by an array of ids Postgres before 17 may read the whole queue, planned while it
-- was empty. A row that was taken and given back since the statement began has another place and waits for the next
-- fetch.
paused AS MATERIALIZED (
  SELECT p.name FROM {schema}.job_pauses p WHERE p.queue = :queue
), c AS MATERIALIZED (
  SELECT x.at FROM (
    SELECT a.at, a.priority, a.place FROM (
      SELECT j.ctid AS at, j.priority, j.place FROM {schema}.jobs j
      WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NULL
        AND j.name <> ALL (ARRAY(SELECT p.name FROM paused p))
        AND NOT ('__all__' = ANY (ARRAY(SELECT p.name FROM paused p)))
        AND (:name::text IS NULL OR j.name = :name)
      ORDER BY j.priority, j.place LIMIT {most} FOR UPDATE SKIP LOCKED) a
    UNION ALL
    SELECT b.at, b.priority, b.place FROM (
      SELECT j.ctid AS at, j.priority, j.place FROM {schema}.jobs j
      WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL
        AND j.name <> ALL (ARRAY(SELECT p.name FROM paused p))
        AND NOT ('__all__' = ANY (ARRAY(SELECT p.name FROM paused p)))
        AND (:name::text IS NULL OR j.name = :name)
      ORDER BY j.priority, j.place LIMIT {most} FOR UPDATE SKIP LOCKED) b) x
  ORDER BY x.priority, x.place LIMIT {most}
)

-- fragment: choose_last
-- As choose_first, the last of each priority first: a loose scan walks the priorities from the lowest on, each backwards.
paused AS MATERIALIZED (
  SELECT p.name FROM {schema}.job_pauses p WHERE p.queue = :queue
), priorities AS (
  SELECT (
    SELECT least(
      (SELECT j.priority FROM {schema}.jobs j WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NULL
       ORDER BY j.priority LIMIT 1),
      (SELECT j.priority FROM {schema}.jobs j WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL
       ORDER BY j.priority LIMIT 1))) AS priority
  UNION ALL
  SELECT least(
      (SELECT j.priority FROM {schema}.jobs j WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NULL
         AND j.priority > p.priority ORDER BY j.priority LIMIT 1),
      (SELECT j.priority FROM {schema}.jobs j WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL
         AND j.priority > p.priority ORDER BY j.priority LIMIT 1))
  FROM priorities p WHERE p.priority IS NOT NULL
), c AS MATERIALIZED (
  SELECT x.at FROM (SELECT p.priority FROM priorities p WHERE p.priority IS NOT NULL) q
  CROSS JOIN LATERAL (
    SELECT y.at FROM (
      SELECT a.at, a.place FROM (
        SELECT j.ctid AS at, j.place FROM {schema}.jobs j
        WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NULL AND j.priority = q.priority
          AND j.name <> ALL (ARRAY(SELECT p.name FROM paused p))
          AND NOT ('__all__' = ANY (ARRAY(SELECT p.name FROM paused p)))
          AND (:name::text IS NULL OR j.name = :name)
        ORDER BY j.priority DESC, j.place DESC LIMIT {most} FOR UPDATE SKIP LOCKED) a
      UNION ALL
      SELECT b.at, b.place FROM (
        SELECT j.ctid AS at, j.place FROM {schema}.jobs j
        WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL AND j.priority = q.priority
          AND j.name <> ALL (ARRAY(SELECT p.name FROM paused p))
          AND NOT ('__all__' = ANY (ARRAY(SELECT p.name FROM paused p)))
          AND (:name::text IS NULL OR j.name = :name)
        ORDER BY j.priority DESC, j.place DESC LIMIT {most} FOR UPDATE SKIP LOCKED) b) y
    ORDER BY y.place DESC LIMIT {most}) x
  LIMIT {most}
)

-- fragment: hand_out
-- The part that hands out what was chosen, in any order.
UPDATE {schema}.jobs SET state = 'active', started_attempts = started_attempts + 1, processed_at = :now,
  lock_until = :until, locked_by = :worker, lock_token = :token || '_' || abs(place)
WHERE ctid = ANY (ARRAY(SELECT c.at FROM c))
RETURNING place, {columns}

-- name: fetch
WITH RECURSIVE {choose}
{hand_out}

-- name: give_back
-- Hand-outs that nobody has begun, given back under their tokens, delayed until :until where that is given. They count
-- as none, but in the window of a rate; a job that was handed out before keeps the time of this one.
UPDATE {schema}.jobs j SET state = CASE WHEN :until::timestamptz IS NULL THEN 'waiting' ELSE 'delayed' END,
  delay_until = :until, started_attempts = j.started_attempts - 1,
  processed_at = CASE WHEN j.started_attempts > 1 THEN j.processed_at END,
  lock_until = NULL, locked_by = NULL, lock_token = NULL
FROM unnest(:queues::text[], :ids::text[], :tokens::text[]) AS g(queue, id, token)
WHERE j.queue = ANY (:queues::text[]) AND j.id = ANY (:ids::text[]) AND j.queue = g.queue AND j.id = g.id
  AND j.lock_token = g.token

-- name: lock_queue
-- The lock of a queue whose fetches have limits, held until the transaction ends. What comes next in the
-- transaction sees all that its holder before committed. Waiting for it may take longer than for a row. The mark :token
-- lasts as long as the lock.
SELECT set_config('lock_timeout', :longest_wait, true), pg_advisory_xact_lock(:lock), set_config('lock_timeout',
    o.before, true),
  set_config('runlane.queue_lock', :token, true)
FROM (SELECT current_setting('lock_timeout') AS before OFFSET 0) o

-- fragment: room
-- The part of a statement that says how many jobs the limits of the whole queue leave, under its lock: :most_active
-- most active jobs, or null; :most_in_window most hand-outs of fetches with a rate limit since :window_start, or
-- null. None without the lock: the statement was sent before it was known that the transaction has begun.
room AS MATERIALIZED (
  SELECT CASE WHEN current_setting('runlane.queue_lock', true) = :token THEN greatest(0, least(:limit::bigint,
    :most_active::bigint - CASE WHEN :most_active::bigint IS NULL THEN 0 ELSE (
      SELECT count(*) FROM {schema}.jobs j WHERE j.queue = :queue AND j.state = 'active') END,
    :most_in_window::bigint - CASE WHEN :most_in_window::bigint IS NULL THEN 0 ELSE (
      SELECT coalesce(sum(r.jobs), 0) FROM {schema}.job_rate_fetches r
      WHERE r.queue = :queue AND r.fetched_at > :window_start::timestamptz) END)) ELSE 0 END AS most
)

-- fragment: rate
-- The part that remembers the hand-outs for :window_millis ms, under the queue's lock, and forgets those that no
-- window of the recent ones reaches, nor that of a fetch that comes late, a thousand at most.
forgotten AS (
  DELETE FROM {schema}.job_rate_fetches WHERE ctid = ANY (ARRAY(
    SELECT o.ctid FROM {schema}.job_rate_fetches o
    WHERE :most_in_window::bigint IS NOT NULL AND o.queue = :queue
      AND o.fetched_at <= :now::timestamptz - greatest(:window_millis::bigint, (
        SELECT max(r.window_millis) FROM {schema}.job_rate_fetches r WHERE r.queue = :queue)) * interval '1 millisecond'
    LIMIT 1000))
), remembered AS (
  INSERT INTO {schema}.job_rate_fetches (queue, number, fetched_at, window_millis, jobs)
  SELECT :queue, nextval('{schema}.job_places'), :now, :window_millis::bigint, f.jobs
  FROM (SELECT count(*) AS jobs FROM u) f
  WHERE :most_in_window::bigint IS NOT NULL AND f.jobs > 0
)

-- name: fetch_limited
-- As fetch, under the queue's lock and as many as the limits leave.
WITH RECURSIVE {room}, {choose}, u AS (
{hand_out}
), {rate}
SELECT u.place, {u_columns} FROM u

-- fragment: groups_last
-- The part that finds the groups that have a job to hand out, and the best job of each, the last of its priority: a
-- loose scan over all of them. Here as elsewhere one group is asked for as a range, and its jobs in the order of the
-- index by group: the other index of such jobs gives those of all groups in the same order as those of one.
named AS (
  (SELECT j.group_id, j.priority FROM {schema}.jobs j
   WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL AND {heeded}
   ORDER BY j.group_id, j.priority, j.place LIMIT 1)
  UNION ALL
  SELECT x.group_id, x.priority FROM named n CROSS JOIN LATERAL (
    SELECT j.group_id, j.priority FROM {schema}.jobs j
    WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL AND j.group_id > n.group_id AND {heeded}
    ORDER BY j.group_id, j.priority, j.place LIMIT 1) x
), best AS (
  SELECT n.group_id, n.priority, x.place FROM named n CROSS JOIN LATERAL (
    SELECT j.place FROM {schema}.jobs j
    WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL AND j.group_id >= n.group_id
      AND j.group_id <= n.group_id AND j.priority = n.priority AND {heeded}
    ORDER BY j.group_id DESC, j.priority DESC, j.place DESC LIMIT 1) x
)

-- fragment: heeded
-- What is not paused and has the name asked for.
j.name <> ALL (ARRAY(SELECT p.name FROM paused p)) AND NOT ('__all__' = ANY (ARRAY(SELECT p.name FROM paused p)))
  AND (:name::text IS NULL OR j.name = :name)

-- fragment: in_turn
-- The part that takes jobs of the groups that are open, each from the group that was served least recently: as many
-- as the limits leave. Each group's n-th job comes after all groups' (n-1)-th, in the order in which the groups were
-- served, of those never served in the order of their best jobs: what as many fetches of one would do. A group whose
-- turn comes after the last job is not looked into, but for :spare_groups more: a row that somebody else holds is
-- passed over, and those of the groups behind come in its place, while its own group keeps its turn. Where too few come
-- in its place, and a fetch that looks at more groups, or follows this one, may find others, another is asked for.
turns AS MATERIALIZED (
  SELECT o.group_id, o.room, count(*) OVER () AS groups,
    row_number() OVER (ORDER BY o.served, o.priority, o.place {direction}) AS turn
  FROM open_groups o
), candidates AS MATERIALIZED (
  SELECT t.turn, t.group_id, k.id, k.rank
  FROM (SELECT w.*, greatest(1, least(w.room, r.most - w.groups + 1)) AS most FROM turns w CROSS JOIN room r
        WHERE r.most > 0 AND w.turn <= r.most + :spare_groups::bigint) t
  CROSS JOIN LATERAL (
    SELECT y.id, row_number() OVER () AS rank FROM (
      SELECT j.id FROM {schema}.jobs j
      WHERE t.group_id <> '' AND j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL
        AND j.group_id >= t.group_id AND j.group_id <= t.group_id AND {heeded}
      ORDER BY j.group_id, j.priority, j.place {direction} LIMIT t.most) y
    UNION ALL
    SELECT z.id, row_number() OVER () AS rank FROM (
      SELECT j.id FROM {schema}.jobs j
      WHERE t.group_id = '' AND j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NULL AND {heeded}
      ORDER BY j.priority, j.place {direction} LIMIT t.most) z) k
), ordered AS MATERIALIZED (
  SELECT c.id, c.group_id, row_number() OVER (ORDER BY c.rank, c.turn) AS number FROM candidates c
), taken AS MATERIALIZED (
  SELECT o.id, l.at, o.group_id, o.number
  FROM (SELECT id, group_id, number FROM ordered ORDER BY number) o
  CROSS JOIN LATERAL (
    SELECT j.ctid AS at FROM {schema}.jobs j
    WHERE j.queue = :queue AND j.id = o.id AND j.state || '' = 'waiting' FOR UPDATE SKIP LOCKED) l
  ORDER BY o.number LIMIT (SELECT r.most FROM room r)
), another AS MATERIALIZED (
  SELECT t.jobs < least(r.most, (SELECT count(*) FROM candidates))
    AND (t.jobs > 0 OR (SELECT count(*) FROM {walked}) >= r.most + :spare_groups::bigint) AS yes
  FROM room r CROSS JOIN (SELECT count(*) AS jobs FROM taken) t
), u AS (
  UPDATE {schema}.jobs SET state = 'active', started_attempts = started_attempts + 1, processed_at = :now,
    lock_until = :until, locked_by = :worker, lock_token = :token || '_' || abs(place)
  WHERE ctid = ANY (ARRAY(SELECT t.at FROM taken t))
  RETURNING place, {columns}
), served AS (
  INSERT INTO {schema}.job_groups AS g (queue, group_id, served)
  SELECT :queue, s.group_id, nextval('{schema}.job_places')
  FROM (SELECT t.group_id, max(t.number) AS last FROM taken t GROUP BY t.group_id ORDER BY max(t.number)) s
  ON CONFLICT (queue, group_id) DO UPDATE SET served = excluded.served
), {rate}

-- fragment: ungrouped
-- The part that says where the jobs without a group stand among the groups.
SELECT '', coalesce((
    SELECT s.served FROM {schema}.job_groups s WHERE s.queue = :queue AND s.group_id = ''), 0),
  f.priority, f.place, :limit::bigint
FROM (
  SELECT j.priority, j.place FROM {schema}.jobs j
  WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NULL AND {heeded}
  ORDER BY j.priority, j.place {direction} LIMIT 1) f

-- name: take_marks
-- Takes in the marks of groups that got jobs, from number :from on and at most :limit, under the queue's lock with the
-- mark :token. A group that is not ready yet, or was never served and got a better job, stands where that job does; the
-- row of any other is left alone. Answers how many, the last number that was looked at, and :from.
WITH marks AS (
  DELETE FROM {schema}.job_group_marks
  WHERE queue = :queue AND current_setting('runlane.queue_lock', true) = :token AND number >= :from
    AND number <= (SELECT max(x.number) FROM (
      SELECT m.number FROM {schema}.job_group_marks m WHERE m.queue = :queue AND m.number >= :from
      ORDER BY m.queue, m.number LIMIT :limit) x)
  RETURNING number, group_id, priority, place
), best AS (
  SELECT DISTINCT ON (m.group_id) m.group_id, m.priority, m.place FROM marks m ORDER BY m.group_id, m.priority, m.place
), ready AS (
  INSERT INTO {schema}.job_groups AS g (queue, group_id, served, priority, place, ready)
  SELECT :queue, b.group_id, 0, b.priority, b.place, true FROM best b
  WHERE NOT coalesce((SELECT k.ready AND (k.served <> 0 OR (k.priority, k.place) <= (b.priority, b.place))
    FROM {schema}.job_groups k WHERE k.queue = :queue AND k.group_id = b.group_id), false)
  ON CONFLICT (queue, group_id) DO UPDATE SET priority = excluded.priority, place = excluded.place, ready = true
)
SELECT count(*), CASE WHEN count(*) = :limit THEN max(number)
    ELSE coalesce(pg_sequence_last_value('{schema}.job_group_mark_numbers'::regclass), 0) END, :from::bigint
FROM marks

-- name: fetch_in_turn
-- Hands out waiting jobs under the queue's lock, of groups in turn. The groups that are ready are walked in their
-- order, without those that are excluded (:excluded_groups) or have :group_concurrency active jobs, for as many as
-- the limits leave and :spare_groups more. Where a name is asked for or paused all are, as only the look into a group
-- tells whether and where it stands. A group without a job is not ready any more; one that was never served and whose
-- best job has gone is put where the next one stands. Where that was so, or so many groups had no job that the walk
-- ended too soon, nothing is handed out. Then, and where so much was held that too few are, a row without a place,
-- which comes last, asks for the fetch to be made again for what is left. Rows of groups are changed where the walk met
-- them: under the lock nobody else changes them.
WITH paused AS MATERIALIZED (
  SELECT p.name FROM {schema}.job_pauses p WHERE p.queue = :queue
), filtered AS MATERIALIZED (
  SELECT :name::text IS NOT NULL OR EXISTS (SELECT FROM paused) AS yes
), {room}, walk AS MATERIALIZED (
  SELECT g.ctid AS at, g.group_id, g.served, g.priority, g.place, b.priority AS best_priority, b.place AS best_place,
    a.active
  FROM {schema}.job_groups g
  CROSS JOIN LATERAL (
    SELECT CASE WHEN :group_concurrency::bigint IS NULL THEN 0 ELSE (
      SELECT count(*) FROM {schema}.jobs j
      WHERE j.queue = :queue AND j.state = 'active' AND j.group_id = g.group_id) END AS active OFFSET 0) a
  LEFT JOIN LATERAL (
    SELECT j.priority, j.place FROM {schema}.jobs j
    WHERE j.queue = :queue AND j.state = 'waiting' AND j.group_id IS NOT NULL AND j.group_id >= g.group_id
      AND j.group_id <= g.group_id AND {heeded}
    ORDER BY j.group_id, j.priority, j.place LIMIT 1) b ON true
  WHERE g.queue = :queue AND g.ready AND g.group_id <> ALL (:excluded_groups::text[])
      AND (:group_concurrency::bigint IS NULL OR a.active < :group_concurrency)
  ORDER BY g.queue, g.served, g.priority, g.place
  LIMIT (SELECT CASE
      WHEN r.most = 0 OR '__all__' = ANY (ARRAY(SELECT p.name FROM paused p)) THEN 0
      WHEN f.yes THEN NULL ELSE r.most + :spare_groups::bigint END
    FROM room r CROSS JOIN filtered f)
), stale AS MATERIALIZED (
  SELECT w.at, w.best_priority, w.best_place FROM walk w CROSS JOIN filtered f
  WHERE NOT f.yes AND w.served = 0 AND (w.priority, w.place) <> (w.best_priority, w.best_place)
), again AS MATERIALIZED (
  SELECT EXISTS (SELECT FROM stale) OR r.most > 0 AND NOT f.yes
    AND (SELECT count(*) FROM walk) >= r.most + :spare_groups::bigint
    AND (SELECT count(*) FROM walk w WHERE w.best_place IS NOT NULL) < r.most AS yes
  FROM room r CROSS JOIN filtered f
), moved AS (
  UPDATE {schema}.job_groups g SET priority = s.best_priority, place = s.best_place
  FROM stale s WHERE g.ctid = s.at
), idle AS (
  UPDATE {schema}.job_groups SET ready = false
  WHERE ctid = ANY (ARRAY(SELECT w.at FROM walk w CROSS JOIN filtered f WHERE NOT f.yes AND w.best_place IS NULL))
), open_groups AS MATERIALIZED (
  SELECT x.* FROM (
    SELECT w.group_id, w.served, w.best_priority AS priority, w.best_place AS place,
      least(:limit::bigint, coalesce(:group_concurrency::bigint - w.active, :limit)) AS room
    FROM walk w WHERE w.best_place IS NOT NULL
    UNION ALL
    {ungrouped}) x CROSS JOIN again a
  WHERE NOT a.yes
), {in_turn}
SELECT u.place, {u_columns}
FROM again a CROSS JOIN another n CROSS JOIN (VALUES (false), (true)) k(asks)
LEFT JOIN (u JOIN taken t ON t.id = u.id) ON NOT k.asks
WHERE CASE WHEN k.asks THEN a.yes OR n.yes ELSE u.id IS NOT NULL END
ORDER BY t.number

-- name: fetch_in_turn_last
-- The same for the last of equal priority first. All groups are walked: their order is another. So nothing but rows
-- that are held asks for the fetch to be made again.
WITH RECURSIVE paused AS MATERIALIZED (
  SELECT p.name FROM {schema}.job_pauses p WHERE p.queue = :queue
), {room}, {groups_last}, busy AS MATERIALIZED (
  SELECT j.group_id, count(*) AS active FROM {schema}.jobs j
  WHERE j.queue = :queue AND j.state = 'active' AND j.group_id IS NOT NULL AND :group_concurrency::bigint IS NOT NULL
  GROUP BY j.group_id
), open_groups AS MATERIALIZED (
  SELECT b.group_id, coalesce((
      SELECT s.served FROM {schema}.job_groups s WHERE s.queue = :queue AND s.group_id = b.group_id), 0) AS served,
    b.priority, b.place, least(:limit::bigint, coalesce(:group_concurrency::bigint - coalesce(y.active, 0), :limit))
        AS room
  FROM best b LEFT JOIN busy y ON y.group_id = b.group_id
  WHERE b.group_id <> ALL (:excluded_groups::text[]) AND (:group_concurrency::bigint IS NULL OR coalesce(y.active,
      0) < :group_concurrency)
  UNION ALL
  {ungrouped}
), {in_turn}
SELECT u.place, {u_columns}
FROM another n CROSS JOIN (VALUES (false), (true)) k(asks)
LEFT JOIN (u JOIN taken t ON t.id = u.id) ON NOT k.asks
WHERE CASE WHEN k.asks THEN n.yes ELSE u.id IS NOT NULL END
ORDER BY t.number
