package dev.runlane.jobs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobEvent;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Adding jobs to a queue, and managing them. */
abstract class AddingBehaviour extends QueueBehaviour {
  AddingBehaviour(Function<Vertx, Future<JobStore>> stores) {
    super(stores);
  }

  record Mail(String to, int size) {}

  @Test
  void an_added_job_waits_with_its_name_payload_and_options() {
    JobOptions options = JobOptions.builder().attempts(3).priority(2).build();

    Job job = fresh(await(queue.add("welcome", new Mail("ada", 7), options)));

    assertThat(job.state()).isEqualTo(JobState.WAITING);
    assertThat(job.name()).isEqualTo("welcome");
    assertThat(job.dataAs(Mail.class)).isEqualTo(new Mail("ada", 7));
    assertThat(job.options()).isEqualTo(options);
  }

  @Test
  void a_payload_may_be_text_a_number_null_or_an_object_of_vertx() {
    List<Job> added = await(queue.addBulk(List.of(
        JobEntry.of("a", "hello"),
        JobEntry.of("b", 1.5),
        JobEntry.of("c", null),
        JobEntry.of("d", true),
        JobEntry.of("e", new JsonObject().put("x", "é😀")))));

    assertThat(added.stream().map(job -> fresh(job).data().text()).toList())
        .containsExactly("\"hello\"", "1.5", "null", "true", "{\"x\":\"é😀\"}");
  }

  @Test
  void a_payload_may_have_a_mebibyte_and_64_levels_and_no_more() {
    String text = "x".repeat((1 << 20) - 2); // and its quotes

    await(queue.add("large", text));
    await(queue.add("deep", nested(64)));

    assertFails(ErrorCode.VALIDATION_FAILED, queue.add("large", text + "x"));
    assertFails(ErrorCode.VALIDATION_FAILED, queue.add("deep", nested(65)));
    assertThat(await(queue.count(JobState.WAITING))).isEqualTo(2);
  }

  private static List<Object> nested(int levels) {
    List<Object> nested = List.of();
    for (int level = 1; level < levels; level++) {
      nested = List.of(nested);
    }
    return nested;
  }

  @Test
  void the_queues_options_hold_where_the_jobs_say_nothing() {
    JobQueue careful =
        jobs.queue("mail", JobOptions.builder().attempts(5).priority(9).build());

    Job job = await(careful.add("x", 1, JobOptions.builder().priority(1).build()));

    assertThat(job.options().effectiveAttempts()).isEqualTo(5);
    assertThat(job.options().effectivePriority()).isEqualTo(1);
  }

  @Test
  void malformed_jobs_are_refused_before_anything_is_stored() {
    JobOptions.Builder options = JobOptions.builder();
    assertFails(
        ErrorCode.VALIDATION_FAILED, queue.add("x", 1, options.attempts(0).build()));
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        queue.add("x", 1, JobOptions.builder().priority(Double.NaN).build()));
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        queue.add(
            "x",
            1,
            JobOptions.builder()
                .backoff(JobBackoff.fixed(Duration.ofMillis(-1)))
                .build()));
    assertFails(ErrorCode.VALIDATION_FAILED, queue.add("x", new JsonObject().put("n", Double.NaN)));
    assertFails(ErrorCode.CONFIGURATION_INVALID, queue.cron("1 2 3", "x", 1, JobOptions.NONE));
    assertFails(ErrorCode.VALIDATION_FAILED, queue.schedule("soon", "x", 1, JobOptions.NONE));

    assertThat(await(queue.getJobCounts()).values()).containsOnly(0L);
  }

  @Test
  void bulk_adds_answer_in_order_and_an_empty_one_answers_nothing() {
    List<Job> added = await(
        queue.addBulk(List.of(JobEntry.of("a", 1), JobEntry.of("b", 2), JobEntry.of("c", 3))));

    assertThat(added).extracting(Job::name).containsExactly("a", "b", "c");
    assertThat(added).extracting(Job::id).doesNotHaveDuplicates();
    assertThat(await(queue.addBulk(List.of()))).isEmpty();
  }

  @Test
  void a_scheduled_job_is_delayed_and_one_that_is_added_now_is_not() {
    Job later = await(queue.schedule("in 2 hours", "x", 1, JobOptions.NONE));
    Job now =
        await(queue.now("x", 1, JobOptions.builder().delay(Duration.ofHours(1)).build()));

    assertThat(fresh(later).state()).isEqualTo(JobState.DELAYED);
    assertThat(fresh(later).read().delayUntil())
        .isEqualTo(later.read().createdAt().plus(Duration.ofHours(2)));
    assertThat(fresh(now).state()).isEqualTo(JobState.WAITING);
  }

  @Test
  void a_second_job_with_the_key_of_an_open_one_is_that_one() {
    JobOptions once =
        JobOptions.builder().deduplication(JobDeduplication.byKey("k")).build();
    List<JobEvent> events = new ArrayList<>();
    queue.events().on(JobEvent.Type.WAITING, events::add);

    Job first = await(queue.add("x", 1, once));
    Job second = await(queue.add("x", 2, once));

    assertThat(second.id()).isEqualTo(first.id());
    assertThat(second.data().text()).isEqualTo("1");
    assertThat(await(queue.count(JobState.WAITING))).isEqualTo(1);
    assertThat(events).hasSize(1);
  }

  @Test
  void equal_payloads_are_found_equal_whatever_the_order_of_their_keys() {
    JobOptions once =
        JobOptions.builder().deduplication(JobDeduplication.byPayload()).build();

    Job first = await(queue.add("x", new JsonObject("{\"a\":1,\"b\":[1,2]}"), once));
    Job second = await(queue.add("x", new JsonObject("{\"b\":[1,2],\"a\":1}"), once));
    Job other = await(queue.add("x", new JsonObject("{\"b\":[2,1],\"a\":1}"), once));

    assertThat(second.id()).isEqualTo(first.id());
    assertThat(other.id()).isNotEqualTo(first.id());
  }

  @Test
  void a_full_group_takes_no_further_job() {
    JobOptions grouped = JobOptions.builder().group(new JobGroup("g", 2)).build();
    await(queue.addBulk(List.of(new JobEntry("x", 1, grouped), new JobEntry("x", 2, grouped))));

    assertConflict(StorageConflictKind.QUEUE_CAPACITY, queue.add("x", 3, grouped));
  }

  @Test
  void adding_tells_a_local_event_and_one_of_the_store() {
    List<String> heard = new ArrayList<>();
    queue.events().on(JobEvent.Type.WAITING, event -> heard.add("waiting"));
    queue.events().on(JobEvent.Type.DELAYED, event -> heard.add("delayed"));
    Future<Void> told = told("mail", "job:delayed");

    await(queue.add("x", 1));
    await(queue.schedule(Duration.ofHours(1), "x", 1, JobOptions.NONE));

    assertThat(heard).containsExactly("waiting", "delayed");
    await(told);
  }

  private Future<Void> told(String queueName, String type) {
    Promise<Void> told = Promise.promise();
    await(store.subscribe(queueName, event -> {
      if (event.type().value().equals(type)) {
        told.tryComplete();
      }
    }));
    return told.future();
  }

  @Test
  void pausing_resuming_and_draining_are_told() {
    List<String> heard = new ArrayList<>();
    queue.events().on(JobEvent.Type.PAUSED, event -> heard.add("paused " + event.jobName()));
    queue.events().on(JobEvent.Type.RESUMED, event -> heard.add("resumed " + event.jobName()));
    queue.events().on(JobEvent.Type.DRAINED, event -> heard.add("drained"));

    await(queue.pause());
    await(queue.pause("x"));
    assertThat(await(queue.getPausedJobNames())).containsExactlyInAnyOrder("x", JobStore.ALL);
    await(queue.resume());
    await(queue.resume("x"));
    assertThat(await(queue.getPausedJobNames())).isEmpty();
    await(queue.add("x", 1));
    await(queue.schedule(Duration.ofHours(1), "x", 1, JobOptions.NONE));
    await(queue.drain());

    assertThat(heard)
        .containsExactly(
            "paused Optional.empty",
            "paused Optional[x]",
            "resumed Optional.empty",
            "resumed Optional[x]",
            "drained");
    assertThat(await(queue.getJobCounts()).values()).containsOnly(0L);
  }

  @Test
  void jobs_are_listed_counted_cleaned_and_deleted() {
    await(queue.addBulk(List.of(JobEntry.of("a", 1), JobEntry.of("b", 2))));
    Job failed = await(queue.add("c", 3));
    await(failed.moveToFailed("no"));

    assertThat(await(queue.getJobs(JobState.WAITING)))
        .extracting(Job::name)
        .containsExactly("a", "b");
    assertThat(await(queue.getJobs(JobState.WAITING, 1, 2))).hasSize(1);
    assertThat(await(queue.getJobCounts()))
        .containsEntry(JobState.WAITING, 2L)
        .containsEntry(JobState.FAILED, 1L)
        .hasSize(6);
    assertThat(await(queue.clean(JobState.FAILED, Duration.ofHours(1)))).isZero();
    assertFails(ErrorCode.VALIDATION_FAILED, queue.clean(JobState.ACTIVE, Duration.ZERO));
    assertThat(await(queue.retryJobs(JobState.FAILED))).isEqualTo(1);
    await(queue.obliterate(Obliterate.IF_IDLE));
    assertThat(await(queue.getJobCounts()).values()).containsOnly(0L);
  }

  @Test
  void a_closed_queue_refuses() {
    queue.close();

    assertThat(failure(queue.add("x", 1))).hasMessageContaining("closed");
    assertThat(failure(queue.pause())).hasMessageContaining("closed");
    assertThat(failure(queue.drain())).hasMessageContaining("closed");
    assertThat(failure(queue.getJobCounts())).hasMessageContaining("closed");
    assertFails(ErrorCode.OPERATION_CANCELLED, queue.retryJobs(JobState.FAILED));
  }

  @Test
  void saying_a_schedule_again_changes_it_but_does_not_double_it() {
    JobRepeat yearly = JobRepeat.cron("0 0 1 1 *");
    Instant next =
        await(queue.upsertSchedule("report", yearly, "x", 1, JobOptions.NONE)).nextAt();

    await(queue.upsertSchedule("report", yearly, "x", 2, JobOptions.NONE));

    assertThat(await(queue.getSchedules())).hasSize(1);
    assertThat(await(queue.getSchedule("report")).orElseThrow().data().text()).isEqualTo("2");
    assertThat(await(queue.getSchedule("report")).orElseThrow().nextAt()).isEqualTo(next);
    JobOptions one =
        JobOptions.builder().jobId("one").delay(Duration.ofHours(1)).priority(3).build();
    JobOptions carried = await(
            jobs.queue("mail", one).upsertSchedule("report", yearly, "x", 2, JobOptions.NONE))
        .options();
    assertThat(carried.priority()).isEqualTo(3);
    assertThat(carried.jobId()).as("each of its jobs has its own").isNull();
    assertThat(carried.delay()).isNull();
    assertThat(await(queue.removeSchedule("report"))).isTrue();
    assertThat(await(queue.removeSchedule("report"))).isFalse();
  }

  @Test
  void a_delayed_job_of_a_transaction_runs_when_it_is_due_once_workers_are_woken() {
    workerThatIsIdle();
    Future<Void> told = told("mail", "job:delayed");

    String id = await(queue
        .inTransaction(store)
        .add("later", 1, JobOptions.builder().delay(Duration.ofMillis(50)).build()));
    queue.wake();

    await(told);
    await(await(queue.getJob(id)).orElseThrow().waitUntilFinished());
  }

  @Test
  void a_schedule_of_a_process_without_workers_fires_when_it_is_due() {
    workerThatIsIdle();
    Future<Void> told = told("mail", "job:delayed");
    Future<Void> fired = told("mail", "job:completed");
    Jobs elsewhere = Jobs.create(vertx, store);

    await(elsewhere
        .queue("mail")
        .upsertSchedule("k", JobRepeat.every(Duration.ofMillis(50)), "x", 1, JobOptions.NONE));

    await(told);
    await(fired);
    await(elsewhere.close());
  }

  @Test
  void a_letter_that_is_driven_back_with_a_delay_runs_when_it_is_due() {
    JobOptions lettered = JobOptions.builder()
        .delay(Duration.ofMillis(20))
        .deadLetterQueue("dead")
        .build();
    worker((job, signal) -> failed("no"));
    failure(await(queue.add("x", 1, lettered)).waitUntilFinished());
    Future<Void> told = told("mail", "job:delayed");
    Future<Void> failedAgain = told("mail", "job:failed");

    assertThat(await(jobs.queue("dead").redrive(1))).hasSize(1);

    await(told);
    await(failedAgain);
  }

  @Test
  void workers_hear_of_a_parent_whose_last_child_was_obliterated() {
    JobOptions ignoring =
        JobOptions.builder().failParentOnChildFailure(ChildFailurePolicy.IGNORE).build();
    await(jobs.flows()
        .add(FlowJob.of("root", "mail", 1).with(ignoring).after(FlowJob.of("child", "other", 1))));
    Future<Void> told = told("mail", "job:waiting");

    await(jobs.queue("other").obliterate(Obliterate.IF_IDLE));

    await(told);
  }

  /** A worker that has looked for what is due, and found nothing. */
  private void workerThatIsIdle() {
    worker((job, signal) -> done());
    Job first = await(queue.schedule(Duration.ofMillis(1), "first", 1, JobOptions.NONE));
    await(first.waitUntilFinished());
  }

  @Test
  void a_job_tells_itself_as_json() {
    Job job = fresh(await(queue.add("x", Map.of("a", 1))));

    assertThat(job.toJson().getString("state")).isEqualTo("waiting");
    assertThat(job.toJson().getJsonObject("data")).isEqualTo(new JsonObject().put("a", 1));
    assertThat(job.toString()).doesNotContain("\"a\"");
  }
}
