package dev.runlane.conformance.jobs.life;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedAndFetched;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.ErrorCode;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A hand-over ends hand-outs and then hands out jobs. */
@DisplayName("a hand-over ends hand-outs and then hands out jobs")
public abstract class JobHandOverConformance extends JobStoreConformance {
  private static final int WORKERS = 8;

  @Test
  @Rule("J410")
  void a_job_ends_and_the_next_is_handed_out() {
    JobData running = running(job("a"));
    String next = save(job("b"));

    FinishedAndFetched over = handOver(FetchOptions.ANY, 1, completing(running));

    assertThat(change(over.results().get(0)).job().state()).isEqualTo(JobState.COMPLETED);
    assertThat(get(running.id()).returnvalue())
        .isEqualTo(((JobOutcome.Completed) DONE).returnvalue());
    assertThat(stateOf(running.id())).isEqualTo(JobState.COMPLETED);
    assertThat(ids(over.fetched())).containsExactly(next);
    assertThat(over.fetched().get(0).lockUntil()).isEqualTo(after(1_000).plus(LOCK));
    assertThat(over.fetched().get(0).lock().token()).isEqualTo(get(next).lockToken());
  }

  @Test
  @Rule("J410")
  void ends_of_every_kind_are_answered_in_the_order_of_the_commands() {
    saveAll(job("a"), job("b"), job("c"), job("d"));
    List<JobData> running = fetch(4, FetchOptions.ANY, NOON);
    Outcomes.done(store.saveJob(OTHER_QUEUE, job("e"), NOON));
    JobData elsewhere = Outcomes.done(
            store.fetchNextJob(FetchJobs.one(OTHER_QUEUE, WORKER, LOCK, NOON)))
        .orElseThrow();

    FinishedAndFetched over = handOver(
        FetchOptions.ANY,
        5,
        ending(running.get(3), BROKEN),
        completing(elsewhere),
        completing(running.get(0)),
        ending(running.get(1), new JobOutcome.Snooze(after(9_000))),
        ending(running.get(2), new JobOutcome.Cancelled()));

    assertThat(over.results())
        .extracting(result -> change(result).job().jobId())
        .containsExactly(
            running.get(3).id(),
            elsewhere.id(),
            running.get(0).id(),
            running.get(1).id(),
            running.get(2).id());
    assertThat(stateOf(running.get(3).id())).isEqualTo(JobState.FAILED);
    assertThat(get(OTHER_QUEUE, elsewhere.id()).state()).isEqualTo(JobState.COMPLETED);
    assertThat(stateOf(running.get(0).id())).isEqualTo(JobState.COMPLETED);
    assertThat(stateOf(running.get(1).id())).isEqualTo(JobState.DELAYED);
    assertThat(stateOf(running.get(2).id())).isEqualTo(JobState.FAILED);
    assertThat(over.fetched()).isEmpty();
  }

  @Test
  @Rule("J410")
  void as_many_jobs_are_handed_out_as_are_asked_for_the_best_first() {
    JobData running = running(job("a"));
    save(prioritised("last", 9));
    save(prioritised("third", 3));
    save(prioritised("first", 1));
    save(prioritised("second", 2));

    FinishedAndFetched over = handOver(FetchOptions.ANY, 3, completing(running));

    assertThat(names(over.fetched())).containsExactly("first", "second", "third");
  }

  @Test
  @Rule("J410")
  void nothing_need_end() {
    String next = save(job("a"));

    FinishedAndFetched over = handOver(FetchOptions.ANY, 1);

    assertThat(over.results()).isEmpty();
    assertThat(ids(over.fetched())).containsExactly(next);
  }

  @Test
  @Rule("J411")
  void who_lost_the_lock_changes_nothing_and_gets_the_next_job() {
    JobData lost = running(job("a"));
    finished(lost, new JobOutcome.Retry(NOON, "again", null));
    JobData again = fetched();
    String next = save(job("b"));

    FinishedAndFetched over = handOver(FetchOptions.ANY, 1, completing(lost));

    assertThat(over.results()).containsExactly(new FinishResult.LockLost());
    assertThat(get(again.id()).lockToken()).isEqualTo(again.lockToken());
    assertThat(stateOf(again.id())).isEqualTo(JobState.ACTIVE);
    assertThat(ids(over.fetched())).containsExactly(next);
  }

  @Test
  @Rule("J411")
  void a_lock_is_not_mistaken_for_that_of_another_job_of_the_call() {
    saveAll(job("a"), job("b"));
    List<JobData> running = fetch(2, FetchOptions.ANY, NOON);
    FinishJob first = completing(running.get(0));
    FinishJob second = completing(running.get(1));

    FinishedAndFetched over = handOver(
        FetchOptions.ANY,
        1,
        FinishJob.of(under(first.lock(), second.lock().token()), DONE, after(1_000)),
        FinishJob.of(under(second.lock(), first.lock().token()), DONE, after(1_000)));

    assertThat(over.results())
        .containsExactly(new FinishResult.LockLost(), new FinishResult.LockLost());
    assertThat(stateOf(running.get(0).id())).isEqualTo(JobState.ACTIVE);
    assertThat(stateOf(running.get(1).id())).isEqualTo(JobState.ACTIVE);
  }

  @Test
  @Rule("J412")
  void a_job_that_is_tried_again_at_once_may_be_handed_out_by_the_same_call() {
    JobData running = running(job("a"));

    FinishedAndFetched over =
        handOver(FetchOptions.ANY, 1, ending(running, new JobOutcome.Retry(NOON, "again", null)));

    assertThat(ids(over.fetched())).containsExactly(running.id());
    assertThat(over.fetched().get(0).startedAttempts()).isEqualTo(2);
    assertThat(over.fetched().get(0).lockToken()).isNotEqualTo(running.lockToken());
  }

  @Test
  @Rule("J412")
  void a_parent_whose_last_child_ends_may_be_handed_out_by_the_same_call() {
    saveFlow("parent", JobOptions.NONE, "child");
    JobData child = fetched();

    FinishedAndFetched over = handOver(FetchOptions.ANY, 1, completing(child));

    assertThat(ids(over.fetched())).containsExactly("parent");
  }

  @Test
  @Rule("J412")
  void an_ended_job_takes_no_room_in_its_group_any_more() {
    FetchOptions one = FetchOptions.ANY.withGroupConcurrency(1);
    save(inGroup("a", "g"));
    String next = save(inGroup("b", "g"));
    JobData running = fetched(one);

    FinishedAndFetched over = handOver(one, 5, completing(running));

    assertThat(ids(over.fetched())).containsExactly(next);
  }

  @Test
  @Rule("J412")
  void an_ended_job_takes_no_room_in_its_queue_any_more() {
    FetchOptions one = FetchOptions.ANY.withGlobalConcurrency(1);
    saveAll(job("a"), job("b"), job("c"));
    JobData running = fetched(one);

    FinishedAndFetched over = handOver(one, 5, completing(running));

    assertThat(names(over.fetched())).containsExactly("b");
  }

  @Test
  @Rule("J413")
  void a_hand_over_keeps_a_rate_limit() {
    FetchOptions two = FetchOptions.ANY.withRateLimit(new RateLimit(2, Duration.ofMinutes(1)));
    saveAll(job("a"), job("b"), job("c"));
    JobData running = fetched(two);

    FinishedAndFetched over = handOver(two, 5, completing(running));

    assertThat(names(over.fetched())).containsExactly("b");
    assertThat(handOver(two, 5, completing(over.fetched().get(0))).fetched()).isEmpty();
    assertThat(Outcomes.done(store.countJobs(QUEUE, JobState.COMPLETED))).isEqualTo(2);
  }

  @Test
  @Rule("J413")
  void while_a_queue_is_paused_jobs_end_and_none_is_handed_out() {
    JobData running = running(job("a"));
    save(job("b"));
    Outcomes.done(store.pauseJobName(QUEUE, JobStore.ALL));

    FinishedAndFetched over = handOver(FetchOptions.ANY, 1, completing(running));

    assertThat(stateOf(running.id())).isEqualTo(JobState.COMPLETED);
    assertThat(over.fetched()).isEmpty();
  }

  @Test
  @Rule("J413")
  void a_hand_over_heeds_names_and_the_last_first() {
    JobData running = running(job("a"));
    saveAll(job("b"), job("c"), job("b"), job("c"));

    FinishedAndFetched over =
        handOver(FetchOptions.ANY.named("b").lastFirst(), 1, completing(running));

    assertThat(names(over.fetched())).containsExactly("b");
    assertThat(names(fetch(5, FetchOptions.ANY, NOON))).containsExactly("b", "c", "c");
  }

  @Test
  @Rule("J414")
  void jobs_that_are_removed_as_they_end_are_gone() {
    JobOptions gone = JobOptions.builder().removeOnComplete(JobRemoval.atOnce()).build();
    saveAll(job("a", gone), job("b"), job("c", gone), job("d"));
    List<JobData> running = fetch(3, FetchOptions.ANY, NOON);

    FinishedAndFetched over = handOver(
        FetchOptions.ANY,
        1,
        running.stream().map(JobHandOverConformance::completing).toArray(FinishJob[]::new));

    assertThat(over.results())
        .extracting(result -> change(result).job().removed())
        .containsExactly(true, false, true);
    assertThat(exists(running.get(0).id())).isFalse();
    assertThat(stateOf(running.get(1).id())).isEqualTo(JobState.COMPLETED);
    assertThat(exists(running.get(2).id())).isFalse();
    assertThat(names(over.fetched())).containsExactly("d");
  }

  @Test
  @Rule("J414")
  void a_job_whose_cancellation_was_asked_for_ends_cancelled() {
    JobData running = running(job("a"));
    Outcomes.done(store.cancelJob(QUEUE, running.id(), NOON));

    FinishedAndFetched over = handOver(FetchOptions.ANY, 1, completing(running));

    assertThat(change(over.results().get(0)).job().cancelled()).isTrue();
    assertThat(stateOf(running.id())).isEqualTo(JobState.FAILED);
  }

  @Test
  @Rule("J415")
  void of_competing_hand_overs_one_ends_the_job_and_none_gets_a_job_twice() {
    for (int i = 0; i < 40; i++) {
      save(job("a"));
    }
    JobData running = fetched();

    Race.Results<FinishedAndFetched> race = race(
        WORKERS,
        contender -> () ->
            storeOf(contender).finishAndFetch(command(FetchOptions.ANY, 3, completing(running))));

    assertThat(race.failures()).isEmpty();
    List<FinishedAndFetched> all = race.results();
    assertThat(all.stream().filter(over -> over.results().get(0) instanceof FinishResult.Finished))
        .hasSize(1);
    List<JobData> fetched = fetchedBy(all);
    fetched.addAll(fetch(100, FetchOptions.ANY, NOON));
    assertThat(ids(fetched)).hasSize(39).doesNotHaveDuplicates();
  }

  @Test
  @Rule("J415")
  void competing_hand_overs_keep_the_limit_of_each_group() {
    FetchOptions one = FetchOptions.ANY.withGroupConcurrency(1);
    for (int i = 0; i < 40; i++) {
      save(inGroup("a", "g" + i % WORKERS));
    }
    List<JobData> running = fetch(WORKERS, one, NOON);

    Race.Results<FinishedAndFetched> race = race(
        WORKERS,
        contender -> () ->
            storeOf(contender).finishAndFetch(command(one, 3, completing(running.get(contender)))));

    assertThat(race.failures()).isEmpty();
    List<FinishedAndFetched> all = race.results();
    List<JobData> fetched = fetchedBy(all);
    fetched.addAll(fetch(100, one, NOON));
    assertThat(ids(fetched)).doesNotHaveDuplicates();
    Map<String, Long> active = fetched.stream()
        .collect(Collectors.groupingBy(
            job -> Objects.requireNonNull(job.groupId()), Collectors.counting()));
    assertThat(active).hasSize(WORKERS).allSatisfy((group, count) -> assertThat(count)
        .isEqualTo(1));
  }

  @Test
  @Rule("J416")
  void a_malformed_hand_over_changes_nothing() {
    JobData running = running(job("a"));
    String waiting = save(job("b"));
    List<FinishAndFetch> malformed = List.of(
        command(FetchOptions.ANY, 0, completing(running)),
        command(FetchOptions.ANY.withGroupConcurrency(0), 1, completing(running)),
        command(FetchOptions.ANY, 1, completing(running), completing(running)));

    for (FinishAndFetch each : malformed) {
      Future<?> refused = store.finishAndFetch(each);

      assertFails(refused, ErrorCode.VALIDATION_FAILED);
    }
    assertThat(stateOf(running.id())).isEqualTo(JobState.ACTIVE);
    assertThat(stateOf(waiting)).isEqualTo(JobState.WAITING);
  }

  private FinishedAndFetched handOver(FetchOptions options, int limit, FinishJob... ends) {
    return Outcomes.done(store.finishAndFetch(command(options, limit, ends)));
  }

  private static FinishAndFetch command(FetchOptions options, int limit, FinishJob... ends) {
    return new FinishAndFetch(
        Arrays.asList(ends), fetching(options, after(1_000)).upTo(limit));
  }

  private static FinishJob completing(JobData running) {
    return ending(running, DONE);
  }

  private static FinishJob ending(JobData running, JobOutcome outcome) {
    return FinishJob.of(running.lock(), outcome, after(1_000));
  }

  private static JobLock under(JobLock lock, String token) {
    return new JobLock(lock.queueName(), lock.jobId(), token);
  }

  private static List<JobData> fetchedBy(List<FinishedAndFetched> all) {
    return new ArrayList<>(all.stream().flatMap(over -> over.fetched().stream()).toList());
  }
}
