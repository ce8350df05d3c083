package dev.runlane.benchmarks.subject;

import dev.runlane.benchmarks.measure.Sql;

/** Terminal runs with five events each, as if they had been worked on long ago. */
final class OldRuns {
  private static final long CHUNK = 250_000;

  private OldRuns() {}

  /** Stores {@code count} runs, spread over the year before last month. */
  static void store(Sql sql, long count) {
    for (long from = 0; from < count; from += CHUNK) {
      store(sql, from, Math.min(count, from + CHUNK) - 1);
    }
  }

  private static void store(Sql sql, long first, long last) {
    sql.execute("""
        WITH env AS (
          INSERT INTO runlane.environments (environment_key) VALUES ('default')
          ON CONFLICT (environment_key) DO UPDATE SET environment_key = excluded.environment_key
          RETURNING env
        ), old AS MATERIALIZED (
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
          (5, 'run.succeeded', '{"attempt":1}')) AS s(sequence, type, body)""".formatted(first, last));
  }
}
