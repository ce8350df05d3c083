package dev.runlane.jobs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.job.ObserverBehaviour;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.queue.process.RepeatingBehaviour;
import dev.runlane.jobs.queue.process.SignalBehaviour;
import dev.runlane.jobs.queue.process.WorkingBehaviour;
import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.json.JsonCodec;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The behaviour of queues and workers on jobs in memory. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class MemoryJobQueueTest {
  private static Future<JobStore> store(Vertx vertx) {
    JobStore store = new MemoryJobStore();
    return store.connect().map(store);
  }

  /** As where somebody holds the row of a job that is due, in virtual time. */
  @Test
  void a_due_job_that_cannot_wait_yet_is_looked_at_again_once_a_second() {
    ManualClock clock = ManualClock.at(Instant.parse("2026-03-04T12:00:00Z"));
    ManualTimers timers = new ManualTimers(clock);
    JobsHost.SingleThread home = new JobsHost.SingleThread(timers);
    AtomicInteger sweeps = new AtomicInteger();
    AtomicBoolean isHeld = new AtomicBoolean(true);
    JobStore store = new ForwardingJobStore(new MemoryJobStore()) {
      @Override
      public Future<Integer> promoteDelayedJobs(String queueName, Instant timestamp) {
        sweeps.incrementAndGet();
        return isHeld.get()
            ? Future.succeededFuture(0)
            : super.promoteDelayedJobs(queueName, timestamp);
      }
    };
    Jobs jobs = new Jobs(
        home,
        store,
        clock,
        Randomness.seeded(1),
        JsonCodec.standard(),
        new JobsOptions(),
        List.of(),
        Optional.of(Duration.ofHours(1)));
    jobs.worker("mail", (job, signal) -> Future.succeededFuture(JobResult.done()));
    Future<Job> added =
        jobs.queue("mail").schedule(Duration.ofMillis(500), "later", 1, JobOptions.NONE);
    advance(home, timers, Duration.ofSeconds(1));
    int before = sweeps.get();

    advance(home, timers, Duration.ofSeconds(10));

    assertThat(sweeps.get() - before).isBetween(9, 11);
    isHeld.set(false);
    advance(home, timers, Duration.ofSeconds(1));
    assertThat(store.getJob("mail", added.result().id()).result().orElseThrow().state())
        .isEqualTo(JobState.COMPLETED);
  }

  private static void advance(JobsHost.SingleThread home, ManualTimers timers, Duration step) {
    for (long millis = 0; millis < step.toMillis(); millis += 10) {
      timers.advance(Duration.ofMillis(10));
      for (int turns = 0; home.runNext(); turns++) {
        assertThat(turns).as("turns of one instant").isLessThan(1_000);
      }
    }
  }

  @Nested
  class Adding extends AddingBehaviour {
    Adding() {
      super(MemoryJobQueueTest::store);
    }
  }

  @Nested
  class Working extends WorkingBehaviour {
    Working() {
      super(MemoryJobQueueTest::store);
    }
  }

  @Nested
  class Signals extends SignalBehaviour {
    Signals() {
      super(MemoryJobQueueTest::store);
    }
  }

  @Nested
  class Flows extends FlowBehaviour {
    Flows() {
      super(MemoryJobQueueTest::store);
    }
  }

  @Nested
  class Sharing extends SharingBehaviour {
    Sharing() {
      super(MemoryJobQueueTest::store);
    }
  }

  @Nested
  class Observers extends ObserverBehaviour {
    Observers() {
      super(MemoryJobQueueTest::store);
    }
  }

  @Nested
  class Repeating extends RepeatingBehaviour {
    Repeating() {
      super(MemoryJobQueueTest::store);
    }
  }
}
