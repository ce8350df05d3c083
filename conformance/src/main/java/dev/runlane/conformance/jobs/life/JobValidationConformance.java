package dev.runlane.conformance.jobs.life;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.jobs.store.UpsertSchedule;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Malformed input is refused before anything is stored. */
@DisplayName("malformed input is refused before anything is stored")
public abstract class JobValidationConformance extends JobStoreConformance {
  @Test
  @Rule("J400")
  void malformed_options_are_refused() {
    for (JobOptions malformed : List.of(
        JobOptions.builder().attempts(0).build(),
        JobOptions.builder().priority(Double.NaN).build(),
        JobOptions.builder().priority(Double.POSITIVE_INFINITY).build(),
        JobOptions.builder().delay(Duration.ofMillis(-1)).build(),
        JobOptions.builder().timeout(Duration.ZERO).build(),
        JobOptions.builder().maxStalls(-1).build(),
        JobOptions.builder().backoff(JobBackoff.fixed(Duration.ofMillis(-1))).build(),
        JobOptions.builder()
            .backoff(new JobBackoff(JobBackoff.Type.CUSTOM, Duration.ZERO, null))
            .build(),
        JobOptions.builder().group(JobGroup.of("")).build(),
        JobOptions.builder().group(new JobGroup("g", 0)).build(),
        JobOptions.builder().deadLetterQueue("").build(),
        JobOptions.builder().traceCarrier(Map.of("traceparent", "\0")).build(),
        JobOptions.builder().traceCarrier(Map.of("a", "x".repeat(8_193))).build(),
        repeating(new JobRepeat(null, null, null, null, null, null)),
        repeating(JobRepeat.every(Duration.ZERO)),
        repeating(JobRepeat.cron("* * * * *").between(NOON, NOON)),
        repeating(new JobRepeat("* * * * *", null, null, null, null, "Nowhere/Land")))) {
      assertFails(store.saveJob(QUEUE, withOptions(malformed), NOON), ErrorCode.VALIDATION_FAILED);
    }

    assertThat(Outcomes.done(store.listQueues())).isEmpty();
  }

  @Test
  @Rule("J401")
  void malformed_jobs_are_refused() {
    NewJob good = job("a");
    for (NewJob malformed : List.of(
        job(""),
        job("a\0"),
        job("a\ud800"),
        good.withId(""),
        good.withId("x".repeat(256)),
        NewJob.of("a", Json.ofChecked("\"a\0\""), JobOptions.NONE, NOON),
        NewJob.of("a", Json.ofChecked("\"\ud800 \""), JobOptions.NONE, NOON),
        good.childOf("", "p"),
        good.with(JobUpdate.NONE.progress(101)))) {
      assertFails(store.saveJob(QUEUE, malformed, NOON), ErrorCode.VALIDATION_FAILED);
      assertFails(
          store.saveFlow(List.of(new FlowNode(QUEUE, malformed)), NOON),
          ErrorCode.VALIDATION_FAILED);
    }
    assertFails(store.saveBulk(QUEUE, List.of(good, job("")), NOON), ErrorCode.VALIDATION_FAILED);
    NewJob own = good.withId("a").childOf(QUEUE, "a");
    assertFails(store.saveJob(QUEUE, own, NOON), ErrorCode.VALIDATION_FAILED);
    assertFails(
        store.saveFlow(
            List.of(
                new FlowNode(QUEUE, good.withId("a").childOf("other", "b")),
                new FlowNode("other", good.withId("b").childOf(QUEUE, "a"))),
            NOON),
        ErrorCode.VALIDATION_FAILED);

    assertThat(Outcomes.done(store.listQueues())).isEmpty();
  }

  @Test
  @Rule("J402")
  void malformed_names_of_queues_are_refused_everywhere() {
    save(job("a"));
    for (String name : List.of("", "x".repeat(256), "a\nb", "a\u0001", "a\0")) {
      for (Function<String, Future<?>> call : callsWithQueue()) {
        assertFails(call.apply(name), ErrorCode.VALIDATION_FAILED);
      }
    }

    assertThat(Outcomes.done(store.listQueues())).hasSize(1);
  }

  @Test
  @Rule("J403")
  void malformed_fetches_are_refused() {
    save(job("a"));
    FetchJobs good = FetchJobs.one(QUEUE, WORKER, LOCK, NOON);
    for (FetchJobs malformed : List.of(
        good.upTo(0),
        FetchJobs.one(QUEUE, "", LOCK, NOON),
        FetchJobs.one(QUEUE, WORKER, Duration.ZERO, NOON),
        good.with(FetchOptions.ANY.withGroupConcurrency(0)),
        good.with(FetchOptions.ANY.withGlobalConcurrency(0)),
        good.with(FetchOptions.ANY.without(Set.of(""))),
        good.with(FetchOptions.ANY.named("")),
        good.with(FetchOptions.ANY.withRateLimit(new RateLimit(0, LOCK))),
        good.with(FetchOptions.ANY.withRateLimit(new RateLimit(1, Duration.ZERO))))) {
      assertFails(store.fetchNextJobs(malformed), ErrorCode.VALIDATION_FAILED);
    }

    assertThat(fetched().name()).isEqualTo("a");
  }

  @Test
  @Rule("J404")
  void malformed_updates_are_refused() {
    String id = save(job("a"));
    for (JobUpdate malformed : List.of(
        JobUpdate.NONE.progress(-1),
        JobUpdate.NONE.progress(Double.NaN),
        JobUpdate.NONE.attemptsMade(-1),
        JobUpdate.NONE.failedReason("\0"),
        JobUpdate.NONE.deduplicationKey("x".repeat(JobChecks.MOST_KEY_CHARACTERS + 1)),
        JobUpdate.NONE.groupId("x".repeat(JobChecks.MOST_CHARACTERS + 1)),
        JobUpdate.NONE.parentId("x".repeat(JobChecks.MOST_CHARACTERS + 1)),
        JobUpdate.NONE.parentQueueName("x".repeat(JobChecks.MOST_CHARACTERS + 1)),
        JobUpdate.NONE.failedReason("x".repeat(2_001)),
        JobUpdate.NONE.logs(List.of("a\0")),
        JobUpdate.NONE.logs(List.of("a".repeat(JobChecks.MOST_LINE_CHARACTERS + 1))),
        JobUpdate.NONE.data(Json.ofChecked("\"\0\"")),
        JobUpdate.NONE.delayUntil(Instant.MAX.minusSeconds(1)),
        JobUpdate.NONE.options(JobOptions.builder().attempts(0).build()))) {
      assertFails(store.updateJob(QUEUE, id, malformed), ErrorCode.VALIDATION_FAILED);
    }

    assertThat(get(id).progress()).isZero();
    assertThat(get(id).failedReason()).isNull();
  }

  @Test
  @Rule("J405")
  void malformed_ranges_and_limits_are_refused() {
    save(job("a"));

    assertFails(store.listJobs(QUEUE, JobState.WAITING, -1, 5), ErrorCode.VALIDATION_FAILED);
    assertFails(store.listJobs(QUEUE, JobState.WAITING, 5, 4), ErrorCode.VALIDATION_FAILED);
    assertFails(store.listJobs(QUEUE, JobState.WAITING, 0, 10_001), ErrorCode.VALIDATION_FAILED);
    assertFails(store.searchJobs(SearchJobsFilter.ALL, 3, 2), ErrorCode.VALIDATION_FAILED);
    assertFails(store.getStalledJobs(QUEUE, NOON, 0), ErrorCode.VALIDATION_FAILED);
    assertFails(store.removeExpiredJobs(QUEUE, NOON, 0), ErrorCode.VALIDATION_FAILED);
    assertFails(
        store.clean(QUEUE, JobState.FAILED, Duration.ofMillis(-1), NOON),
        ErrorCode.VALIDATION_FAILED);
    assertThat(Outcomes.done(store.listJobs(QUEUE, JobState.WAITING, 0, 10_000)))
        .hasSize(1);
  }

  @Test
  @Rule("J406")
  void malformed_ends_are_refused() {
    JobData running = running(job("a"));

    assertFails(
        store.finishJob(FinishJob.of(
            running.lock(), new JobOutcome.Completed(Json.ofChecked("\"\ud800\"")), NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        store.finishJob(new FinishJob(running.lock(), DONE, job(""), NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(store.extendLock(running.lock(), Duration.ZERO, NOON), ErrorCode.VALIDATION_FAILED);
    assertFails(
        store.appendLog(QUEUE, running.id(), "x".repeat(20_001)), ErrorCode.VALIDATION_FAILED);

    assertThat(stateOf(running.id())).isEqualTo(JobState.ACTIVE);
    assertThat(get(running.id()).logs()).isEmpty();
  }

  @Test
  @Rule("J407")
  void malformed_schedules_are_refused() {
    JobRepeat minutely = JobRepeat.every(Duration.ofMinutes(1));
    for (UpsertSchedule malformed : List.of(
        upsert("", JobOptions.NONE, minutely),
        upsert("k", JobOptions.NONE, new JobRepeat(null, null, null, null, null, null)),
        upsert("k", repeating(minutely), minutely),
        upsert("k", JobOptions.builder().jobId("x").build(), minutely),
        upsert("k", JobOptions.builder().delay(LOCK).build(), minutely))) {
      assertFails(store.upsertSchedule(malformed), ErrorCode.VALIDATION_FAILED);
    }

    assertThat(Outcomes.done(store.listSchedules(QUEUE))).isEmpty();
  }

  private List<Function<String, Future<?>>> callsWithQueue() {
    return List.of(
        name -> store.saveJob(name, job("b"), NOON),
        name -> store.getJob(name, "x"),
        name -> store.updateJob(name, "x", JobUpdate.NONE),
        name -> store.removeJob(name, "x", NOON),
        name -> store.fetchNextJob(FetchJobs.one(name, WORKER, LOCK, NOON)),
        name -> store.countJobs(name, JobState.WAITING),
        name -> store.promoteDelayedJobs(name, NOON),
        name -> store.pauseJobName(name, "b"),
        name -> store.drain(name, NOON),
        name -> store.saveFlow(List.of(new FlowNode(name, job("b"))), NOON),
        name -> store.subscribe(name, event -> {}));
  }

  private static JobOptions repeating(JobRepeat repeat) {
    return JobOptions.builder().repeat(repeat).build();
  }

  private static NewJob withOptions(JobOptions options) {
    return NewJob.builder("a", DATA, options, NOON).build();
  }

  private static UpsertSchedule upsert(String key, JobOptions options, JobRepeat repeat) {
    return new UpsertSchedule(QUEUE, key, "a", DATA, options, repeat, NOON, NOON);
  }
}
