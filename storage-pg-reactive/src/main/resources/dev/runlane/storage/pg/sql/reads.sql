-- fragment: partitions_with_room
-- Partitions of the bounded queues, and how many more runs each may occupy.
{stretches}, room AS MATERIALIZED (
  SELECT w.queue, w.partition, w.most - (SELECT count(*)::integer FROM (
    SELECT 1 FROM {schema}.active_runs r
    WHERE r.env = :env AND r.queue = w.queue AND r.partition IS NOT NULL AND r.partition = w.partition
      AND r.occupies AND NOT (r.kind = 3 AND r.due_at <= :now)
    ORDER BY r.task_id, r.due_at, r.run_id) o) AS free
  FROM walk w
)

-- fragment: next_task_of_each
-- Of each unbounded queue the next task of which some run waits or runs in it: a step along the index of due ones.
SELECT q.queue, t.task_id FROM tasks q CROSS JOIN LATERAL (
    SELECT a.task_id FROM {schema}.active_runs a
    WHERE a.env = :env AND a.queue = q.queue AND a.partition IS NULL AND a.task_id > q.task_id
    ORDER BY a.task_id LIMIT 1) t

-- fragment: tasks_of_queues
-- All of them.
tasks AS (
  SELECT q.queue, t.task_id FROM unnest(:queues::text[]) AS q(queue) CROSS JOIN LATERAL (
    SELECT a.task_id FROM {schema}.active_runs a
    WHERE a.env = :env AND a.queue = q.queue AND a.partition IS NULL ORDER BY a.task_id LIMIT 1) t
  UNION ALL
  {next_task_of_each}
)

-- fragment: due_runs
-- Runs that are due, as they are answered.
SELECT a.run_id, a.task_id, a.queue, a.concurrency_key, a.status, a.sequence, a.due_at

-- fragment: due_run_columns
-- The same of a row.
SELECT r.run_id, r.task_id, r.queue, r.concurrency_key, r.status, r.sequence, r.due_at

-- fragment: events_found
-- Events, as they are answered.
SELECT e.run_id, e.sequence, e.event_id, e.type, e.occurred_at, e.body
FROM {schema}.run_events e
WHERE e.env = :env

-- fragment: event_filter
-- An absent filter is null.
AND (:types::text[] IS NULL OR e.type = ANY (:types::text[]))
  AND (:occurred_from::timestamptz IS NULL OR e.occurred_at >= :occurred_from)
  AND (:occurred_before::timestamptz IS NULL OR e.occurred_at < :occurred_before)

-- fragment: run_summary
-- A run of a list, as it is answered.
SELECT r.run_id, r.task_id, r.queue, r.status, r.sequence, r.attempts, r.failures, r.retries, r.releases,
  r.run_at, r.created_at, r.updated_at, r.started_at, r.finished_at, r.concurrency_key, r.idempotency_key,
  r.singleton_key, r.lease_worker, r.failure

-- fragment: active_summaries
-- What a list shows of active runs.
SELECT a.run_id, a.task_id, a.queue, a.status, a.sequence, a.attempts, a.failures, a.retries, a.releases,
    a.run_at, a.created_at, a.updated_at, a.started_at, NULL::timestamptz AS finished_at, a.concurrency_key,
    a.idempotency_key, a.singleton_key, a.lease_worker, a.failure
  FROM {schema}.active_runs a WHERE a.env = :env

-- fragment: terminal_summaries
-- And of ended ones.
SELECT t.run_id, t.task_id, t.queue, t.status, t.sequence, t.attempts, t.failures, t.retries, t.releases,
    t.run_at, t.created_at, t.updated_at, t.started_at, t.finished_at, t.concurrency_key,
    t.idempotency_key, t.singleton_key, NULL::text AS lease_worker, t.failure
  FROM {schema}.terminal_runs t WHERE t.env = :env

-- fragment: run_filter
-- Which runs a list has. An absent filter is null.
(:statuses::text[] IS NULL OR r.status = ANY (:statuses::text[]))
  AND (:task_ids::text[] IS NULL OR r.task_id = ANY (:task_ids::text[]))
  AND (:queues::text[] IS NULL OR r.queue = ANY (:queues::text[]))
  AND (:concurrency_key::text IS NULL OR r.concurrency_key = :concurrency_key)
  AND (:idempotency_key::text IS NULL OR r.idempotency_key = :idempotency_key)
  AND (:singleton_key::text IS NULL OR r.singleton_key = :singleton_key)
  AND {created_between}

-- name: now
-- The clock of Postgres, for comparing only.
SELECT clock_timestamp()

-- name: environment
-- Makes the number of an environment; no row: somebody else does at this moment. It follows from the key, so that it is
-- the same again in a database that was restored to a moment before, for processes that went on and remember it, and
-- never another environment's. Those that follow from nothing are smaller; where two keys come to one number, the
-- second has one of them.
INSERT INTO {schema}.environments (env, environment_key) OVERRIDING SYSTEM VALUE
SELECT CASE WHEN (SELECT 1 FROM {schema}.environments e WHERE e.env = n.env) IS NULL THEN n.env
  ELSE nextval(pg_get_serial_sequence('{schema}.environments', 'env'))::integer END, n.environment_key
FROM (SELECT k.environment_key, 1073741824 | (1073741823
    & ('x' || encode(substr(sha256(convert_to(k.environment_key, 'UTF8')), 1, 4), 'hex'))::bit(32)::integer) AS env
  FROM (SELECT :environment_key::text AS environment_key) k) n
ON CONFLICT DO NOTHING
RETURNING env

-- name: find_environment
SELECT env FROM {schema}.environments WHERE environment_key = :environment_key

-- name: look_for_environment
-- The environment as a caller's connection finds it, and whoever has the number that was given out for it elsewhere.
SELECT env, environment_key FROM {schema}.environments WHERE environment_key = :environment_key
UNION ALL
SELECT env, environment_key FROM {schema}.environments WHERE env = :env AND environment_key <> :environment_key

-- name: compare_environments
-- The numbers of environments that were given out, as a connection that was just made finds them.
SELECT env, environment_key FROM {schema}.environments WHERE environment_key = ANY (:environment_keys::text[])

-- name: get_runs
-- The runs in the order asked for. One snapshot sees a run in exactly one of the two tables; what never
-- changes comes from its first event, the output from its last.
SELECT r.run_id, r.task_id, r.queue, r.status, r.sequence, r.attempts, r.failures, r.retries, r.releases,
  r.run_at, r.created_at, r.updated_at, r.started_at, r.finished_at, r.lease_token, r.lease_worker,
  r.lease_expires_at, r.dispatched_at, r.dispatch_expires_at, r.trace_carrier, r.failure, r.awaiting, c.body,
  o.body
FROM unnest(:run_ids::text[]) WITH ORDINALITY AS p(run_id, place)
CROSS JOIN LATERAL (
  SELECT a.run_id, a.task_id, a.queue, a.status, a.sequence, a.attempts, a.failures, a.retries, a.releases,
    a.run_at, a.created_at, a.updated_at, a.started_at, NULL::timestamptz AS finished_at, a.lease_token,
    a.lease_worker, a.lease_expires_at, a.dispatched_at, a.dispatch_expires_at, a.trace_carrier, a.failure,
    a.awaiting
  FROM {schema}.active_runs a WHERE a.env = :env AND a.run_id = p.run_id
  UNION ALL
  SELECT t.run_id, t.task_id, t.queue, t.status, t.sequence, t.attempts, t.failures, t.retries, t.releases,
    t.run_at, t.created_at, t.updated_at, t.started_at, t.finished_at, NULL, NULL, NULL, NULL, NULL,
    t.trace_carrier, t.failure, NULL
  FROM {schema}.terminal_runs t WHERE t.env = :env AND t.run_id = p.run_id) r
CROSS JOIN LATERAL (
  SELECT x.body FROM {schema}.run_events x
  WHERE x.env = :env AND x.run_id = p.run_id AND x.sequence = 1 LIMIT 1) c
LEFT JOIN LATERAL (
  SELECT x.body FROM {schema}.run_events x
  WHERE x.env = :env AND x.run_id = p.run_id AND x.sequence = r.sequence AND r.status = 'succeeded'
  LIMIT 1) o ON true
ORDER BY p.place

-- name: get_run_summaries
-- What lists show of the runs, in the order asked for: no event is read.
{run_summary}
FROM unnest(:run_ids::text[]) WITH ORDINALITY AS p(run_id, place)
CROSS JOIN LATERAL (
  {active_summaries} AND a.run_id = p.run_id
  UNION ALL
  {terminal_summaries} AND t.run_id = p.run_id LIMIT 1) r
ORDER BY p.place

-- name: outbox_messages_of_run
SELECT o.message_id, o.status, o.available_at, o.next_at, o.failed_publishes, o.failure
FROM {schema}.outbox_messages o
WHERE o.env = :env AND o.sequence > 0 AND o.run_id = :run_id
ORDER BY o.sequence

-- name: idempotency_owner
-- The run owning a key, with what decides whether it still does.
SELECT o.run_id, o.expires_at,
  (SELECT a.status FROM {schema}.active_runs a WHERE a.env = o.env AND a.run_id = o.run_id) AS active_status,
  (SELECT t.status FROM {schema}.terminal_runs t WHERE t.env = o.env AND t.run_id = o.run_id) AS terminal_status
FROM {schema}.idempotency_owners o
WHERE o.env = :env AND o.task_id = :task_id AND o.idempotency_key = :key

-- name: reset_idempotency_key
-- Removes an owner whose run has ended; an active one stays. The run is looked for among the ended ones: where the key
-- is taken over meanwhile, this looks again at the new owner, but still sees no run that is newer than the statement.
DELETE FROM {schema}.idempotency_owners o
WHERE o.env = :env AND o.task_id = :task_id AND o.idempotency_key = :key
  AND (SELECT 1 FROM {schema}.terminal_runs t WHERE t.env = o.env AND t.run_id = o.run_id LIMIT 1) = 1

-- fragment: page_begin
-- Behind the page before, or where the range of times begins: in one comparison, since of two an index may take the wrong
-- one as the place to begin at, and walk all that is between them.
(r.{field}, r.run_id) {after} (coalesce(:after_time::timestamptz, {range_begin}, '{begin}'), coalesce(:after_id::text, ''))

-- fragment: run_place
-- Behind the page before, and not behind the last row that this page looks at, nor where the range of times ends: in the
-- order of an index both are where its range begins and ends, also in a plan that is made for whatever parameters. Of two
-- comparisons that end a range an index of PostgreSQL 18 ends by this one, whichever comes first.
{page_begin}
  AND (r.{field}, r.run_id) {until} (coalesce((SELECT b.at FROM bound b), {range_edge}, '{edge}'),
    coalesce((SELECT b.run_id FROM bound b), ''))
  AND {of_task} AND {range_end}

-- fragment: created_between
-- A range of creation, which an index may have.
r.created_at >= coalesce(:created_from::timestamptz, '-infinity') AND r.created_at < coalesce(:created_before::timestamptz, 'infinity')

-- fragment: not_before
-- Where a range of creation ends for a list that goes back in time, whose pages begin at the other end.
r.created_at >= coalesce(:created_from::timestamptz, '-infinity')

-- fragment: not_behind
-- And where it ends for one that goes forward.
r.created_at < coalesce(:created_before::timestamptz, 'infinity')

-- fragment: any_time
-- Of times that the filter says.
true

-- fragment: run_fits
-- The filter, as one condition of which a plan supposes that half of all runs have it: of many it supposes that next to
-- none do, and sorts those.
CASE WHEN {run_filter} THEN true ELSE false END

-- fragment: one_task
-- Of the only task that is asked for, by which ended runs have an index. Of a task that statistics don't have a plan
-- supposes that all runs are its own, and walks the others: between is supposed to be few, whatever they have.
r.task_id = :task_id AND r.task_id BETWEEN :task_id AND :task_id

-- fragment: any_task
-- Of tasks that the filter says.
:task_id::text IS NULL

-- fragment: run_order
-- The order of a list.
ORDER BY r.{field} {direction}, r.run_id {direction}

-- fragment: active_bound
-- The row of the active runs, in their order of creation, behind which this page does not look.
SELECT r.created_at AS at, r.run_id FROM {schema}.active_runs r
  WHERE :active_looked::integer > 0 AND :with_active::boolean AND r.env = :env AND r.sequence > 0
    AND {page_begin} AND {range_end}
  ORDER BY r.created_at {direction}, r.run_id {direction} OFFSET :active_looked::integer LIMIT 1

-- fragment: run_pages
-- A page of each table, in one order, and where it looks at most: one row with that alone where there are no runs.
SELECT r.run_id, r.task_id, r.queue, r.status, r.sequence, r.attempts, r.failures, r.retries, r.releases,
  r.run_at, r.created_at, r.updated_at, r.started_at, r.finished_at, r.concurrency_key, r.idempotency_key,
  r.singleton_key, r.lease_worker, r.failure, e.at, e.run_id, e.is_cut
FROM (SELECT max(b.at) AS at, max(b.run_id) AS run_id, {is_cut} AS is_cut FROM bound b) e LEFT JOIN (
  {run_summary}
  FROM (
    ({run_summary}
    FROM ({active_summaries} AND a.sequence > 0 AND :with_active::boolean {active_looked_at}) r
    WHERE {run_fits} AND {run_place} {run_order} LIMIT :limit)
    UNION ALL
    {ended_page}) r
  {run_order} LIMIT :limit) r ON true
{run_order}

-- fragment: ended_by_creation
-- Those that ended, along an index of their creation.
({run_summary}
    FROM ({terminal_summaries} AND t.sequence > 0 AND :with_ended::boolean) r
    WHERE {run_fits} AND {run_place} {run_order} LIMIT :limit)

-- fragment: ended_by_change
-- Those that ended, along the index of each status.
({run_summary}
    FROM (VALUES ('succeeded'), ('failed'), ('cancelled')) AS s(status) CROSS JOIN LATERAL (
      {run_summary}
      FROM ({terminal_summaries} AND t.sequence > 0 AND t.status = s.status AND :with_ended::boolean) r
      WHERE {run_fits} AND {run_place} {run_order} LIMIT :limit) r
    WHERE :statuses::text[] IS NULL OR s.status = ANY (:statuses::text[]))

-- fragment: any_active
-- All of them, along the index of their creation.

-- fragment: newest_active
-- Those that were created last, since no index has the order of their last change.
AND a.created_at >= coalesce(:created_from::timestamptz, '-infinity')
      AND a.created_at < coalesce(:created_before::timestamptz, 'infinity')
      ORDER BY a.created_at DESC, a.run_id DESC LIMIT :active_looked::integer

-- fragment: not_cut
-- All active runs may be shown.
false

-- fragment: has_older_active
-- Whether there are active runs that were created before those that are looked at.
(SELECT 1 FROM {schema}.active_runs r
  WHERE :with_active::boolean AND r.env = :env AND r.sequence > 0 AND {created_between}
  ORDER BY r.created_at DESC, r.run_id DESC OFFSET :active_looked::integer LIMIT 1) IS NOT NULL

-- name: list_runs
-- One page of both tables, each in the order of its index of creation. An absent filter is null. Where the index alone
-- does not have the filter, no more rows of a table are looked at than :active_looked and :ended_looked: 0 is no bound.
WITH bound AS MATERIALIZED (
  SELECT h.at, h.run_id FROM (
    ({active_bound})
    UNION ALL
    (SELECT r.created_at AS at, r.run_id FROM {schema}.terminal_runs r
      WHERE :ended_looked::integer > 0 AND :with_ended::boolean AND r.env = :env AND r.sequence > 0
        AND {of_task} AND {page_begin} AND {range_end}
      ORDER BY r.created_at {direction}, r.run_id {direction} OFFSET :ended_looked::integer LIMIT 1)) h
  ORDER BY h.at {direction}, h.run_id {direction} LIMIT 1
)
{run_pages}

-- name: list_changed_runs
-- The same in the order of the last change. No index has it of active runs, of which the newest are looked at.
WITH bound AS MATERIALIZED (
  SELECT h.at, h.run_id
  FROM (VALUES ('succeeded'), ('failed'), ('cancelled')) AS s(status) CROSS JOIN LATERAL (
    SELECT r.updated_at AS at, r.run_id FROM {schema}.terminal_runs r
    WHERE :ended_looked::integer > 0 AND :with_ended::boolean AND r.env = :env AND r.sequence > 0 AND r.status = s.status
      AND {page_begin}
    ORDER BY r.updated_at {direction}, r.run_id {direction} OFFSET :ended_looked::integer LIMIT 1) h
  WHERE (:statuses::text[] IS NULL OR s.status = ANY (:statuses::text[]))
  ORDER BY h.at {direction}, h.run_id {direction} LIMIT 1
)
{run_pages}

-- fragment: looked_at
-- As many of the newest runs of a table as a count looks at.
AND {created_between}
    ORDER BY r.created_at DESC, r.run_id DESC LIMIT :looked

-- fragment: ended_of_each_status
-- As many of each status as are counted, along the index that has the statuses.
SELECT e.status, e.fits FROM (VALUES ('succeeded'), ('failed'), ('cancelled')) AS s(status) CROSS JOIN LATERAL (
    SELECT r.status, true AS fits FROM {schema}.terminal_runs r
    WHERE r.env = :env AND r.sequence > 0 AND r.status = s.status AND {of_task}
    ORDER BY r.updated_at DESC, r.run_id DESC LIMIT :at_most) e

-- fragment: ended_looked_at
-- Those that were created last.
SELECT r.status, {run_filter} AS fits FROM {schema}.terminal_runs r
    WHERE r.env = :env AND r.sequence > 0 AND {of_task} {looked_at}

-- name: count_runs
-- How many runs of each status fit a filter, and how many of each table were looked at.
SELECT c.status, least(count(*) FILTER (WHERE c.fits), :at_most)::integer, count(*)::integer
FROM (
  (SELECT r.status, {run_filter} AS fits FROM {schema}.active_runs r
    WHERE r.env = :env AND r.sequence > 0 {looked_at})
  UNION ALL
  ({ended_counted})) c
GROUP BY c.status

-- fragment: tag_not_before
-- Where a range of creation ends for a list of a tag that goes back in time.
g.created_at >= coalesce(:created_from::timestamptz, '-infinity')

-- fragment: tag_not_behind
-- And where it ends for one that goes forward.
g.created_at < coalesce(:created_before::timestamptz, 'infinity')

-- fragment: tag_place
-- Entries of the first tag behind the page before, or where a range of creation begins, to where that ends.
g.env = :env AND g.name = (:names::text[])[1] AND g.value = (:tag_values::text[])[1]
  AND (g.created_at, g.run_id)
    {after} (coalesce(:after_time::timestamptz, {range_begin}, '{begin}'), coalesce(:after_id::text, ''))
  AND {range_end}

-- fragment: tagged_fits
-- The filter and all tags, as one condition, for the same reason as that of other lists.
CASE WHEN {run_filter}
    AND (SELECT count(*) FROM unnest(:names::text[], :tag_values::text[]) AS w(name, value)
      WHERE (SELECT 1 FROM {schema}.run_tags o
        WHERE o.env = :env AND o.run_id = g.run_id AND o.name = w.name AND o.value = w.value LIMIT 1) IS NOT NULL)
      = cardinality(:names::text[])
  THEN true ELSE false END

-- name: list_tagged_runs
-- One page along the index of the first tag, whose entries are in the order of creation; the others are looked up by run.
-- An entry whose run is gone, pruned by a process that knows no tags, shows nothing. No more than :looked are looked at.
WITH bound AS MATERIALIZED (
  SELECT g.created_at AS at, g.run_id FROM {schema}.run_tags g
  WHERE {tag_place} ORDER BY g.created_at {direction}, g.run_id {direction} OFFSET :looked LIMIT 1
)
SELECT r.run_id, r.task_id, r.queue, r.status, r.sequence, r.attempts, r.failures, r.retries, r.releases,
  r.run_at, r.created_at, r.updated_at, r.started_at, r.finished_at, r.concurrency_key, r.idempotency_key,
  r.singleton_key, r.lease_worker, r.failure, e.at, e.run_id, false
FROM (SELECT max(b.at) AS at, max(b.run_id) AS run_id FROM bound b) e LEFT JOIN (
  {run_summary}
  FROM {schema}.run_tags g CROSS JOIN LATERAL (
    {active_summaries} AND a.run_id = g.run_id
    UNION ALL
    {terminal_summaries} AND t.run_id = g.run_id LIMIT 1) r
  WHERE {tag_place}
    AND (g.created_at, g.run_id)
      {until} (coalesce((SELECT b.at FROM bound b), {range_edge}, '{edge}'),
        coalesce((SELECT b.run_id FROM bound b), ''))
    AND {tagged_fits}
  ORDER BY g.created_at {direction}, g.run_id {direction} LIMIT :limit) r ON true
ORDER BY r.created_at {direction}, r.run_id {direction}

-- name: find_tags
-- Run by run, in the order of the key: another index of tags begins with the environment too.
SELECT g.run_id, g.name, g.value FROM (SELECT DISTINCT n.run_id FROM unnest(:run_ids::text[]) AS n(run_id)) p
CROSS JOIN LATERAL (
  SELECT t.run_id, t.name, t.value FROM {schema}.run_tags t
  WHERE t.env = :env AND t.run_id BETWEEN p.run_id AND p.run_id
  ORDER BY t.run_id, t.name OFFSET 0) g
ORDER BY g.run_id, g.name

-- fragment: events_of_run
-- One page of a run's history, along its key.
{events_found} AND e.run_id = :run_id
  {event_filter}
  AND (:after_sequence::bigint IS NULL OR e.sequence {after} :after_sequence)
ORDER BY e.sequence {direction}
LIMIT :limit

-- name: list_events_of_run
{events_of_run}

-- fragment: behind_time
-- In the order of time behind the page before.
  AND (:after_time::timestamptz IS NULL OR (e.occurred_at, e.event_id) {after} (:after_time, :after_event_id))
ORDER BY e.occurred_at {direction}, e.event_id {direction}
LIMIT :limit

-- fragment: events_of_run_by_time
-- One page of a run's history by time, along its key.
{events_found} AND e.run_id = :run_id
  {event_filter}
  {behind_time}

-- name: list_events_of_run_by_time
{events_of_run_by_time}

-- fragment: events_by_time
-- One page of events of any runs, by time. The range of time is one that an index takes whatever its ends are, and the
-- block index leaves out what is not of it; that environments are compared so that no index has them keeps a plan from
-- walking the key, which begins with them.
SELECT e.run_id, e.sequence, e.event_id, e.type, e.occurred_at, e.body
FROM {schema}.run_events e
WHERE e.env IS NOT DISTINCT FROM :env
  AND (:types::text[] IS NULL OR e.type = ANY (:types::text[]))
  AND e.occurred_at >= coalesce(:occurred_from::timestamptz, '-infinity')
  AND e.occurred_at < coalesce(:occurred_before::timestamptz, 'infinity')
  AND e.occurred_at {from_there} coalesce(:after_time::timestamptz, '{begin}')
  {behind_time}

-- name: list_events_by_time
{events_by_time}

-- name: list_sized_events
-- A page that ends behind the row with which its bodies come to :bytes, and how many rows it has without that. How long a
-- body is stands beside it: none is read that is not answered.
SELECT s.run_id, s.sequence, s.event_id, s.type, s.occurred_at, s.body, s.found
FROM (
  SELECT p.run_id, p.sequence, p.event_id, p.type, p.occurred_at, p.body, (count(*) OVER ())::integer AS found,
    coalesce(sum(octet_length(p.body))
      OVER (ORDER BY {page_order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
  FROM ({page}) p) s
WHERE s.before < :bytes::integer
ORDER BY s.before

-- fragment: created_then
-- Created at a time that is asked for.
r.env = :env AND r.sequence > 0 AND r.created_at >= coalesce(:occurred_from::timestamptz, '-infinity')
    AND r.created_at < coalesce(:occurred_before::timestamptz, 'infinity')

-- fragment: created_at_once
-- Of the time at which the page before ended.
WHERE {created_then} AND r.created_at = :after_time::timestamptz

-- fragment: next_created
-- Behind that time as many as a page has, with all of the time of the last.
WHERE {created_then} AND r.created_at {after} coalesce(:after_time::timestamptz, '{begin}')
   ORDER BY r.created_at {direction} FETCH FIRST :limit ROWS WITH TIES

-- fragment: creations_by_time
-- One page of the first events of runs, by time, along the indexes of when runs were created: which is when that event
-- occurred. Of runs of one time all are looked at, since only their events say in which order they come.
SELECT e.run_id, e.sequence, e.event_id, e.type, e.occurred_at, e.body
FROM (
  SELECT r.run_id FROM {schema}.active_runs r {created_at_once}
  UNION ALL
  SELECT r.run_id FROM {schema}.terminal_runs r {created_at_once}
  UNION ALL
  (SELECT r.run_id FROM {schema}.active_runs r {next_created})
  UNION ALL
  (SELECT r.run_id FROM {schema}.terminal_runs r {next_created})) c
CROSS JOIN LATERAL (
  SELECT x.run_id, x.sequence, x.event_id, x.type, x.occurred_at, x.body FROM {schema}.run_events x
  WHERE x.env = :env AND x.run_id = c.run_id AND x.sequence = 1 LIMIT 1) e
WHERE :after_time::timestamptz IS NULL OR (e.occurred_at, e.event_id) {after} (:after_time, :after_event_id)
ORDER BY e.occurred_at {direction}, e.event_id {direction}
LIMIT :limit

-- name: list_creations_by_time
{creations_by_time}

-- name: list_runnable_unbounded
-- Due runs of unbounded queues, along the due index: one range a queue, task and kind.
{due_runs}
FROM unnest(:queues::text[]) AS q(queue) CROSS JOIN unnest(:task_ids::text[]) AS t(task_id)
CROSS JOIN (VALUES (0), (1)) AS k(kind)
CROSS JOIN LATERAL (
  {due_run_columns}
  FROM {schema}.active_runs r
  WHERE r.env = :env AND r.queue = q.queue AND r.partition IS NULL AND r.task_id = t.task_id
    AND r.kind = k.kind AND r.due_at <= :now
  ORDER BY r.due_at, r.run_id LIMIT :limit) a
ORDER BY a.due_at, a.run_id LIMIT :limit

-- name: list_runnable_bounded
-- Due runs of bounded queues, partition by partition and task by task: those that occupy a slot already, and
-- of the waiting ones as many as there is room for. Expired reservations of other runs do not count.
WITH RECURSIVE {partitions_with_room}, waiting AS MATERIALIZED (
  {due_runs} AS available_at, m.free,
    row_number() OVER (PARTITION BY m.queue, m.partition ORDER BY a.due_at, a.run_id) AS place
  FROM room m CROSS JOIN unnest(:task_ids::text[]) AS t(task_id) CROSS JOIN LATERAL (
    {due_run_columns}
    FROM {schema}.active_runs r
    WHERE r.env = :env AND r.queue = m.queue AND r.partition IS NOT NULL AND r.partition = m.partition
      AND NOT r.occupies AND r.task_id = t.task_id AND r.kind IN (0, 1) AND r.due_at <= :now
    ORDER BY r.due_at, r.run_id LIMIT least(greatest(m.free, 0), :limit)) a
)
SELECT a.run_id, a.task_id, a.queue, a.concurrency_key, a.status, a.sequence, a.available_at
FROM (
  SELECT o.run_id, o.task_id, o.queue, o.concurrency_key, o.status, o.sequence, o.available_at
  FROM room m CROSS JOIN unnest(:task_ids::text[]) AS t(task_id) CROSS JOIN LATERAL (
    SELECT r.run_id, r.task_id, r.queue, r.concurrency_key, r.status, r.sequence,
      CASE r.kind WHEN 3 THEN coalesce(r.run_at, r.updated_at) ELSE r.due_at END AS available_at
    FROM {schema}.active_runs r
    WHERE r.env = :env AND r.queue = m.queue AND r.partition IS NOT NULL AND r.partition = m.partition
      AND r.occupies AND r.task_id = t.task_id
      AND ((r.kind = 1 AND r.due_at <= :now)
        OR (r.kind = 3 AND r.due_at > :now AND coalesce(r.run_at, r.updated_at) <= :now))
    ORDER BY r.due_at, r.run_id) o
  UNION ALL
  SELECT w.run_id, w.task_id, w.queue, w.concurrency_key, w.status, w.sequence, w.available_at
  FROM waiting w WHERE w.place <= w.free) a
ORDER BY a.available_at, a.run_id LIMIT :limit

-- name: list_needing_dispatch
-- Due runs of bounded queues without a live reservation: expired leases, which keep their slot, and of
-- the waiting ones and those whose reservation expired as many as there is room for. Waiting ones are looked for task
-- by task, in the order that the index has of each, and so are the others, in each partition. The last rows say of each queue to where and over how many partitions it was walked, and in place
-- of a task whether a run of it has no partition.
WITH RECURSIVE {partitions_with_room}, tasks AS (
  SELECT m.queue, m.partition, m.free, t.task_id FROM room m CROSS JOIN LATERAL (
    SELECT a.task_id FROM {schema}.active_runs a
    WHERE a.env = :env AND a.queue = m.queue AND a.partition IS NOT NULL AND a.partition = m.partition
      AND NOT a.occupies
    ORDER BY a.task_id LIMIT 1) t
  WHERE m.free > 0
  UNION ALL
  SELECT q.queue, q.partition, q.free, t.task_id FROM tasks q CROSS JOIN LATERAL (
    SELECT a.task_id FROM {schema}.active_runs a
    WHERE a.env = :env AND a.queue = q.queue AND a.partition IS NOT NULL AND a.partition = q.partition
      AND NOT a.occupies AND a.task_id > q.task_id
    ORDER BY a.task_id LIMIT 1) t
), held AS MATERIALIZED (
  SELECT a.*, m.partition, m.free FROM room m CROSS JOIN LATERAL (
    {due_run_columns}, r.kind
    FROM {schema}.active_runs r
    WHERE r.env = :env AND r.queue = m.queue AND r.partition IS NOT NULL AND r.partition = m.partition
      AND r.occupies AND r.kind IN (1, 3) AND r.due_at <= :now
    ORDER BY r.task_id, r.due_at, r.run_id) a
), wanting AS MATERIALIZED (
  SELECT a.*, row_number() OVER (PARTITION BY a.queue, a.partition ORDER BY a.due_at, a.run_id) AS place
  FROM (
    SELECT w.*, q.partition, q.free FROM tasks q CROSS JOIN LATERAL (
      {due_run_columns}
      FROM {schema}.active_runs r
      WHERE r.env = :env AND r.queue = q.queue AND r.partition IS NOT NULL AND r.partition = q.partition
        AND NOT r.occupies AND r.task_id = q.task_id AND r.kind IN (0, 1, 3) AND r.due_at <= :now
      ORDER BY r.due_at, r.run_id LIMIT least(q.free, :limit)) w
    UNION ALL
    {due_runs}, a.partition, a.free FROM held a WHERE a.kind = 3) a
)
({due_runs}
FROM (
  {due_runs} FROM held a WHERE a.kind = 1
  UNION ALL
  {due_runs} FROM wanting a WHERE a.place <= a.free) a
ORDER BY a.due_at, a.run_id LIMIT :limit)
UNION ALL
SELECT NULL, {without_partition}::text, b.queue, max(w.partition), NULL, count(w.partition), NULL
FROM unnest(:bounded_queues::text[]) AS b(queue) LEFT JOIN walk w ON w.queue = b.queue GROUP BY b.queue

-- name: list_cancelling
{due_runs}
FROM {schema}.active_runs a
WHERE a.env = :env AND a.kind = 2 AND a.due_at <= :now
ORDER BY a.due_at, a.run_id LIMIT :limit

-- name: list_needing_delivery
-- Due runs of unbounded queues other than queued ones, task by task; a scheduled run owns an outbox message and is left
-- to it for a while.
WITH RECURSIVE {tasks_of_queues}
{due_runs}
FROM tasks q CROSS JOIN LATERAL (
  {due_run_columns}
  FROM {schema}.active_runs r
  WHERE r.env = :env AND r.queue = q.queue AND r.partition IS NULL AND r.task_id = q.task_id AND r.kind = 1
    AND r.due_at <= :now AND (r.status <> 'scheduled' OR r.due_at <= :scheduled_before)
  ORDER BY r.due_at, r.run_id LIMIT :limit) a
ORDER BY a.due_at, a.run_id LIMIT :limit
