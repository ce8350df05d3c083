-- MySQL 8 and MariaDB from 10.6 on, in what both understand. Lists, :ids and
-- {rows}, have as many places as there are values. Rows are locked by their keys,
-- looked at by the program, which compares ids and tokens character by character
-- whatever the collation of the tables is, and changed by their keys. The index is
-- named everywhere: a plan that scans waits for rows of others, and locks them.

-- name: settings
-- Bytes of the longest statement that the server takes, and how this session's
-- writes get into the binary log. A server need not know all of them.
SHOW VARIABLES
 WHERE variable_name IN ('max_allowed_packet', 'log_bin', 'sql_log_bin', 'binlog_format')

-- name: find_objects
-- How many are there of the two tables' keys and our two indexes.
SELECT count(DISTINCT table_name, index_name)
  FROM information_schema.statistics
 WHERE table_schema = database()
   AND (table_name = :tasks AND index_name IN ('PRIMARY', :tasks_index)
     OR table_name = :results AND index_name IN ('PRIMARY', :results_index))

-- name: lock_creation
-- One process at a time creates the tables of a prefix: gives 1 once it may.
SELECT get_lock(:lock, 10)

-- name: unlock_creation
SELECT release_lock(:lock)

-- name: wait_shortly
-- How long what follows waits for others who use a table. Everybody who comes
-- later waits behind it.
SET SESSION lock_wait_timeout = 1

-- name: wait_as_usual
SET SESSION lock_wait_timeout = DEFAULT

-- name: create_tasks
-- Exactly the published columns. The collation tells apart what differs.
CREATE TABLE IF NOT EXISTS `{prefix}_transport_tasks` (
  step_id varchar(191) NOT NULL PRIMARY KEY,
  run_id varchar(191) NOT NULL,
  seq integer NOT NULL,
  name varchar(191) NOT NULL,
  grp varchar(191) NOT NULL,
  input longtext,
  attempt integer NOT NULL,
  status varchar(32) NOT NULL,
  claimed_by varchar(191),
  claimed_at bigint,
  created_at bigint NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

-- name: create_results
CREATE TABLE IF NOT EXISTS `{prefix}_transport_results` (
  step_id varchar(191) NOT NULL PRIMARY KEY,
  run_id varchar(191) NOT NULL,
  seq integer NOT NULL,
  status varchar(32) NOT NULL,
  output longtext,
  error longtext,
  started_at bigint,
  claimed_by varchar(191),
  claimed_at bigint,
  created_at bigint NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

-- name: create_tasks_index
-- Fails when there is one of this name, which is as good.
CREATE INDEX `{prefix}_transport_tasks_order_idx`
  ON `{prefix}_transport_tasks` (grp, created_at)

-- name: create_results_index
CREATE INDEX `{prefix}_transport_results_order_idx`
  ON `{prefix}_transport_results` (created_at, step_id)

-- name: standing_tasks
-- Tasks of these steps, committed by now.
SELECT step_id, attempt FROM `{prefix}_transport_tasks` FORCE INDEX (PRIMARY)
 WHERE step_id IN (:ids)

-- name: standing_tasks_now
-- The same after a task was found in the way: also what a transaction that began
-- earlier and repeats its reads would not see.
SELECT step_id, attempt FROM `{prefix}_transport_tasks` FORCE INDEX (PRIMARY)
 WHERE step_id IN (:ids) LOCK IN SHARE MODE

-- name: insert_tasks
-- Fails as a whole when one of them is there already.
INSERT INTO `{prefix}_transport_tasks`
  (step_id, run_id, seq, name, grp, input, attempt, status, created_at)
VALUES {rows}

-- fragment: task_row
(:step_id, :run_id, :seq, :name, :group, :input, :attempt, 'pending', :created_at)

-- name: lock_tasks
-- Tasks of these steps and who leases them, in one order with everybody else.
SELECT step_id, claimed_by, claimed_at, run_id, seq, created_at
  FROM `{prefix}_transport_tasks` FORCE INDEX (PRIMARY)
 WHERE step_id IN (:ids) ORDER BY step_id FOR UPDATE

-- name: delete_tasks
-- By way of their keys. With the list alone both servers read all of a table that is small, or was so when they
-- last counted, and wait for each row that anybody has locked. The order needs more than the key, which keeps the
-- inner part from reading the whole of it too; the limit is more than there ever are.
DELETE t FROM (
    SELECT step_id FROM `{prefix}_transport_tasks` FORCE INDEX (PRIMARY)
     WHERE step_id IN (:ids) ORDER BY created_at LIMIT 100000) AS found
  STRAIGHT_JOIN `{prefix}_transport_tasks` AS t FORCE INDEX (PRIMARY) ON t.step_id = found.step_id

-- name: lease_tasks
UPDATE `{prefix}_transport_tasks` FORCE INDEX (PRIMARY) SET claimed_by = :token, claimed_at = :claimed_at
 WHERE step_id IN (:ids)

-- name: renew_tasks
UPDATE `{prefix}_transport_tasks` FORCE INDEX (PRIMARY) SET claimed_at = :claimed_at
 WHERE step_id IN (:ids)

-- name: waiting_of_group
-- When the waiting tasks of a group were dispatched, from an instant on; locks
-- nothing. The index may hold names that the collation takes for the same.
SELECT grp, created_at
  FROM `{prefix}_transport_tasks` FORCE INDEX (`{prefix}_transport_tasks_order_idx`)
 WHERE grp = :group AND CAST(CONVERT(grp USING utf8mb4) AS BINARY) = CAST(:group AS BINARY)
   AND created_at >= :from AND (claimed_at IS NULL OR claimed_at < :claimed_before)
 ORDER BY created_at LIMIT :limit

-- name: lock_waiting
-- The oldest of them, past those that somebody is claiming in this moment. An
-- input too long for a worker's memory stays here, and only its length is told.
SELECT step_id, run_id, seq, name, grp, CASE WHEN length(input) <= :most_bytes THEN input END,
       attempt, created_at, length(input)
  FROM `{prefix}_transport_tasks` FORCE INDEX (`{prefix}_transport_tasks_order_idx`)
 WHERE grp = :group AND CAST(CONVERT(grp USING utf8mb4) AS BINARY) = CAST(:group AS BINARY)
   AND created_at >= :from AND (claimed_at IS NULL OR claimed_at < :claimed_before)
 ORDER BY created_at LIMIT :limit FOR UPDATE SKIP LOCKED

-- name: present_steps
-- Steps that have a row. One snapshot: a task that becomes a result in this
-- moment is seen as one of the two. Converted, since the collations of two tables
-- of somebody else's may be of no one's union. The time is there because what is in
-- the key alone may be answered by reading all keys.
SELECT CONVERT(step_id USING utf8mb4), created_at
  FROM `{prefix}_transport_tasks` FORCE INDEX (PRIMARY) WHERE step_id IN (:ids)
UNION ALL
SELECT CONVERT(step_id USING utf8mb4), created_at
  FROM `{prefix}_transport_results` FORCE INDEX (PRIMARY) WHERE step_id IN (:ids)

-- name: list_tasks
-- Tasks that stand, without their content.
SELECT step_id, attempt, claimed_at, claimed_by FROM `{prefix}_transport_tasks` FORCE INDEX (PRIMARY)
 WHERE step_id IN (:ids)

-- name: list_results
-- Results nobody holds, after a position, without their content.
SELECT step_id, run_id, created_at
  FROM `{prefix}_transport_results` FORCE INDEX (`{prefix}_transport_results_order_idx`)
 WHERE created_at >= :from AND (created_at > :from OR step_id > :after)
   AND (claimed_at IS NULL OR claimed_at < :claimed_before)
 ORDER BY created_at, step_id LIMIT :limit

-- name: result_times
-- When results of these steps were written, claimed or not.
SELECT step_id, created_at FROM `{prefix}_transport_results` FORCE INDEX (PRIMARY)
 WHERE step_id IN (:ids)

-- name: lock_results
-- Results of these steps and who holds them, in one order with everybody else.
SELECT step_id, claimed_by, claimed_at, run_id, seq, created_at
  FROM `{prefix}_transport_results` FORCE INDEX (PRIMARY)
 WHERE step_id IN (:ids) ORDER BY step_id FOR UPDATE

-- name: lock_free_results
-- Those that nobody holds; a row that somebody is claiming in this moment is
-- skipped, never waited for. What is too long for an engine's memory stays here,
-- and only its length is told.
SELECT step_id, run_id, seq, status, CASE WHEN length(output) <= :most_bytes THEN output END,
       CASE WHEN length(error) <= :most_bytes THEN error END, started_at, created_at,
       greatest(coalesce(length(output), 0), coalesce(length(error), 0))
  FROM `{prefix}_transport_results` FORCE INDEX (PRIMARY)
 WHERE step_id IN (:ids) AND (claimed_at IS NULL OR claimed_at < :claimed_before)
 ORDER BY step_id FOR UPDATE SKIP LOCKED

-- name: hold_results
UPDATE `{prefix}_transport_results` FORCE INDEX (PRIMARY) SET claimed_by = :token, claimed_at = :claimed_at
 WHERE step_id IN (:ids)

-- name: insert_results
-- A result that is there already stays as it is. Unlike INSERT IGNORE this hides
-- no other failure.
INSERT INTO `{prefix}_transport_results`
  (step_id, run_id, seq, status, output, error, started_at, created_at)
VALUES {rows}
ON DUPLICATE KEY UPDATE step_id = `{prefix}_transport_results`.step_id

-- fragment: result_row
(:step_id, :run_id, :seq, :status, :output, :error, :started_at, :created_at)

-- name: delete_results
-- In the same way.
DELETE r FROM (
    SELECT step_id FROM `{prefix}_transport_results` FORCE INDEX (PRIMARY)
     WHERE step_id IN (:ids) ORDER BY created_at LIMIT 100000) AS found
  STRAIGHT_JOIN `{prefix}_transport_results` AS r FORCE INDEX (PRIMARY) ON r.step_id = found.step_id
