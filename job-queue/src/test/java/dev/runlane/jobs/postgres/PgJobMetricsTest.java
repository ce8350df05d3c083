package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.cause;
import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.store.JobStoreOptions;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Buckets of very many minutes, as of a time in which nobody added them up. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobMetricsTest {
  private static final int MANY = 12_000;

  private final JobScene scene = JobScene.direct();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void very_many_minutes_are_added_up_in_parts_each_once() {
    PgJobStore store = scene.create(
        scene.options().setStoreOptions(new JobStoreOptions().setMetricsEnabled(true)));
    done(store.connect());
    scene.sql("""
        INSERT INTO {s}.job_metrics (queue, granularity, period_start, name, shard, completed, failed, total_millis,
          min_millis, max_millis)
        SELECT 'orders', 'minute', timestamptz '2026-03-04 12:00Z' + i * interval '1 minute', 'x', 0, 2, 1, 30, 5, 15
        FROM generate_series(0, %s) i;
        CREATE FUNCTION {s}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION 'not this one';
        END $$;
        CREATE TRIGGER refuse BEFORE UPDATE ON {s}.job_metrics FOR EACH ROW
          WHEN (NEW.period_start = timestamptz '2026-03-04 12:00Z' + interval '2500 minutes')
          EXECUTE FUNCTION {s}.refuse()
        """.formatted(MANY - 1));

    cause(store.aggregateMetrics(NOON));
    assertThat(inHours("completed + failed")).isEqualTo(3 * 2_000);

    scene.sql("DROP TRIGGER refuse ON {s}.job_metrics");
    done(store.aggregateMetrics(NOON));
    done(store.aggregateMetrics(NOON));
    assertThat(inHours("completed")).isEqualTo(2 * MANY);
    assertThat(inHours("failed")).isEqualTo(MANY);
    assertThat(inHours("total_millis")).isEqualTo(30 * MANY);
    assertThat(count("minute")).isEqualTo(MANY);

    done(store.aggregateMetrics(NOON.plus(Duration.ofDays(10_000))));
    assertThat(count("minute")).isZero();
    assertThat(count("hour")).isZero();
  }

  @Test
  void minutes_that_were_added_up_by_a_call_are_not_walked_over_again_by_it() {
    PgJobStore store = scene.create(scene
        .options()
        .setPoolOptions(new PoolOptions().setMaxSize(1))
        .setStoreOptions(new JobStoreOptions().setMetricsEnabled(true)));
    done(store.connect());
    scene.sql("""
        INSERT INTO {s}.job_metrics (queue, granularity, period_start, name, shard, completed, failed, total_millis)
        SELECT 'orders', 'minute', timestamptz '2026-03-04 12:00Z' + i * interval '1 minute', 'x', 0, 1, 0, 1
        FROM generate_series(1, 20000) i;
        ANALYZE {s}.job_metrics
        """);
    scene.countReadsAtOnce("UPDATE ON {s}.job_metrics");
    long before = read();

    done(store.aggregateMetrics(NOON));

    assertThat(inHours("completed")).isEqualTo(20_000);
    assertThat(read() - before).isPositive().isLessThan(8 * 20_000);
  }

  @Test
  void a_call_reads_few_of_the_minutes_and_hours_that_were_added_up_before_and_are_kept() {
    PgJobStore store = scene.create(scene
        .options()
        .setPoolOptions(new PoolOptions().setMaxSize(1))
        .setStoreOptions(new JobStoreOptions().setMetricsEnabled(true)));
    done(store.connect());
    done(store.aggregateMetrics(NOON)); // planned on an empty table
    scene.sql("""
        INSERT INTO {s}.job_metrics (queue, granularity, period_start, name, shard, completed, failed, total_millis)
        SELECT 'orders_' || q, 'minute', timestamptz '2026-03-04 12:00Z' + i * interval '1 minute', 'x', 0, 1, 0, 1
        FROM generate_series(1, 10) q, generate_series(1, 1400) i
        """);
    scene.countReadsAtOnce("UPDATE OR DELETE ON {s}.job_metrics");
    Instant nextMorning = NOON.plus(Duration.ofMinutes(1_400));
    done(store.aggregateMetrics(nextMorning)); // all of them: it is long since that was done
    insert("orders_5", "2026-03-05 11:30Z", 4);
    long before = read();

    done(store.aggregateMetrics(nextMorning.plus(Duration.ofMinutes(20))));

    assertThat(read() - before).isPositive().isLessThan(14_000 / 3);
    assertThat(inHours("completed")).isEqualTo(14_000 + 4);
  }

  @Test
  void what_is_counted_late_is_added_within_an_hour_and_kept_until_then() {
    PgJobStore store = scene.create(scene
        .options()
        .setStoreOptions(new JobStoreOptions()
            .setMetricsEnabled(true)
            .setMetricsMinuteRetention(Duration.ofHours(3))));
    done(store.connect());
    insert("orders", "2026-03-04 12:00Z", 1);
    insert("orders", "2026-03-04 15:59Z", 1);
    done(store.aggregateMetrics(NOON.plus(Duration.ofHours(4))));
    insert("orders", "2026-03-04 12:30Z", 2);
    insert("orders", "2026-03-04 15:30Z", 2);

    done(store.aggregateMetrics(NOON.plus(Duration.ofMinutes(250))));
    assertThat(inHours("completed")).isEqualTo(4);
    assertThat(count("minute")).isEqualTo(3);

    done(store.aggregateMetrics(NOON.plus(Duration.ofHours(5))));
    assertThat(inHours("completed")).isEqualTo(6);
    assertThat(count("minute")).isEqualTo(2);
  }

  private void insert(String queue, String minute, int completed) {
    scene.sql("""
        INSERT INTO {s}.job_metrics (queue, granularity, period_start, name, shard, completed, failed, total_millis)
        VALUES ('%s', 'minute', timestamptz '%s', 'x', 0, %s, 0, 1)
        """.formatted(queue, minute, completed));
  }

  private long read() {
    return scene.number("""
        SELECT (SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables
            WHERE schemaname = '{s}' AND relname = 'job_metrics')
          + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes
            WHERE schemaname = '{s}' AND relname = 'job_metrics')
        """);
  }

  private long inHours(String what) {
    return scene.number(
        "SELECT sum(" + what + ")::bigint FROM {s}.job_metrics WHERE granularity = 'hour'");
  }

  private long count(String granularity) {
    return scene.number(
        "SELECT count(*) FROM {s}.job_metrics WHERE granularity = '" + granularity + "'");
  }
}
