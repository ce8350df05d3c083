package dev.runlane.benchmarks.operate;

import dev.runlane.benchmarks.measure.Sql;
import org.jspecify.annotations.Nullable;

/**
 * A database that has been worked with for three months, made of three real runs: one that succeeded, one that failed
 * and one that waits. Of the ended ones, the first and the last event are kept. Most ended runs have succeeded; one
 * in fifty has failed, one in a thousand was cancelled; there is a rare task, some have keys and tags. Of those that
 * wait, half are due in an unbounded queue, a quarter wait for their partitions and a quarter for their time.
 */
final class OperatedRuns {
  static final int TASKS = 20;

  /** A run that waits for its partition, not soon drained. */
  static final String LAST_BOUNDED =
      "SELECT max(run_id) FROM runlane.active_runs WHERE queue = 'bounded' AND run_id LIKE 'run_0W%'";

  private static final long CHUNK = 100_000;
  private static final int DAYS = 14;
  private static final int MINUTES_A_DAY = 24 * 60;

  private final Sql sql;
  private final Templates templates;

  /** The runs that the others are copies of. */
  record Templates(String succeeded, String failed, String waiting) {}

  OperatedRuns(Sql sql, Templates templates) {
    this.sql = sql;
    this.templates = templates;
  }

  /** Stores so many of each kind, and what goes with them. */
  void store(long ended, long waiting) {
    for (long from = 0; from < ended; from += CHUNK) {
      ended(ended, from, Math.min(ended, from + CHUNK) - 1);
      if ((from / CHUNK) % 10 == 9) {
        System.out.println(from + CHUNK + " ended runs are stored");
      }
    }
    for (long from = 0; from < waiting; from += CHUNK) {
      waiting(from, Math.min(waiting, from + CHUNK) - 1);
    }
    sql.execute("""
        INSERT INTO runlane.queue_capacity (env, queue, partition, used)
        SELECT DISTINCT env, queue, partition, 0 FROM runlane.active_runs WHERE partition IS NOT NULL
        ON CONFLICT DO NOTHING""");
    throughput();
    actions();
    sql.execute("VACUUM ANALYZE");
    sql.execute(
        "CREATE TABLE public.operated_runs AS SELECT '%s' AS succeeded, '%s' AS failed, '%s' AS waiting"
            .formatted(templates.succeeded(), templates.failed(), templates.waiting()));
  }

  /** Those of a database that was filled before, null where none was. */
  static @Nullable Templates storedBefore(Sql sql) {
    if (sql.text("SELECT to_regclass('public.operated_runs')").equals("null")) {
      return null;
    }
    String from = " FROM public.operated_runs";
    return new Templates(
        sql.text("SELECT succeeded" + from),
        sql.text("SELECT failed" + from),
        sql.text("SELECT waiting" + from));
  }

  private void ended(long all, long first, long last) {
    sql.execute("""
        WITH ends AS MATERIALIZED (
          SELECT t.* FROM runlane.environments e JOIN runlane.terminal_runs t USING (env)
          WHERE t.run_id IN ('%4$s', '%5$s')
        ), history AS MATERIALIZED (
          SELECT h.* FROM runlane.environments e JOIN runlane.run_events h USING (env)
          WHERE h.run_id IN ('%4$s', '%5$s') AND h.type IN ('run.created', 'run.succeeded', 'run.failed')
        ), old AS MATERIALIZED (
          SELECT e.env, 'run_0' || lpad(n::text, 25, '0') AS run_id, n,
            now() - (%1$s - n) * (interval '90 days' / %1$s) AS at,
            CASE WHEN n %% 1000 = 7 THEN 'cancelled' WHEN n %% 50 = 3 THEN 'failed' ELSE 'succeeded' END AS status,
            CASE WHEN n %% 1000000 = 17 THEN 'rare' ELSE 'task-' || n %% 20 END AS task_id,
            CASE WHEN n %% 1000000 = 17 THEN 'rare' ELSE 'queue-' || n %% 5 END AS queue
          FROM runlane.environments e, generate_series(%2$s::bigint, %3$s::bigint) AS n
        ), runs AS (
          INSERT INTO runlane.terminal_runs (env, run_id, task_id, queue, status, sequence, attempts, failures,
            retries, releases, created_at, updated_at, started_at, finished_at, concurrency_key, idempotency_key,
            failure)
          SELECT o.env, o.run_id, o.task_id, o.queue, o.status, t.sequence, t.attempts, t.failures, t.retries,
            t.releases, o.at, o.at + interval '5 s', o.at + interval '1 s', o.at + interval '5 s',
            CASE WHEN o.n %% 10 = 1 THEN 'customer-' || o.n %% 5000 END,
            CASE WHEN o.n %% 7 = 1 THEN 'order-' || o.n END,
            t.failure
          FROM old o JOIN ends t ON t.run_id = CASE o.status WHEN 'failed' THEN '%5$s' ELSE '%4$s' END
        ), tags AS (
          INSERT INTO runlane.run_tags (env, run_id, name, value, created_at)
          SELECT env, run_id, 'customer', 'customer-' || n %% 5000, at FROM old WHERE n %% 100 = 0
        )
        INSERT INTO runlane.run_events (env, run_id, sequence, type, occurred_at, body)
        SELECT o.env, o.run_id, e.sequence, e.type, o.at, e.body
        FROM old o JOIN history e
          ON e.run_id = CASE o.status WHEN 'failed' THEN '%5$s' ELSE '%4$s' END""".formatted(all, first, last, templates.succeeded(), templates.failed()));
  }

  private void waiting(long first, long last) {
    sql.execute("""
        WITH first AS MATERIALIZED (
          SELECT a.* FROM runlane.environments e JOIN runlane.active_runs a USING (env) WHERE a.run_id = '%3$s'
        ), history AS MATERIALIZED (
          SELECT h.* FROM runlane.environments e JOIN runlane.run_events h USING (env) WHERE h.run_id = '%3$s'
        ), fresh AS MATERIALIZED (
          SELECT e.env, 'run_0W' || lpad(n::text, 24, '0') AS run_id, n,
            now() - interval '1 hour' + n * interval '1 microsecond' AS at, n %% 4 AS kind
          FROM runlane.environments e, generate_series(%1$s::bigint, %2$s::bigint) AS n
        ), runs AS (
          INSERT INTO runlane.active_runs (env, run_id, task_id, queue, partition, status, kind, occupies, due_at,
            sequence, attempts, failures, retries, releases, run_at, created_at, updated_at, concurrency_key)
          SELECT f.env, f.run_id, CASE f.kind WHEN 0 THEN 'bounded' ELSE 'noop' END,
            CASE f.kind WHEN 0 THEN 'bounded' ELSE 'load' END,
            CASE f.kind WHEN 0 THEN 'customer-' || f.n %% 1000 END,
            CASE f.kind WHEN 1 THEN 'scheduled' ELSE 'queued' END, CASE f.kind WHEN 1 THEN 1 ELSE 0 END, false,
            CASE f.kind WHEN 1 THEN f.at + interval '7 days' ELSE f.at END, t.sequence, 0, 0, 0, 0,
            CASE f.kind WHEN 1 THEN f.at + interval '7 days' END, f.at, f.at,
            CASE f.kind WHEN 0 THEN 'customer-' || f.n %% 1000 END
          FROM fresh f CROSS JOIN first t
        )
        INSERT INTO runlane.run_events (env, run_id, sequence, type, occurred_at, body)
        SELECT f.env, f.run_id, e.sequence, e.type, f.at, e.body
        FROM fresh f CROSS JOIN history e""".formatted(first, last, templates.waiting()));
  }

  private void throughput() {
    for (int day = 0; day < DAYS; day++) {
      throughput(day * MINUTES_A_DAY + 1, (day + 1) * MINUTES_A_DAY);
    }
    fold();
  }

  /** Folds what was stored before there were folds. */
  void foldIfUnfolded() {
    if (sql.number("SELECT count(*) FROM (SELECT FROM runlane.throughput_folds LIMIT 1) f") == 0) {
      fold();
    }
  }

  /** As processes do behind what they add, twenty steps at a time. */
  private void fold() {
    sql.execute("""
        BEGIN;
        INSERT INTO runlane.throughput_folded AS f (env, until, late)
        SELECT e.env, runlane.begin_of_step(now() - interval '10 minutes', 5), 0 FROM runlane.environments e
        ON CONFLICT (env) DO UPDATE SET until = excluded.until, late = f.late + 1;
        DELETE FROM runlane.throughput_folds;
        INSERT INTO runlane.throughput_folds (env, grain, at, queue, task_id, numbers)
        SELECT s.env, s.grain, s.at, s.queue, s.task_id, array_agg(s.total ORDER BY s.place)
        FROM (
          SELECT m.env, g.grain, runlane.begin_of_step(m.minute, g.grain) AS at, m.queue, m.task_id, n.place,
            sum(n.number)::bigint AS total
          FROM runlane.throughput_minutes m JOIN runlane.throughput_folded f ON f.env = m.env AND m.minute < f.until
            CROSS JOIN (VALUES (5), (60)) AS g(grain)
            CROSS JOIN LATERAL unnest(m.numbers) WITH ORDINALITY AS n(number, place)
          GROUP BY 1, 2, 3, 4, 5, 6) s
        GROUP BY 1, 2, 3, 4, 5;
        COMMIT""");
  }

  private void throughput(int first, int last) {
    sql.execute("""
        INSERT INTO runlane.throughput_minutes (env, minute, queue, task_id, numbers)
        SELECT e.env, date_trunc('minute', now()) - m * interval '1 minute', 'queue-' || t %% 5, 'task-' || t,
          array_fill(3::bigint, ARRAY[80])
        FROM runlane.environments e, generate_series(%s, %s) AS m, generate_series(0, %s) AS t
        ON CONFLICT DO NOTHING""".formatted(first, last, TASKS - 1));
  }

  private void actions() {
    sql.execute("""
        INSERT INTO runlane.operator_actions (env, action_id, actor_type, actor_id, action, target, at, succeeded,
          result, ended_at)
        SELECT env, 'act_' || lpad(n::text, 26, '0'), 'operator', 'ada', 'queue.pause', 'load',
          now() - n * interval '10 s', true, 'true', now()
        FROM runlane.environments, generate_series(1, 100000) AS n""");
    sql.execute("""
        INSERT INTO runlane.outbox_messages (env, run_id, sequence, message_id, queue, status, requested_at,
          available_at, next_at, failed_publishes)
        SELECT env, run_id, 2, 'msg_' || run_id, queue, 'dead_lettered', created_at, created_at, 'infinity', 10
        FROM runlane.active_runs WHERE queue = 'load' ORDER BY env, run_id LIMIT 10000""");
  }
}
