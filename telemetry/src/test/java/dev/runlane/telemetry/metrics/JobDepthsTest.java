package dev.runlane.telemetry.metrics;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobState;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.memory.MemoryLane;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class JobDepthsTest {
  private final Vertx vertx = Vertx.vertx();
  private final AtomicInteger counted = new AtomicInteger();
  private final Runlane runlane = Runlane.builder(vertx, MemoryLane.create())
      .queue(TaskQueue.of("default").asDefault())
      .build();

  @AfterEach
  void stop() {
    await(runlane.close());
    await(vertx.close());
  }

  @Test
  void of_two_processes_one_counts_and_both_show_it() {
    await(runlane.start());
    MemoryJobStore real = new MemoryJobStore();
    await(real.connect());
    JobStore store = new ForwardingJobStore(real) {
      @Override
      public Future<Map<JobState, Long>> getJobCounts(String queueName) {
        counted.incrementAndGet();
        return super.getJobCounts(queueName);
      }
    };
    await(Jobs.create(vertx, store).queue("mails").add("welcome", "ann"));
    await(Jobs.create(vertx, store).queue("prints").add("label", "7"));

    SimpleMeterRegistry one = shown(store);
    SimpleMeterRegistry other = shown(store);

    for (MeterRegistry each : new MeterRegistry[] {one, other}) {
      assertThat(jobs(each, "mails", "waiting").value()).isEqualTo(1);
      assertThat(jobs(each, "mails", "failed").value()).isZero();
      assertThat(jobs(each, "other", "waiting").value()).isEqualTo(1);
      assertThat(each.get(MetricNames.JOB_DEPTHS_AGE).gauge().value()).isNotNegative();
    }
    assertThat(counted).hasValue(2); // once each queue
  }

  /** One process, once it shows something. */
  private SimpleMeterRegistry shown(JobStore store) {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    JobDepths depths = JobDepths.create(
        vertx, runlane, store, registry, new RunlaneMetricsOptions().setMostLabelValues(1));
    while (registry.find(MetricNames.JOB_QUEUE_JOBS).gauges().isEmpty()) {
      await(vertx.timer(5, MILLISECONDS));
    }
    await(depths.close());
    return registry;
  }

  private static Gauge jobs(MeterRegistry registry, String queue, String state) {
    return registry
        .get(MetricNames.JOB_QUEUE_JOBS)
        .tag(MetricNames.QUEUE, queue)
        .tag(MetricNames.STATE, state)
        .gauge();
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(30, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }
}
