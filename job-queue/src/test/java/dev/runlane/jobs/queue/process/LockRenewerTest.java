package dev.runlane.jobs.queue.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.run.Json;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Locks of a store that renews none of them: each ends by the time at which it was asked for. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LockRenewerTest {
  private static final Duration LOCK = Duration.ofSeconds(30);
  private static final Duration MOMENT = Duration.ofMillis(100);

  private final ManualClock clock = ManualClock.at(Instant.parse("2026-03-04T12:00:00Z"));
  private final ManualTimers timers = new ManualTimers(clock);
  private final LockRenewer book =
      new LockRenewer(silent(), new JobsHost.SingleThread(timers), clock);
  private final List<String> ended = new ArrayList<>();

  private static JobStore silent() {
    return (JobStore) Proxy.newProxyInstance(
        JobStore.class.getClassLoader(),
        new Class<?>[] {JobStore.class},
        (proxy, method, arguments) -> Promise.promise().future());
  }

  @BeforeEach
  void letSomeTimePass() {
    timers.advance(Duration.ofSeconds(10));
  }

  private void hold(String jobId, Duration ago) {
    book.add(
        new JobLock("mail", jobId, "token"),
        LOCK,
        timers.elapsed().minus(ago),
        lost -> ended.add(jobId));
  }

  @Test
  void a_lock_that_is_known_after_one_that_was_asked_for_later_is_not_told_late_that_it_ended() {
    hold("asked last", Duration.ZERO);
    hold("asked first", Duration.ofSeconds(8));

    timers.advance(LOCK.minusSeconds(8).minus(MOMENT));
    assertThat(ended).isEmpty();
    timers.advance(MOMENT);
    assertThat(ended).containsExactly("asked first");
    timers.advance(Duration.ofSeconds(8));

    assertThat(ended).containsExactly("asked first", "asked last");
  }

  @Test
  void a_lock_that_is_dropped_is_told_nothing_and_keeps_nobody_from_being_told() {
    hold("dropped", Duration.ofSeconds(5));
    hold("kept", Duration.ZERO);
    book.remove(new JobLock("mail", "dropped", "token"), LOCK);

    timers.advance(LOCK);

    assertThat(ended).containsExactly("kept");
  }

  @Test
  void a_job_that_came_again_keeps_its_new_lock_and_those_of_other_jobs_and_loses_the_old_one() {
    MemoryJobStore store = new MemoryJobStore();
    store.saveJobs(
        "mail",
        List.of(
            NewJob.of("send", Json.ofChecked("{}"), JobOptions.NONE, clock.now()),
            NewJob.of("send", Json.ofChecked("{}"), JobOptions.NONE, clock.now())),
        clock.now());
    List<JobData> first = fetch(store);
    timers.advance(LOCK.multipliedBy(2));
    store.finishJobs(
        List.of(FinishJob.of(first.get(0).lock(), new JobOutcome.Stalled(), clock.now())));
    List<JobData> again = fetch(store);
    Map<String, LockStatus> told = new HashMap<>();
    LockRenewer renewer = new LockRenewer(store, new JobsHost.SingleThread(timers), clock);
    for (JobData job : List.of(first.get(0), again.get(0), first.get(1))) {
      renewer.add(
          job.lock(), LOCK, timers.elapsed(), status -> told.put(job.lock().token(), status));
    }

    timers.advance(LOCK.multipliedBy(2));

    assertThat(told).containsOnly(Map.entry(first.get(0).lock().token(), LockStatus.LOST));
    assertThat(store.getJob("mail", again.get(0).id()).result().orElseThrow().lockUntil())
        .isAfter(clock.now());
  }

  @Test
  void a_lock_counts_from_when_its_renewal_was_asked_for_not_from_the_answer() {
    List<Duration> asked = new ArrayList<>();
    List<Promise<List<LockStatus>>> answers = new ArrayList<>();
    LockRenewer renewer = new LockRenewer(
        new ForwardingJobStore(silent()) {
          @Override
          public Future<List<LockStatus>> extendLocks(
              List<JobLock> locks, Duration duration, Instant now) {
            asked.add(timers.elapsed());
            answers.add(Promise.promise());
            return answers.get(answers.size() - 1).future();
          }
        },
        new JobsHost.SingleThread(timers),
        clock);
    renewer.add(
        new JobLock("mail", "renewed", "token"),
        LOCK,
        timers.elapsed(),
        lost -> ended.add("renewed"));
    timers.advance(LOCK.dividedBy(6).plusSeconds(4));
    assertThat(answers).hasSize(1);
    answers.get(0).complete(List.of(LockStatus.HELD));

    timers.advance(asked.get(0).plus(LOCK).minus(timers.elapsed()).minus(MOMENT));
    assertThat(ended).isEmpty();
    timers.advance(MOMENT);

    assertThat(ended).containsExactly("renewed");
  }

  @Test
  void a_batch_that_cannot_be_renewed_keeps_none_of_those_behind_it_from_being_renewed() {
    LockRenewer renewer =
        new LockRenewer(refusing("job 7"), new JobsHost.SingleThread(timers), clock);
    for (int i = 0; i < 1_200; i++) {
      String jobId = "job " + i;
      renewer.add(
          new JobLock("mail", jobId, "token"), LOCK, timers.elapsed(), lost -> ended.add(jobId));
    }

    timers.advance(LOCK.multipliedBy(2));

    assertThat(ended).contains("job 7").hasSize(1_000).doesNotContain("job 1000", "job 1199");
  }

  /** A store that renews every call but those that name this job. */
  private static JobStore refusing(String jobId) {
    return new ForwardingJobStore(silent()) {
      @Override
      public Future<List<LockStatus>> extendLocks(
          List<JobLock> locks, Duration duration, Instant now) {
        return locks.stream().anyMatch(lock -> lock.jobId().equals(jobId))
            ? Future.failedFuture("somebody holds " + jobId)
            : Future.succeededFuture(Collections.nCopies(locks.size(), LockStatus.HELD));
      }
    };
  }

  private List<JobData> fetch(JobStore store) {
    return store
        .fetchNextJobs(FetchJobs.one("mail", "worker", LOCK, clock.now()).upTo(2))
        .result();
  }
}
