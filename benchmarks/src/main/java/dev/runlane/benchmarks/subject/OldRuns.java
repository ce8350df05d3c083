package dev.runlane.benchmarks.subject;

import dev.runlane.benchmarks.measure.Sql;

/** Runs as if they had been there for long: terminal ones with five events each, and such as wait. */
final class OldRuns {
  private static final long CHUNK = 250_000;

  private OldRuns() {}

  private static final String ENVIRONMENT = """
      WITH env AS (
        INSERT INTO runlane.environments (environment_key) VALUES ('default')
        ON CONFLICT (environment_key) DO UPDATE SET environment_key = excluded.environment_key
        RETURNING env
      )""";

  private static final String ENDED = """
      , old AS MATERIALIZED (
        SELECT env, 'run_0' || lpad(n::text, 25, '0') AS run_id,
          timestamptz '2025-01-01 00:00Z' + n * interval '1 second' AS at
        FROM env, generate_series(%s::bigint, %s::bigint) AS n
      ), runs AS (
        INSERT INTO runlane.terminal_runs (env, run_id, task_id, queue, status, sequence, attempts, failures,
          retries, releases, created_at, updated_at, started_at, finished_at)
        SELECT env, run_id, 'noop', 'load', 'succeeded', 5, 1, 0, 0, 0, at, at, at, at FROM old
      )
      INSERT INTO runlane.run_events (env, run_id, sequence, type, occurred_at, body)
      SELECT env, run_id, s.sequence, s.type, at, s.body
      FROM old CROSS JOIN (VALUES
        (1, 'run.created', '{"taskId":"noop","queue":"load","payload":{"text":"' || repeat('x', 150) || '"}}'),
        (2, 'run.delivery_requested', '{}'),
        (3, 'run.lease_claimed', '{}'),
        (4, 'run.started', '{"attempt":1}'),
        (5, 'run.succeeded', '{"attempt":1}')) AS s(sequence, type, body)""";

  /** Every other one is due in a day, the rest long since, of a task that the measured process does not have. */
  private static final String WAITING = """
      , fresh AS MATERIALIZED (
        SELECT env, 'run_0W' || lpad(n::text, 24, '0') AS run_id, n %% 2 AS later,
          now() - interval '1 hour' + n * interval '1 microsecond' AS at
        FROM env, generate_series(%s::bigint, %s::bigint) AS n
      ), runs AS (
        INSERT INTO runlane.active_runs (env, run_id, task_id, queue, status, kind, occupies, due_at, run_at,
          sequence, attempts, failures, retries, releases, created_at, updated_at)
        SELECT env, run_id, CASE later WHEN 1 THEN 'noop' ELSE 'foreign' END, 'load',
          CASE later WHEN 1 THEN 'scheduled' ELSE 'queued' END, later, false, at + later * interval '1 day',
          CASE later WHEN 1 THEN at + interval '1 day' END, 2, 0, 0, 0, 0, at, at
        FROM fresh
      )
      INSERT INTO runlane.run_events (env, run_id, sequence, type, occurred_at, body)
      SELECT env, run_id, s.sequence, s.type, at, s.body
      FROM fresh CROSS JOIN (VALUES
        (1, 'run.created', '{"taskId":"noop","queue":"load","payload":{"text":"' || repeat('x', 150) || '"}}'),
        (2, 'run.delivery_requested', '{}')) AS s(sequence, type, body)""";

  /** Stores {@code runs.ended()} runs, spread over the year before last month, and those that wait. */
  static void store(Sql sql, Workload.Stored runs) {
    store(sql, ENDED, runs.ended());
    store(sql, WAITING, runs.waiting());
  }

  private static void store(Sql sql, String statement, long count) {
    for (long from = 0; from < count; from += CHUNK) {
      sql.execute(ENVIRONMENT + statement.formatted(from, Math.min(count, from + CHUNK) - 1));
    }
  }
}
