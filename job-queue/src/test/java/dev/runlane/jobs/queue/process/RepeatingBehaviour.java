package dev.runlane.jobs.queue.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.QueueBehaviour;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobHandler;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobsOptions;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.jobs.store.UpsertSchedule;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Jobs that run again and again, and what is removed with time. */
public abstract class RepeatingBehaviour extends QueueBehaviour {
  public RepeatingBehaviour(Function<Vertx, Future<JobStore>> stores) {
    super(stores);
  }

  private static JobOptions limited(int limit) {
    return JobOptions.builder()
        .repeat(JobRepeat.every(Duration.ofMillis(10)).withLimit(limit))
        .build();
  }

  @Test
  void a_series_runs_once_more_than_its_limit_with_the_same_payload() {
    List<String> ran = new CopyOnWriteArrayList<>();
    worker((job, signal) -> {
      ran.add(job.data().text());
      return done();
    });

    await(queue.every("10ms", "x", "same", limited(2)));

    until(() -> queue.count(JobState.COMPLETED).map(completed -> completed == 3));
    assertThat(ran).containsExactly("\"same\"", "\"same\"", "\"same\"");
    assertThat(await(queue.count(JobState.DELAYED))).isZero();
  }

  @Test
  void a_schedule_that_cannot_be_read_keeps_no_other_from_firing() {
    Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    JobRepeat ofLater = JobRepeat.cron("0 0 LATER * *", ZoneId.of("UTC"));
    await(store.upsertSchedule(new UpsertSchedule(
        "mail", "a-later", "x", Json.ofChecked("1"), JobOptions.NONE, ofLater, now, now)));
    await(queue.upsertSchedule(
        "good", JobRepeat.every(Duration.ofMillis(10)), "good", 1, JobOptions.NONE));
    worker((job, signal) -> done());

    until(() -> queue.count(JobState.COMPLETED).map(completed -> completed >= 2));

    assertThat(await(queue.getSchedule("a-later")).orElseThrow().fired()).isZero();
  }

  @Test
  void a_series_goes_on_after_a_run_that_its_handler_moved_to_failed_and_a_retry_begins_no_other() {
    AtomicInteger calls = new AtomicInteger();
    worker((job, signal) -> calls.incrementAndGet() == 1
        ? job.moveToFailed("no").map(JobResult.done("dropped"))
        : done());

    await(queue.add("x", 1, limited(1)));
    until(() -> queue.count(JobState.COMPLETED).map(completed -> completed == 1));
    await(queue.retryJobs(JobState.FAILED));

    until(() -> queue.count(JobState.COMPLETED).map(completed -> completed == 2));
    assertThat(await(queue.count(JobState.DELAYED))).isZero();
    assertThat(calls).hasValue(3);
  }

  @Test
  void a_series_goes_on_after_a_run_that_failed() {
    AtomicInteger calls = new AtomicInteger();
    worker((job, signal) -> calls.incrementAndGet() == 1 ? failed("no") : done());

    await(queue.add("x", 1, limited(1)));

    until(() -> queue.count(JobState.COMPLETED).map(completed -> completed == 1));
    assertThat(await(queue.count(JobState.FAILED))).isEqualTo(1);
  }

  @Test
  void a_series_goes_on_after_a_run_that_was_lost_too_often() {
    await(queue.add("x", 1, limited(1).toBuilder().maxStalls(0).build()));
    await(store.fetchNextJob(FetchJobs.one(
        "mail", "lost", Duration.ofMillis(1), jobs.context().clock().now().minusSeconds(1))));

    worker(options().setStalledInterval(Duration.ofMillis(50)), (job, signal) -> done());

    until(() -> queue.count(JobState.COMPLETED).map(completed -> completed == 1));
    assertThat(await(queue.count(JobState.FAILED))).isEqualTo(1);
  }

  @Test
  void a_cron_series_keeps_its_zone_from_run_to_run() {
    ZoneId kolkata = ZoneId.of("Asia/Kolkata");
    LocalTime due = // half a day away: none of the two becomes due meanwhile
        jobs.context()
            .clock()
            .now()
            .plus(Duration.ofHours(12))
            .atZone(kolkata)
            .toLocalTime()
            .truncatedTo(ChronoUnit.MINUTES);
    String cron = "%s %s * * *".formatted(due.getMinute(), due.getHour());
    worker((job, signal) -> done());

    Job first = await(queue.cron(
        cron, "x", 1, JobOptions.builder().repeat(JobRepeat.cron(cron, kolkata)).build()));
    Job second = afterRunning(first);

    for (Job run : List.of(first, second)) {
      assertThat(dueAt(run).atZone(kolkata).toLocalTime()).isEqualTo(due);
      assertThat(run.options().repeat()).isEqualTo(first.options().repeat());
    }
    assertThat(dueAt(second)).isAfter(jobs.context().clock().now());
    assertThat(second.id()).isNotEqualTo(first.id());
  }

  @Test
  void a_series_begins_at_its_start_and_ends_before_its_end() {
    Instant now = jobs.context().clock().now().truncatedTo(ChronoUnit.MILLIS);
    Instant start = now.plus(Duration.ofDays(2));
    Instant end = start.plus(Duration.ofDays(3)).plusMillis(7);
    worker((job, signal) -> done());

    Job first = await(queue.every(
        Duration.ofDays(1),
        "x",
        1,
        JobOptions.builder()
            .repeat(JobRepeat.every(Duration.ofDays(1)).between(start, end))
            .build()));
    Job second = afterRunning(first);

    assertThat(dueAt(first)).isEqualTo(start);
    assertThat(dueAt(second)).isEqualTo(start);
    assertThat(second.options().repeat()).isEqualTo(first.options().repeat());
    Job brief = await(queue.every(
        Duration.ofDays(1),
        "brief",
        1,
        JobOptions.builder()
            .repeat(JobRepeat.every(Duration.ofDays(1)).between(null, now.plus(NEVER)))
            .build()));
    await(brief.waitUntilFinished());
    assertThat(await(queue.getJobs(JobState.DELAYED)))
        .extracting(Job::id)
        .containsExactly(second.id());
  }

  /** Lets a delayed run begin now; answers the one that follows. */
  private Job afterRunning(Job run) {
    await(run.promote());
    await(run.waitUntilFinished());
    return await(queue.getJobs(JobState.DELAYED)).get(0);
  }

  private static Instant dueAt(Job job) {
    return Objects.requireNonNull(job.read().delayUntil());
  }

  @Test
  void a_cancelled_series_ends() {
    Job first = await(queue.add("x", 1, limited(5)));

    await(first.cancel());

    assertThat(await(queue.count(JobState.DELAYED))).isZero();
    assertThat(await(queue.count(JobState.WAITING))).isZero();
  }

  @Test
  void a_job_that_is_tried_again_is_still_the_same_run() {
    AtomicInteger calls = new AtomicInteger();
    worker((job, signal) -> calls.incrementAndGet() == 1 ? failed("no") : done());

    await(queue.add("x", 1, limited(1).toBuilder().attempts(2).build()));

    until(() -> queue.count(JobState.COMPLETED).map(completed -> completed == 2));
    assertThat(calls).hasValue(3);
  }

  @Test
  void a_schedule_fires_on_whether_its_jobs_complete_or_fail() {
    AtomicInteger calls = new AtomicInteger();
    worker((job, signal) -> calls.incrementAndGet() == 1 ? failed("no") : done(job.data()));

    await(queue.upsertSchedule(
        "often", JobRepeat.every(Duration.ofMillis(20)).withLimit(3), "x", 1, JobOptions.NONE));

    until(() -> queue.count(JobState.COMPLETED).map(completed -> completed == 3));
    assertThat(await(queue.count(JobState.FAILED))).isEqualTo(1);
    assertThat(await(queue.getSchedule("often")).orElseThrow().nextAt()).isNull();
    assertThat(await(queue.getJobs(JobState.COMPLETED)).get(0).read().scheduleKey())
        .isEqualTo("often");
  }

  @Test
  void several_processes_fire_a_schedule_once() {
    AtomicInteger calls = new AtomicInteger();
    Jobs other = Jobs.create(vertx, store);
    JobHandler count = (job, signal) -> {
      calls.incrementAndGet();
      return done();
    };
    worker(count);
    other.worker("mail", JobProcessor.of(count), options());

    JobRepeat often = JobRepeat.every(Duration.ofMillis(20)).withLimit(4);
    await(queue.upsertSchedule("often", often, "x", 1, JobOptions.NONE));
    await(other.queue("mail").upsertSchedule("often", often, "x", 1, JobOptions.NONE));

    until(() -> queue.getSchedule("often").map(found -> found.orElseThrow().nextAt() == null));
    until(() -> queue
        .getJobCounts()
        .map(counts -> counts.get(JobState.WAITING) + counts.get(JobState.ACTIVE) == 0));
    assertThat(await(queue.count(JobState.COMPLETED))).isEqualTo(5);
    assertThat(calls).hasValue(5);
    await(other.close());
  }

  @Test
  void schedules_that_are_due_together_fire_a_few_at_a_time_whatever_one_of_them_does() {
    await(jobs.close());
    AtomicInteger underWay = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger sweeps = new AtomicInteger();
    Set<String> lateFires = ConcurrentHashMap.newKeySet(); // those of a later sweep
    Set<String> fired = ConcurrentHashMap.newKeySet();
    jobs = Jobs.create(vertx, new ForwardingJobStore(store) {
      @Override
      public Future<List<JobSchedule>> listDueSchedules(String queue, Instant now, int limit) {
        sweeps.incrementAndGet();
        return super.listDueSchedules(queue, now, limit);
      }

      @Override
      public Future<Optional<SavedJob>> fireSchedule(FireSchedule command) {
        if (command.key().equals("thrown")) {
          throw new IllegalStateException("it cannot be read");
        }
        if (command.key().equals("held")) {
          return Future.failedFuture(RunlaneException.unavailable(
              ErrorCode.STORAGE_UNAVAILABLE, null, "somebody holds it"));
        }
        if (sweeps.get() > 1) {
          lateFires.add(command.key());
        }
        most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
        return vertx
            .timer(1, TimeUnit.MILLISECONDS)
            .compose(later -> super.fireSchedule(command))
            .onComplete(done -> {
              underWay.decrementAndGet();
              fired.add(command.key());
            });
      }
    });
    Instant past = Instant.now().minusSeconds(60).truncatedTo(ChronoUnit.MILLIS);
    for (int i = 0; i <= 30; i++) {
      await(store.upsertSchedule(new UpsertSchedule(
          "mail",
          i == 0 ? "held" : i == 1 ? "thrown" : "due " + i,
          "x",
          Json.ofChecked("1"),
          JobOptions.NONE,
          JobRepeat.every(Duration.ofHours(1)),
          i <= 1 ? past.minusSeconds(2 - i) : past,
          past)));
    }

    worker((job, signal) -> done());

    until(() -> Future.succeededFuture(fired.size() == 29));
    assertThat(most.get()).isBetween(2, 8);
    assertThat(lateFires).isEmpty();
  }

  @Test
  void jobs_are_removed_once_they_are_old_enough() {
    await(jobs.close());
    jobs = Jobs.builder(vertx, store)
        .options(new JobsOptions().setRetentionInterval(Duration.ofMillis(20)))
        .build();
    worker((job, signal) -> done());
    JobOptions brief = JobOptions.builder()
        .removeOnComplete(JobRemoval.after(Duration.ofMillis(30)))
        .build();

    await(jobs.queue("mail").pause());
    Job job = await(jobs.queue("mail").add("x", 1, brief));
    Future<?> finished = job.waitUntilFinished();
    await(job.refresh()); // it listens by now: the job may be gone before anybody reads it
    await(jobs.queue("mail").resume());

    await(finished);
    until(() -> job.refresh().map(found -> found.isEmpty()));
  }
}
