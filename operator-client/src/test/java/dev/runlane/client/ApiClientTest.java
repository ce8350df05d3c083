package dev.runlane.client;

import static dev.runlane.client.ServedSystem.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.console.ConsoleOptions;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.alert.AlertFinding;
import dev.runlane.operator.alert.ObserveAlerts;
import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.operator.process.TopicLag;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.operator.schedule.ScheduleState;
import dev.runlane.operator.step.StepGroup;
import dev.runlane.operator.step.WaitingStep;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TaskKey;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.alert.AlertKind;
import dev.runlane.runtime.alert.AlertRule;
import dev.runlane.runtime.operate.RunAttempt;
import dev.runlane.runtime.operate.RunExplanation;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.transport.PartitionLag;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What the client reads and does, against a real console over a real Postgres. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ApiClientTest {
  private static ServedSystem system;
  private static ApiClient client;

  @BeforeAll
  static void start() {
    system = new ServedSystem(new ConsoleOptions());
    client = system.client();
  }

  @AfterAll
  static void stop() {
    await(client.close());
    system.close();
  }

  private static RunRecord ended(int number) {
    TriggerResult made =
        await(client.tasks().trigger("charge", String.valueOf(number), new TriggerOptions()));
    await(system.runlane.awaitRun(made.run().id(), Duration.ofSeconds(60)));
    return await(client.runs().get(made.run().id())).orElseThrow().run();
  }

  @Test
  void who_asks_is_told() {
    ApiSession session = await(client.session());

    assertThat(session.role()).isEqualTo("admin");
    assertThat(session.environment()).isEqualTo("default");
    assertThat(session.serves()).contains("jobs");
  }

  @Test
  void a_run_is_triggered_with_its_options_and_read_as_the_records_of_the_contracts() {
    TriggerResult made = await(client
        .tasks()
        .trigger(
            "charge",
            "100",
            new TriggerOptions()
                .setIdempotencyKey("a/b c+d%?#é")
                .setTags(Map.of("customer", "o:k"))
                .setMeta(Map.of("by", "test"))));
    String id = made.run().id();
    await(system.runlane.awaitRun(id, Duration.ofSeconds(60)));

    assertThat(made.outcome()).isEqualTo(TriggerOutcome.CREATED);
    TaggedRecord read = await(client.runs().get(id)).orElseThrow();
    assertThat(read.tags()).containsEntry("customer", "o:k");
    assertThat(read.run()).isEqualTo(await(system.runlane.runs().get(id)).orElseThrow());
    assertThat(read.run().keys().singletonKey()).isEqualTo("charge-100");
    Page<TaggedSummary> listed = await(client
        .runs()
        .list(
            RunFilter.ALL
                .withIdempotencyKey("a/b c+d%?#é")
                .withStatuses(Set.of(RunStatus.SUCCEEDED)),
            Map.of("customer", "o:k"),
            10,
            null));
    assertThat(listed.data()).extracting(each -> each.run().id()).containsExactly(id);
    assertThat(listed.data().get(0).tags()).containsEntry("customer", "o:k");
    assertThat(await(client
                .tasks()
                .trigger("charge", "100", new TriggerOptions().setIdempotencyKey("a/b c+d%?#é")))
            .outcome())
        .isEqualTo(TriggerOutcome.IDEMPOTENT_EXISTING);
  }

  @Test
  void a_history_is_read_in_pages_as_it_is_stored() {
    RunRecord run = ended(1);

    List<RunEventRecord> read = new ArrayList<>();
    String cursor = null;
    do {
      Page<RunEventRecord> page = await(client.runs().events(run.id(), 2, cursor));
      read.addAll(page.data());
      cursor = page.nextCursor();
    } while (cursor != null);

    assertThat(read).extracting(RunEventRecord::id).isEqualTo(ids(run.id()));
    assertThat(read.get(read.size() - 1).event().type().value()).isEqualTo("run.succeeded");
    assertThat(await(client.runs().attempts(run.id())))
        .extracting(RunAttempt::outcome)
        .containsExactly(RunAttempt.Outcome.SUCCEEDED);
    List<LogLine> lines; // they are written behind the attempt
    do {
      lines = await(client.runs().log(run.id(), null, null)).data();
    } while (lines.isEmpty());
    assertThat(lines)
        .extracting(line -> line.text() + line.fields())
        .containsExactly("charging{number=1}");
  }

  private static List<String> ids(String runId) {
    return await(system.runlane.runs().events(runId)).data().stream()
        .map(RunEventRecord::id)
        .toList();
  }

  @Test
  void a_run_that_is_worked_on_is_read_without_the_token_of_its_lease() {
    String id = await(client.tasks().trigger("hold", "\"x\"", new TriggerOptions()))
        .run()
        .id();
    RunRecord run;
    do {
      run = await(client.runs().get(id)).orElseThrow().run();
    } while (run.status() != RunStatus.RUNNING);

    assertThat(run.lease().token()).isEqualTo("hidden");
    RunExplanation explanation = await(client.runs().explain(id));
    assertThat(explanation.reasons())
        .extracting(RunExplanation.Reason::code)
        .contains(RunExplanation.Code.LEASED);
    assertThat(await(client.runs().events(id, null, null)).data()).isNotEmpty();
    assertThat(Poll.until(Duration.ofSeconds(60), () -> isHeld(id)))
        .as("by a process that has given its first sign of life")
        .isTrue();

    assertThat(await(client.runs().cancel(id, "not wanted")).status())
        .isEqualTo(RunStatus.CANCELLATION_REQUESTED);
  }

  private static boolean isHeld(String runId) {
    return await(client.fleet().processes(null, null)).data().stream()
        .map(each -> each.known().process().processId())
        .flatMap(process -> await(client.fleet().leasesOf(process, 10)).stream())
        .anyMatch(lease -> lease.runId().equals(runId));
  }

  @Test
  void runs_are_retried_and_run_again_with_a_reason_in_the_history() {
    RunRecord failed = ended(-7);
    assertThat(failed.failure().message()).contains("card declined");

    TriggerResult retried = await(client.runs().retry(failed.id(), "the card works again"));
    await(system.runlane.awaitRun(
        retried.run().id(), Duration.ofSeconds(60))); // it has the singleton key
    TriggerResult rerun = await(client.runs().rerun(failed.id(), "8", "another number"));

    assertThat(retried.run().payload().text()).isEqualTo("-7");
    assertThat(rerun.run().payload().text()).isEqualTo("8");
    assertThatThrownBy(() -> await(client.runs().retry(ended(2).id(), "it went well")))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.VALIDATION_FAILED));
  }

  @Test
  void a_key_is_freed_and_the_run_that_had_it_is_answered() {
    TriggerOptions keyed = new TriggerOptions().setIdempotencyKey("freed-1").setSingletonKey("f");
    String owner = await(client.tasks().trigger("charge", "3", keyed)).run().id();
    await(system.runlane.awaitRun(owner, Duration.ofSeconds(60)));

    assertThat(await(client.tasks().resetKey("charge", "freed-1", "wrong"))).contains(owner);
    assertThat(await(client.tasks().resetKey("charge", "freed-1", "wrong"))).isEmpty();
  }

  @Test
  void tasks_are_told_with_keys_and_whether_the_server_has_them() {
    ApiTask task = await(client.tasks().get("charge")).orElseThrow();

    assertThat(task.isLocal()).isTrue();
    assertThat(task.task().keys()).containsExactly(TaskKey.SINGLETON);
    assertThat(task.task().rules()).isEqualTo(ServedSystem.CHARGE.triggerRules());
    assertThat(await(client.tasks().list()))
        .extracting(ApiTask::task)
        .extracting(RuntimeTask::taskId)
        .contains("charge", "hold");
    assertThat(await(client.tasks().get("none"))).isEmpty();
  }

  @Test
  void processes_tell_how_far_behind_their_consumers_are() {
    PartitionLag lag = new PartitionLag("mails-v1", "main", 3, "mails", 5_000_000_000L);
    Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
    RuntimeProcess consumer = new RuntimeProcess(
        "consumer",
        "machine",
        "",
        List.of("consumer"),
        List.of("mails"),
        List.of(),
        List.of(),
        1,
        0,
        Duration.ofSeconds(30),
        now,
        List.of(lag));
    await(system
        .runlane
        .lane()
        .storage()
        .operator()
        .orElseThrow()
        .signOfLife(new SignOfLife(system.runlane.environment(), consumer, now)));

    assertThat(await(client.fleet().processes(null, null)).data())
        .extracting(each -> each.known().process())
        .contains(consumer);
    assertThat(await(client.fleet().topicLags()))
        .containsExactly(new TopicLag(
            "mails-v1",
            "main",
            "mails",
            List.of(new TopicLag.Partition(3, 5_000_000_000L, "consumer", now, false))));
  }

  @Test
  void queues_are_paused_and_resumed_and_the_actions_are_told() {
    assertThat(await(client.fleet().publishedQueues())).anySatisfy(queue -> {
      assertThat(queue.queue()).isEqualTo("bounded");
      assertThat(queue.concurrencyLimit()).isEqualTo(2);
    });

    assertThat(await(client.fleet().pauseQueue("odd queue/é", "the bank is away")))
        .isTrue();
    assertThat(await(client.fleet().pauseQueue("odd queue/é", "again"))).isFalse();
    assertThat(await(client.fleet().pausedQueues()))
        .extracting(PausedQueue::queue, PausedQueue::reason)
        .contains(tuple("odd queue/é", "the bank is away"));
    assertThat(await(client.fleet().resumeQueue("odd queue/é", "it is back"))).isTrue();
    assertThat(await(client.fleet().actions(2, null)).data().get(0).action())
        .isEqualTo("queue.resume");
  }

  @Test
  void steps_that_wait_for_workers_are_told_of_a_run_and_by_group() {
    String run = ended(5).id(); // its end marks the steps that it has by then
    system.sql("SELECT runlane.request_step(env, '" + run + ":0', '" + run
        + "', 0, 1, 'render', 'renderers', 3, now(), now() + interval '1 hour')"
        + " FROM runlane.environments");

    WaitingStep step = await(client.fleet().steps(run, null, null, null)).data().get(0);
    assertThat(step.id()).isEqualTo(run + ":0");
    assertThat(step.runId()).isEqualTo(run);
    assertThat(step.name()).isEqualTo("render");
    assertThat(step.attempt()).isEqualTo(3);
    assertThat(step.requestedAt()).isNotNull();
    assertThat(step.dispatchedAt()).isNull();
    assertThat(step.deadlineAt()).isAfter(step.nextAt());
    assertThat(step.runEnded()).isFalse();
    assertThat(await(client.fleet().steps(null, "renderers", 10, null)).data())
        .containsExactly(step);
    assertThat(await(client.fleet().steps(null, "nobody", 10, null)).data()).isEmpty();
    Page<StepGroup> groups = await(client.fleet().stepGroups());
    assertThat(groups.data())
        .containsExactly(
            new StepGroup("renderers", 1, 0, 3, step.requestedAt(), step.deadlineAt()));
    assertThat(groups.isCut()).isFalse();
  }

  @Test
  void what_waits_is_told_and_what_is_not_there_is_not_redriven() {
    assertThat(await(client.fleet().outbox(OutboxMessageStatus.DEAD_LETTERED, 10, null))
            .data())
        .isEmpty();
    assertThat(await(client.fleet().redrive(List.of("msg_none"), "try"))).isEmpty();
    assertThat(await(client.fleet().redriveDeadLetters(10, "try"))).isEmpty();
    await(client.fleet().depths())
        .ifPresent(sample -> assertThat(sample.outbox().deadLettered()).isZero());
    assertThat(await(client.schedules().list(null, null)).data())
        .extracting(each -> each.listed().state())
        .isEqualTo(List.<ScheduleState>of());
  }

  @Test
  void jobs_are_listed_and_changed() {
    String id =
        await(system.jobs.queue("mails").add("welcome", "{\"to\":\"ann\"}")).id();

    assertThat(await(client.jobs().queues())).anySatisfy(queue -> {
      assertThat(queue.name()).isEqualTo("mails");
      assertThat(queue.counts()).containsEntry(JobState.WAITING, 1L);
    });
    JobsClient.Found found = await(client
        .jobs()
        .search(
            new SearchJobsFilter("mails", List.of(JobState.WAITING), "welc", null, null), 0, 10));
    assertThat(found.total()).isEqualTo(1);
    assertThat(found.jobs().get(0).id()).isEqualTo(id);
    assertThat(await(client.jobs().find(id))).hasValueSatisfying(job -> {
      assertThat(job.queue()).isEqualTo("mails");
      assertThat(job.json().text()).contains("welcome").doesNotContain("ann");
    });
    assertThat(await(client.jobs().find("none"))).isEmpty();
    assertThat(await(client.jobs().get("mails", id)).json().text()).contains("ann");
    assertThat(await(client.jobs().lines("mails", id, 0))).isEmpty();
    await(client.jobs().pause("mails", "quiet"));
    await(client.jobs().resume("mails", "go on"));
    await(client.jobs().remove("mails", id, "not wanted"));
    assertThatThrownBy(() -> await(client.jobs().get("mails", id)))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.JOB_NOT_FOUND));
  }

  @Test
  void alerts_are_told_and_their_rules_silenced() {
    AlertRule late = AlertRule.of("late mails", AlertKind.OLDEST_DUE, 60, List.of("ops"));
    await(system.runlane.alerts().putRule(late, null, RunActionOptions.by("ada")));
    Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
    await(system
        .runlane
        .lane()
        .storage()
        .operator()
        .orElseThrow()
        .observeAlerts(new ObserveAlerts(
            system.runlane.environment(),
            "late mails",
            List.of(new AlertFinding("alert_1", "mails", "the oldest waits")),
            List.of("ops"),
            now)));

    assertThat(await(client.alerts().list("late mails", true, 10, null)).data())
        .containsExactly(
            new Alert("alert_1", "late mails", "mails", "the oldest waits", now, now, null, 1));
    assertThat(await(client.alerts().list(null, false, null, null)).data()).isEmpty();
    assertThat(await(client.alerts().silenceFor("late mails", Duration.ofHours(2), "we know")))
        .contains(2L);
    assertThat(silentUntil()).isAfter(now.plus(Duration.ofMinutes(119)));
    assertThat(await(client.alerts().silence("late mails", null, "go on"))).contains(3L);
    assertThat(silentUntil()).isNull();
    assertThat(await(client.alerts().silence("none", now.plusSeconds(60), "we know")))
        .isEmpty();
    assertRefused(
        ErrorCode.VALIDATION_FAILED,
        () -> await(client.alerts().silenceFor("late mails", Duration.ofDays(400), "for good")));
  }

  private static Instant silentUntil() {
    return await(system.runlane.alerts().rules()).get(0).rule().silencedUntil();
  }

  @Test
  void slots_of_a_queue_are_told_with_its_limit() {
    assertThat(await(client.fleet().occupied("bounded", 10)))
        .isEqualTo(new OccupiedSlots(2, List.of()));
    assertThat(await(client.fleet().occupied("default", 10)).concurrencyLimit()).isNull();
  }

  @Test
  void a_job_is_cancelled_once_and_a_name_of_jobs_is_paused_and_resumed() {
    JobQueue queue = system.jobs.queue("acted");
    String id = await(queue.add("welcome", Map.of())).id();

    assertThat(await(client.jobs().cancel("acted", id, "it sends for ever"))).isTrue();
    assertThat(await(client.jobs().cancel("acted", id, "again"))).isFalse();
    assertThat(await(client.jobs().get("acted", id)).state()).isEqualTo(JobState.FAILED);
    await(client.jobs().pause("acted", "odd name/é", "quiet"));
    assertThat(await(queue.getPausedJobNames())).containsExactly("odd name/é");
    await(client.jobs().resume("acted", "odd name/é", "go on"));
    assertThat(await(queue.getPausedJobNames())).isEmpty();
    assertThat(await(client.jobs().redrive("acted", 10, "nothing is dead there")))
        .isZero();
  }

  @Test
  void a_schedule_of_jobs_is_told_with_its_options_and_removed() {
    JobQueue queue = system.jobs.queue("planned");
    await(queue.upsertSchedule(
        "hourly",
        JobRepeat.every(Duration.ofHours(1)),
        "report",
        1,
        JobOptions.builder().attempts(7).build()));

    ApiJobSchedule told = await(client.jobs().schedules("planned")).get(0);
    assertThat(told.key()).isEqualTo("hourly");
    assertThat(told.queueName()).isEqualTo("planned");
    assertThat(told.jobName()).isEqualTo("report");
    assertThat(told.nextAt()).isNotNull();
    assertThat(told.fired()).isZero();
    assertThat(told.json().text()).contains("\"attempts\":7").contains("\"every\":3600000");
    await(client.jobs().removeSchedule("planned", "hourly", "nobody wants it"));
    assertThat(await(client.jobs().schedules("planned"))).isEmpty();
    assertRefused(
        ErrorCode.SCHEDULE_NOT_FOUND,
        () -> await(client.jobs().removeSchedule("planned", "hourly", "again")));
  }

  @Test
  void what_the_server_refuses_has_the_code_of_its_envelope() {
    assertRefused(ErrorCode.RUN_NOT_FOUND, () -> await(client.runs().explain("run_none")));
    assertRefused(
        ErrorCode.TASK_NOT_FOUND,
        () -> await(client.tasks().trigger("none", "null", new TriggerOptions())));
    assertRefused(
        ErrorCode.VALIDATION_FAILED,
        () -> await(client.tasks().trigger("charge", "\"no number\"", new TriggerOptions())));
    assertRefused(
        ErrorCode.VALIDATION_FAILED,
        () -> await(client.tasks().trigger("charge", "{", new TriggerOptions())));
    assertRefused(
        ErrorCode.VALIDATION_FAILED,
        () -> await(client
            .tasks()
            .trigger("charge", "1", new TriggerOptions().setQueue(TaskQueue.of("nowhere")))));
    assertRefused(
        ErrorCode.SCHEDULE_NOT_FOUND,
        () -> await(client.schedules().pause("charge", "none", "why")));
    assertThat(await(client.runs().get("run_none"))).isEmpty();
  }

  private static void assertRefused(ErrorCode code, Runnable call) {
    assertThatThrownBy(call::run).isInstanceOfSatisfying(RunlaneException.class, refused -> {
      assertThat(refused.code()).isEqualTo(code);
      assertThat(refused.isRetryable()).isFalse();
    });
  }
}
