-- Groups with jobs that waited already get the mark that those of new jobs leave: a loose scan. All who wrote jobs without
-- leaving one had committed when the triggers were made, and this holds no lock but those of the rows it adds.
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;

WITH RECURSIVE best AS (
  (SELECT j.queue, j.group_id, j.priority, j.place FROM {schema}.jobs j
   WHERE j.state = 'waiting' AND j.group_id IS NOT NULL
   ORDER BY j.queue, j.group_id, j.priority, j.place LIMIT 1)
  UNION ALL
  SELECT x.queue, x.group_id, x.priority, x.place FROM best b CROSS JOIN LATERAL (
    SELECT j.queue, j.group_id, j.priority, j.place FROM {schema}.jobs j
    WHERE j.state = 'waiting' AND j.group_id IS NOT NULL AND (j.queue, j.group_id) > (b.queue, b.group_id)
    ORDER BY j.queue, j.group_id, j.priority, j.place LIMIT 1) x
)
INSERT INTO {schema}.job_group_marks (queue, number, group_id, priority, place)
SELECT b.queue, nextval('{schema}.job_group_mark_numbers'), b.group_id, b.priority, b.place FROM best b;
