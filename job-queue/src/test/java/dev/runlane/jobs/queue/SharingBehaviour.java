package dev.runlane.jobs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.queue.job.BatchJobHandler;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.job.JobSignal;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Groups, limits and batches. */
abstract class SharingBehaviour extends QueueBehaviour {
  private final List<String> ran = new CopyOnWriteArrayList<>();

  SharingBehaviour(Function<Vertx, Future<JobStore>> stores) {
    super(stores);
  }

  private static JobEntry inGroup(String name, String group) {
    return new JobEntry(
        name, group, JobOptions.builder().group(JobGroup.of(group)).build());
  }

  private Future<JobResult> note(Job job, JobSignal signal) {
    ran.add(job.name());
    return done();
  }

  private Future<JobResult> soon(Runnable atEnd) {
    Promise<JobResult> later = Promise.promise();
    vertx.setTimer(3, over -> {
      atEnd.run();
      later.complete(JobResult.done());
    });
    return later.future();
  }

  private void untilCompleted(int jobs) {
    until(() -> queue.count(JobState.COMPLETED).map(completed -> completed == jobs));
  }

  @Test
  void groups_are_served_in_turn() {
    await(queue.addBulk(
        List.of(inGroup("a1", "a"), inGroup("a2", "a"), inGroup("b1", "b"), inGroup("b2", "b"))));

    worker(options().setGroupConcurrency(1), this::note);

    untilCompleted(4);
    assertThat(ran).containsExactly("a1", "b1", "a2", "b2");
  }

  @Test
  void no_group_runs_more_jobs_at_once_than_it_may_and_keeps_its_order() {
    Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    Map<String, List<String>> order = new ConcurrentHashMap<>();
    AtomicInteger most = new AtomicInteger();
    List<JobEntry> entries = new ArrayList<>();
    for (int number = 0; number < 20; number++) {
      for (String group : List.of("a", "b", "c")) {
        entries.add(inGroup(String.valueOf(number), group));
      }
    }
    await(queue.addBulk(entries));

    for (int worker = 0; worker < 3; worker++) {
      worker(options().setConcurrency(4).setGroupConcurrency(1), (job, signal) -> {
        String group = job.groupId().orElseThrow();
        AtomicInteger now = running.computeIfAbsent(group, id -> new AtomicInteger());
        most.accumulateAndGet(now.incrementAndGet(), Math::max);
        order.computeIfAbsent(group, id -> new CopyOnWriteArrayList<>()).add(job.name());
        return soon(now::decrementAndGet);
      });
    }

    untilCompleted(60);
    assertThat(most).hasValue(1);
    assertThat(order.values()).allSatisfy(names -> assertThat(names)
        .containsExactlyElementsOf(
            IntStream.range(0, 20).mapToObj(String::valueOf).toList()));
  }

  @Test
  void a_queue_runs_no_more_jobs_at_once_than_it_may_over_all_workers() {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    for (int worker = 0; worker < 3; worker++) {
      worker(options().setConcurrency(4).setMaxGlobalConcurrency(2), (job, signal) -> {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        return soon(running::decrementAndGet);
      });
    }

    await(queue.addBulk(
        IntStream.range(0, 40).mapToObj(number -> JobEntry.of("x", number)).toList()));

    untilCompleted(40);
    assertThat(most.get()).isEqualTo(2);
  }

  @Test
  void a_limiter_lets_so_many_jobs_begin_in_a_while_over_all_workers() {
    List<Long> begun = new CopyOnWriteArrayList<>();
    RateLimit limit = new RateLimit(3, Duration.ofMillis(200));
    for (int worker = 0; worker < 2; worker++) {
      worker(options().setConcurrency(5).setLimiter(limit), (job, signal) -> {
        begun.add(job.read().processedAt().toEpochMilli());
        return done();
      });
    }

    await(queue.addBulk(
        IntStream.range(0, 9).mapToObj(number -> JobEntry.of("x", number)).toList()));

    untilCompleted(9);
    List<Long> sorted = begun.stream().sorted().toList();
    for (int first = 0; first + 3 < sorted.size(); first++) {
      assertThat(sorted.get(first + 3) - sorted.get(first)).isGreaterThanOrEqualTo(200);
    }
  }

  @Test
  void a_group_limiter_holds_back_groups_that_had_their_share_and_no_others() {
    worker(
        options().setConcurrency(5).setGroupLimiter(new RateLimit(1, Duration.ofSeconds(4))),
        this::note);

    await(queue.addBulk(List.of(
        inGroup("a1", "a"),
        inGroup("a2", "a"),
        inGroup("b1", "b"),
        JobEntry.of("free1", 1),
        JobEntry.of("free2", 1))));

    untilCompleted(5);
    assertThat(ran).endsWith("a2");
  }

  @Test
  void a_batch_takes_what_is_there_up_to_its_size() {
    List<Integer> sizes = new CopyOnWriteArrayList<>();
    await(queue.addBulk(
        IntStream.range(0, 7).mapToObj(number -> JobEntry.of("x", number)).toList()));

    batches(3, (jobs, signal) -> {
      sizes.add(jobs.size());
      return Future.succeededFuture(
          jobs.stream().map(job -> JobResult.done(job.data())).toList());
    });

    untilCompleted(7);
    assertThat(sizes).containsExactly(3, 3, 1);
  }

  @Test
  void each_job_of_a_batch_ends_by_its_own_result() {
    Job[] added = await(queue.addBulk(List.of(
            JobEntry.of("good", 1),
            JobEntry.of("bad", 2),
            JobEntry.of("snoozed", 3),
            JobEntry.of("hopeless", 4))))
        .toArray(Job[]::new);

    batches(
        10,
        (jobs, signal) -> Future.succeededFuture(jobs.stream()
            .map(job -> switch (job.name()) {
              case "bad" -> JobResult.failed(new IllegalStateException("bad one"));
              case "snoozed" ->
                job.startedAttempts() == 1
                    ? JobResult.snooze(Duration.ofMillis(10))
                    : JobResult.done("later");
              case "hopeless" -> JobResult.unrecoverable("no hope");
              default -> JobResult.done(job.data());
            })
            .toList()));

    assertThat(await(added[0].waitUntilFinished()).orElseThrow().text()).isEqualTo("1");
    assertThat(failure(added[1].waitUntilFinished())).hasMessage("bad one");
    assertThat(await(added[2].waitUntilFinished()).orElseThrow().text()).isEqualTo("\"later\"");
    assertThat(failure(added[3].waitUntilFinished())).hasMessage("no hope");
    assertThat(await(added[0].attempts())).hasSize(1);
  }

  @Test
  void a_wrong_number_of_results_fails_every_job_of_the_batch() {
    List<Job> added = await(queue.addBulk(List.of(JobEntry.of("a", 1), JobEntry.of("b", 2))));

    batches(2, (jobs, signal) -> Future.succeededFuture(List.of(JobResult.done())));

    added.forEach(job ->
        assertThat(failure(job.waitUntilFinished())).hasMessageContaining("each of its 2 jobs"));
  }

  @Test
  void a_batch_ends_when_the_shortest_timeout_of_its_jobs_is_over() {
    List<Job> added = await(queue.addBulk(List.of(
        new JobEntry("a", 1, timeout(Duration.ofMillis(50))),
        new JobEntry("b", 2, timeout(NEVER)))));

    batches(
        2,
        (jobs, signal) -> signal.untilFired(Promise.<List<JobResult>>promise().future()));

    added.forEach(
        job -> assertThat(failure(job.waitUntilFinished())).hasMessage("Job timed out after 50ms"));
  }

  private static JobOptions timeout(Duration timeout) {
    return JobOptions.builder().timeout(timeout).build();
  }

  /** Whoever may connect to the database may send events. */
  @Test
  void an_event_that_says_otherwise_than_its_job_neither_cancels_it_nor_ends_a_wait_for_it() {
    Promise<JobResult> work = Promise.promise();
    Promise<Void> started = Promise.promise();
    Job added = await(queue.add("a", 1));
    worker(options(), (job, signal) -> {
      started.tryComplete();
      return work.future();
    });
    await(started.future());
    Future<Optional<Json>> waiting = added.waitUntilFinished();
    Promise<Void> heard = Promise.promise();
    await(store.subscribe("mail", event -> {
      if (event.type() == StoreEventType.JOB_COMPLETED) {
        heard.tryComplete();
      }
    }));

    Instant now = Instant.now();
    await(store.publish(StoreEvent.of(StoreEventType.JOB_CANCELLED, "mail", added.id(), now)));
    await(store.publish(new StoreEvent(
        StoreEventType.JOB_COMPLETED, "mail", added.id(), Json.ofChecked("99"), now)));
    await(heard.future());
    work.complete(JobResult.done(7));

    assertThat(await(waiting).orElseThrow().text()).isEqualTo("7");
    assertThat(fresh(added).state()).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void cancelling_one_job_of_a_batch_gives_the_others_back_without_an_attempt() {
    Map<String, Integer> calls = new HashMap<>();
    Promise<Void> started = Promise.promise();
    List<Job> added = await(queue.addBulk(List.of(JobEntry.of("a", 1), JobEntry.of("b", 2))));
    batches(2, (jobs, signal) -> {
      jobs.forEach(job -> calls.merge(job.name(), 1, Integer::sum));
      started.tryComplete();
      return jobs.size() == 2
          ? signal.untilFired(Promise.<List<JobResult>>promise().future())
          : Future.succeededFuture(List.of(JobResult.done()));
    });
    await(started.future());

    await(added.get(0).cancel());

    assertThat(failure(added.get(0).waitUntilFinished())).hasMessage("Job was cancelled");
    await(added.get(1).waitUntilFinished());
    assertThat(calls).containsEntry("a", 1).containsEntry("b", 2);
    assertThat(fresh(added.get(1)).attemptsMade()).isZero();
  }

  private void batches(int size, BatchJobHandler handler) {
    jobs.worker("mail", JobProcessor.batch(handler), options().setBatchSize(size));
  }

  @Test
  void what_is_fair_to_groups_is_fair_to_jobs_without_one() {
    await(queue.addBulk(
        Stream.of("a1", "a2", "a3").map(name -> inGroup(name, "a")).toList()));
    await(queue.add("free", 1));

    worker(options().setGroupConcurrency(1), this::note);

    untilCompleted(4);
    assertThat(ran.indexOf("free")).isLessThan(ran.indexOf("a3"));
  }
}
