package dev.runlane.conformance.jobs.view;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.MetricsBucket;
import dev.runlane.jobs.MetricsGranularity;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.jobs.store.MetricsQuery;
import dev.runlane.run.ErrorCode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What ends is counted. */
@DisplayName("what ends is counted")
public abstract class JobMetricsConformance extends JobStoreConformance {
  @Test
  @Rule("J105")
  void where_nothing_ended_there_are_no_buckets() {
    update(save(job("a")), JobUpdate.NONE.state(JobState.COMPLETED).completedAt(NOON));

    assertThat(buckets(MetricsGranularity.MINUTE, after(60_000), after(120_000)))
        .isEmpty();
    assertThat(buckets(MetricsGranularity.MINUTE, NOON, NOON)).isNotEmpty();
  }

  @Test
  @Rule("J106")
  void a_completion_is_counted_by_name_and_for_all() {
    String id = save(job("charge"));
    fetched();

    update(id, JobUpdate.NONE.state(JobState.COMPLETED).completedAt(after(250)));

    assertThat(buckets(MetricsGranularity.MINUTE, NOON, NOON))
        .containsExactly(minute(JobStore.ALL, 1, 0, 250L), minute("charge", 1, 0, 250L));
  }

  @Test
  @Rule("J107")
  void a_failure_is_counted() {
    String id = save(job("charge"));
    fetched();

    update(id, JobUpdate.NONE.state(JobState.FAILED).failedAt(after(250)));

    assertThat(buckets(MetricsGranularity.MINUTE, NOON, NOON))
        .containsExactly(minute(JobStore.ALL, 0, 1, 250L), minute("charge", 0, 1, 250L));
  }

  @Test
  @Rule({"J106", "J107"})
  void the_shortest_and_the_longest_of_a_minute_stay_in_whatever_order_jobs_end() {
    for (JobOutcome outcome : List.of(DONE, BROKEN)) {
      String name = outcome == DONE ? "done" : "broken";
      for (int millis : List.of(200, 300, 100, 250)) {
        ended(job(name), outcome, after(millis));
      }

      MetricsBucket minute = buckets(MetricsGranularity.MINUTE, NOON, NOON).stream()
          .filter(each -> each.jobName().equals(name))
          .findFirst()
          .orElseThrow();
      assertThat(minute.totalProcessMillis()).isEqualTo(850);
      assertThat(minute.minProcessMillis()).isEqualTo(100);
      assertThat(minute.maxProcessMillis()).isEqualTo(300);
    }
  }

  @Test
  @Rule("J108")
  void minutes_are_added_up_to_hours() {
    ended(job("a"), DONE, after(100));
    ended(job("a"), DONE, after(180_300));
    ended(job("a"), BROKEN, after(180_500));

    Outcomes.done(store.aggregateMetrics(after(181_000)));

    MetricsBucket hour = buckets(MetricsGranularity.HOUR, NOON, NOON).get(0);
    assertThat(hour.jobName()).isEqualTo(JobStore.ALL);
    assertThat(hour.completedCount()).isEqualTo(2);
    assertThat(hour.failedCount()).isEqualTo(1);
    assertThat(hour.totalProcessMillis()).isEqualTo(100 + 180_300 + 180_500);
    assertThat(hour.minProcessMillis()).isEqualTo(100);
    assertThat(hour.maxProcessMillis()).isEqualTo(180_500);
  }

  @Test
  @Rule("J310")
  void adding_up_again_counts_nothing_twice() {
    ended(job("a"), DONE, after(100));
    Outcomes.done(store.aggregateMetrics(after(1_000)));
    ended(job("a"), DONE, after(200));

    Outcomes.done(store.aggregateMetrics(after(2_000)));
    Outcomes.done(store.aggregateMetrics(after(3_000)));

    MetricsBucket hour = buckets(MetricsGranularity.HOUR, NOON, NOON).get(0);
    assertThat(hour.completedCount()).isEqualTo(2);
    assertThat(hour.totalProcessMillis()).isEqualTo(300);
  }

  @Test
  @Rule("J311")
  void buckets_past_their_retention_go() {
    ended(job("a"), DONE, after(100));

    Outcomes.done(store.aggregateMetrics(NOON.plus(Duration.ofMinutes(1_441))));

    assertThat(buckets(MetricsGranularity.MINUTE, NOON, NOON)).isEmpty();
    assertThat(buckets(MetricsGranularity.HOUR, NOON, NOON)).hasSize(2);
    Outcomes.done(store.aggregateMetrics(NOON.plus(Duration.ofHours(721))));
    assertThat(buckets(MetricsGranularity.HOUR, NOON, NOON)).isEmpty();
  }

  @Test
  @Rule("J311")
  void buckets_are_kept_until_their_very_retention_is_over() {
    ended(job("a"), DONE, after(100));
    Instant dayLater = NOON.plus(JobStoreOptions.DEFAULT_METRICS_MINUTE_RETENTION);
    Instant monthLater = NOON.plus(JobStoreOptions.DEFAULT_METRICS_HOUR_RETENTION);

    Outcomes.done(store.aggregateMetrics(dayLater));
    assertThat(buckets(MetricsGranularity.MINUTE, NOON, NOON)).hasSize(2);
    Outcomes.done(store.aggregateMetrics(dayLater.plusMillis(1)));
    assertThat(buckets(MetricsGranularity.MINUTE, NOON, NOON)).isEmpty();

    Outcomes.done(store.aggregateMetrics(monthLater));
    assertThat(buckets(MetricsGranularity.HOUR, NOON, NOON)).hasSize(2);
    Outcomes.done(store.aggregateMetrics(monthLater.plusMillis(1)));
    assertThat(buckets(MetricsGranularity.HOUR, NOON, NOON)).isEmpty();
  }

  @Test
  @Rule("J312")
  void only_ends_for_good_are_counted() {
    finished(running(job("a")), new JobOutcome.Retry(NOON, "again", null));

    assertThat(buckets(MetricsGranularity.MINUTE, NOON, NOON)).isEmpty();
    finished(fetched(), DONE);
    assertThat(buckets(MetricsGranularity.MINUTE, NOON, NOON)).hasSize(2);
  }

  @Test
  @Rule("J313")
  void buckets_come_by_their_start_and_then_by_name() {
    ended(job("b"), DONE, after(60_100));
    ended(job("a"), DONE, after(100));

    assertThat(buckets(MetricsGranularity.MINUTE, NOON, after(60_000)))
        .extracting(MetricsBucket::jobName)
        .containsExactly(JobStore.ALL, "a", JobStore.ALL, "b");
    assertThat(buckets(MetricsGranularity.MINUTE, after(60_000), after(60_000))).hasSize(2);
  }

  @Test
  @Rule("J314")
  void metrics_that_are_off_are_refused() {
    JobStore without = Outcomes.done(fixture.open(new JobStoreOptions()));
    if (without == store) {
      throw new AssertionError("a store with other options is another store");
    }
    MetricsQuery query = new MetricsQuery(QUEUE, MetricsGranularity.MINUTE, NOON, NOON);

    assertFails(without.getMetrics(query), ErrorCode.CAPABILITY_UNSUPPORTED);
    assertFails(without.aggregateMetrics(NOON), ErrorCode.CAPABILITY_UNSUPPORTED);
  }

  private List<MetricsBucket> buckets(MetricsGranularity granularity, Instant from, Instant to) {
    return Outcomes.done(store.getMetrics(new MetricsQuery(QUEUE, granularity, from, to)));
  }

  private static MetricsBucket minute(String name, long completed, long failed, Long millis) {
    return new MetricsBucket(
        QUEUE, name, NOON, MetricsGranularity.MINUTE, completed, failed, millis, millis, millis);
  }
}
