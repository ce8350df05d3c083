package dev.runlane.runtime.operate;

import static dev.runlane.runtime.Fleet.NOON;
import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static dev.runlane.runtime.Fleet.failed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.lane.Lanes;
import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.task.KnownTask;
import dev.runlane.operator.task.PublishTasks;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TaskKey;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.operate.RunExplanation.Code;
import dev.runlane.runtime.operate.RunExplanation.Reason;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.ForwardingStorageAdapter;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What processes say of their tasks, and what others do by it. */
class KnownTasksTest {
  private static final String SCHEMA = "{\"type\": \"string\", \"minLength\": 2}";

  private final Fleet fleet = new Fleet();
  private final Task<String> mail = Task.define("mail", String.class)
      .payloadSchema(SCHEMA)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done(payload)));
  private final Task<String> charge = Task.define("charge", String.class)
      .queue(TaskQueue.of("payments"))
      .idempotencyKey(payload -> payload)
      .singletonKey(payload -> payload)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done(payload)));
  private final Task<String> refund = Task.define("refund", String.class)
      .queue(TaskQueue.of("payments"))
      .payloadSchema(SCHEMA)
      .singletonKey(payload -> "of " + payload)
      .retry(RetryPolicy.attempts(1))
      .handler((payload, context) -> payload.equals("yes")
          ? Future.succeededFuture(TaskResult.done(payload))
          : Future.failedFuture(new IllegalStateException("no money")));
  private final Task<String> invoice = Task.define("invoice", String.class)
      .idempotencyKey(payload -> payload, IdempotencyTtl.ACTIVE)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done(payload)));
  private final Task<String> report = Task.define("report", String.class)
      .idempotencyKey(payload -> payload, IdempotencyTtl.of(Duration.ofHours(1)))
      .refuseOtherPayload()
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done(payload)));
  private final Task<String> order = Task.define("order", String.class)
      .concurrencyKey(payload -> payload)
      .tag("customer", payload -> payload)
      .tag("region", payload -> null)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done(payload)));
  private final Runlane console =
      fleet.process(Task.define("local", String.class).description());

  private Runlane worker() {
    Runlane worker = fleet.process(
        new RunlaneOptions(),
        List.of(TaskQueue.of("default").asDefault(), TaskQueue.of("payments")),
        mail,
        charge,
        refund,
        invoice,
        report,
        order);
    done(worker.worker(new WorkerOptions()));
    fleet.settle();
    return worker;
  }

  @Test
  void a_process_says_which_tasks_it_has_with_its_first_sign_of_life() {
    worker();

    List<KnownTask> known = done(console.operator().tasks(null, null)).data();
    assertThat(known)
        .extracting(
            each -> each.task().taskId(),
            each -> each.task().queue(),
            each -> each.task().hasHandler(),
            each -> each.task().payloadType(),
            each -> each.task().keys())
        .contains(
            tuple(
                "charge",
                "payments",
                true,
                "java.lang.String",
                List.of(TaskKey.IDEMPOTENCY, TaskKey.SINGLETON)),
            tuple("mail", "default", true, "java.lang.String", List.of()));
    assertThat(done(console.operator().task("mail")).orElseThrow().task().payloadSchema())
        .isEqualTo(mail.payloadSchema().orElseThrow());
    assertThat(done(console.operator().task("local"))).isEmpty();
  }

  @Test
  void a_process_says_so_again_every_hour_and_with_the_next_sign_of_life_where_it_failed() {
    List<PublishTasks> told = new ArrayList<>();
    Runlane flaky = fleet.process(
        new ForwardingStorageAdapter(fleet.storage) {
          @Override
          public Optional<OperatorStore> operator() {
            return super.operator().map(real -> new ForwardingOperatorStore(real) {
              @Override
              public Future<Void> publishTasks(PublishTasks command) {
                told.add(command);
                return told.size() == 1 ? Future.failedFuture("cut") : super.publishTasks(command);
              }
            });
          }
        },
        new RunlaneOptions(),
        List.of(TaskQueue.of("default").asDefault()),
        mail);
    done(flaky.worker(new WorkerOptions()));
    fleet.settle();
    assertThat(told).hasSize(1);

    fleet.pass(OperatorStore.SIGN_INTERVAL.multipliedBy(2));
    assertThat(told).hasSize(2);
    fleet.pass(KnownTask.PUBLISHED_EVERY.minus(Duration.ofMinutes(1)));
    assertThat(told).hasSize(2);
    fleet.pass(Duration.ofMinutes(2));
    assertThat(told).hasSize(3).extracting(PublishTasks::startedAt).containsOnly(NOON);
  }

  @Test
  void more_tasks_than_fit_one_command_are_told_in_several() {
    TaskDescription<?>[] many = IntStream.range(0, 250)
        .mapToObj(n -> Task.define("task_" + n, String.class).description())
        .toArray(TaskDescription<?>[]::new);
    Runlane process = fleet.process(many);
    done(process.worker(new WorkerOptions()));
    fleet.settle();

    assertThat(done(console.operator().task("task_249"))).isPresent();
    assertThat(done(console.operator().task("task_0"))).isPresent();
  }

  @Test
  void a_schema_that_is_too_large_to_be_told_is_left_out_and_the_task_is_told() {
    String large = "{\"type\": \"string\", \"description\": \""
        + "x".repeat(RuntimeTask.MOST_SCHEMA_BYTES) + "\"}";
    Runlane process =
        fleet.process(Task.define("large", String.class).payloadSchema(large).description());
    done(process.worker(new WorkerOptions()));
    fleet.settle();

    assertThat(done(console.operator().task("large")).orElseThrow().task().payloadSchema())
        .isNull();
  }

  @Test
  void a_task_of_another_process_is_triggered_by_what_that_one_said() {
    Runlane worker = worker();

    RunRecord run = done(console.operator().trigger("mail", "\"hello\"", new TriggerOptions()))
        .run();
    assertThat(run.queue()).isEqualTo("default");
    fleet.pass(Duration.ofSeconds(5));
    assertThat(fleet.run(worker, run.id()).status()).isEqualTo(RunStatus.SUCCEEDED);

    assertThat(failed(console.operator().trigger("mail", "\"h\"", new TriggerOptions())))
        .hasMessageContaining("minLength");
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        console.operator().trigger("mail", "no JSON", new TriggerOptions()));
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        console
            .operator()
            .trigger(
                "mail", "\"hello\"", new TriggerOptions().setQueue(TaskQueue.of("nobody has"))));
  }

  @Test
  void keys_that_the_code_of_a_task_would_make_must_be_given_or_be_left_out_on_purpose() {
    worker();

    assertThat(failed(console
            .operator()
            .trigger("charge", "\"x\"", new TriggerOptions().setIdempotencyKey("a"))))
        .hasMessageContaining("singletonKey")
        .hasMessageNotContaining("idempotencyKey");
    RunRecord run = done(console
            .operator()
            .trigger(
                "charge",
                "\"x\"",
                new TriggerOptions().setIdempotencyKey("a").setSingletonKey("b")))
        .run();
    assertThat(run.queue()).isEqualTo("payments");
    assertThat(run.keys().idempotencyKey()).isEqualTo("a");
    RunRecord without = done(console
            .operator()
            .triggerWithGivenKeys("charge", "\"x\"", new TriggerOptions()))
        .run();
    assertThat(without.keys().idempotencyKey()).isNull();
  }

  @Test
  void a_process_says_what_the_code_of_a_task_says_of_each_trigger() {
    worker();

    assertThat(done(console.operator().tasks(null, null)).data())
        .extracting(KnownTask::task)
        .extracting(RuntimeTask::taskId, RuntimeTask::rules)
        .contains(
            tuple("invoice", new TriggerRules(IdempotencyTtl.ACTIVE, false, List.of())),
            tuple(
                "report",
                new TriggerRules(IdempotencyTtl.of(Duration.ofHours(1)), true, List.of())),
            tuple(
                "order",
                new TriggerRules(
                    IdempotencyTtl.of(ContractDefaults.IDEMPOTENCY_KEY_TTL),
                    false,
                    List.of("customer", "region"))),
            tuple(
                "mail",
                new TriggerRules(
                    IdempotencyTtl.of(ContractDefaults.IDEMPOTENCY_KEY_TTL), false, List.of())));
  }

  @Test
  void a_key_given_elsewhere_is_free_again_when_the_task_says_so() {
    worker();
    RunRecord first = keyed(console, "invoice", "\"a\"").run();
    assertThat(first.keys().idempotencyTtl()).isEqualTo(IdempotencyTtl.ACTIVE);
    fleet.pass(Duration.ofSeconds(5));

    TriggerResult second = keyed(operatorOnly(), "invoice", "\"a\"");
    assertThat(second.outcome()).isEqualTo(TriggerOutcome.CREATED);
    assertThat(second.run().keys().idempotencyTtl()).isEqualTo(IdempotencyTtl.ACTIVE);
  }

  @Test
  void a_key_given_elsewhere_is_kept_as_long_as_the_task_says_unless_the_trigger_says_otherwise() {
    worker();

    assertThat(keyed(console, "report", "\"a\"").run().keys().idempotencyTtl())
        .isEqualTo(IdempotencyTtl.of(Duration.ofHours(1)));
    fleet.pass(Duration.ofMinutes(59));
    assertThat(keyed(console, "report", "\"a\"").outcome())
        .isEqualTo(TriggerOutcome.IDEMPOTENT_EXISTING);
    fleet.pass(Duration.ofMinutes(2));
    assertThat(keyed(console, "report", "\"a\"").outcome()).isEqualTo(TriggerOutcome.CREATED);
    IdempotencyTtl brief = IdempotencyTtl.of(Duration.ofSeconds(7));
    assertThat(done(console
                .operator()
                .trigger(
                    "report",
                    "\"a\"",
                    new TriggerOptions().setIdempotencyKey("other").setIdempotencyTtl(brief)))
            .run()
            .keys()
            .idempotencyTtl())
        .isEqualTo(brief);
  }

  @Test
  void a_task_refuses_another_payload_under_a_key_that_is_given_elsewhere_too() {
    worker();
    RunRecord owner = keyed(console, "report", "\"a\"").run();

    for (Runlane elsewhere : List.of(console, operatorOnly())) {
      Throwable refused = failed(trigger(elsewhere, "report", "\"b\""));
      assertThat(refused).isInstanceOf(RunlaneException.class);
      assertThat(((RunlaneException) refused).meta())
          .containsEntry("reason", "idempotency_mismatch")
          .containsEntry(RunlaneException.OWNER_RUN_ID, owner.id());
    }
    assertThat(keyed(console, "report", "\"a\"").samePayload()).isTrue();
  }

  @Test
  void tags_that_the_code_of_a_task_would_make_must_be_given_or_be_left_out_on_purpose() {
    worker();
    Operator elsewhere = console.operator();
    TriggerOptions keyed = new TriggerOptions().setConcurrencyKey("c");
    TriggerOptions one =
        new TriggerOptions(keyed).setTags(Map.of("customer", "anna", "source", "by hand"));

    Throwable refused = failed(elsewhere.trigger("order", "\"x\"", new TriggerOptions()));
    assertThat(refused)
        .hasMessage("task order makes keys and tags of its payload, which its own processes alone"
            + " can: give concurrencyKey, tag customer, tag region");
    assertThat(((RunlaneException) refused).code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(failed(elsewhere.trigger("order", "\"x\"", one)))
        .hasMessageEndingWith(
            "makes tags of its payload, which its own processes alone can: give" + " tag region");
    assertThat(failed(elsewhere.triggerWithGivenKeys("order", "\"x\"", one)))
        .hasMessageEndingWith(": give tag region");
    assertThat(failed(
            elsewhere.trigger("order", "\"x\"", new TriggerOptions(), Set.of(MadeByCode.TAGS))))
        .hasMessageEndingWith(": give concurrencyKey");

    RunRecord full = done(elsewhere.trigger(
            "order",
            "\"x\"",
            new TriggerOptions(keyed).setTags(Map.of("customer", "anna", "region", "eu"))))
        .run();
    RunRecord part =
        done(elsewhere.trigger("order", "\"x\"", one, Set.of(MadeByCode.TAGS))).run();
    assertThat(done(console.runs().tags(List.of(full.id(), part.id()))))
        .containsEntry(full.id(), Map.of("customer", "anna", "region", "eu"))
        .containsEntry(part.id(), Map.of("customer", "anna", "source", "by hand"));
    assertThat(done(elsewhere.trigger(
                "order", "\"x\"", new TriggerOptions(), Set.of(MadeByCode.values())))
            .run()
            .keys()
            .concurrencyKey())
        .isNull();
  }

  @Test
  void a_task_of_a_process_that_says_nothing_of_its_triggers_has_the_defaults() {
    worker();
    done(fleet
        .storage
        .operator()
        .orElseThrow()
        .publishTasks(new PublishTasks(
            new Environment("default"),
            "earlier release",
            NOON,
            List.of(new RuntimeTask(
                "old", "default", true, "java.lang.String", null, List.of(TaskKey.IDEMPOTENCY))),
            NOON)));

    assertThat(keyed(console, "old", "\"a\"").run().keys().idempotencyTtl())
        .isEqualTo(IdempotencyTtl.of(ContractDefaults.IDEMPOTENCY_KEY_TTL));
    TriggerResult other = keyed(console, "old", "\"b\"");
    assertThat(other.outcome()).isEqualTo(TriggerOutcome.IDEMPOTENT_EXISTING);
    assertThat(other.samePayload()).isFalse();
  }

  @Test
  void a_task_that_nobody_has_is_not_found() {
    worker();

    assertFails(
        ErrorCode.TASK_NOT_FOUND, console.operator().trigger("none", "null", new TriggerOptions()));
    assertFails(
        ErrorCode.TASK_NOT_FOUND,
        console.operator().triggerWithGivenKeys("none", "null", new TriggerOptions()));
  }

  @Test
  void a_task_of_this_runtime_is_triggered_by_its_own_code() {
    Runlane worker = worker();

    assertThat(done(worker.operator().trigger("charge", "\"x\"", new TriggerOptions()))
            .run()
            .keys()
            .singletonKey())
        .isEqualTo("x");
  }

  @Test
  void a_run_of_another_processs_task_is_repeated_by_what_that_one_said() {
    Runlane worker = worker();
    RunRecord failed = failedRun(worker, "no");

    RunRecord again = done(console
            .runs()
            .retry(failed.id(), new RunActionOptions().setReason("mended")))
        .run();
    assertThat(again.queue()).isEqualTo("payments");
    assertThat(again.payload()).isEqualTo(failed.payload());
    assertThat(again.keys().singletonKey()).isEqualTo("of no");
    assertThat(again.source().sourceRunId()).isEqualTo(failed.id());
    fleet.pass(Duration.ofSeconds(5));
    assertThat(fleet.run(worker, again.id()).status()).isEqualTo(RunStatus.FAILED);

    RunRecord edited = done(console.runs().rerun(failed.id(), "\"yes\"", new RunActionOptions()))
        .run();
    fleet.pass(Duration.ofSeconds(5));
    assertThat(fleet.run(worker, edited.id()).status()).isEqualTo(RunStatus.SUCCEEDED);
    for (Runlane elsewhere : List.of(console, operatorOnly())) {
      assertFails(
          ErrorCode.VALIDATION_FAILED,
          elsewhere.runs().rerun(failed.id(), "\"y\"", new RunActionOptions()));
    }
  }

  private Runlane operatorOnly() {
    Runlane operator = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers), Lanes.create(fleet.storage, fleet.transport))
        .clock(fleet.clock)
        .randomness(fleet.randomness)
        .operatorOnly()
        .build();
    done(operator.start());
    return operator;
  }

  @Test
  void a_run_of_a_task_that_nobody_says_he_has_is_repeated_by_its_own_processes_alone() {
    Runlane silent = fleet.process(
        new RunlaneOptions(),
        List.of(TaskQueue.of("default").asDefault(), TaskQueue.of("payments")),
        refund);
    RunRecord failed = failedRun(silent, "no");

    assertFails(
        ErrorCode.TASK_NOT_FOUND, console.runs().retry(failed.id(), new RunActionOptions()));
    assertThat(
            done(silent.runs().retry(failed.id(), new RunActionOptions())).run().taskId())
        .isEqualTo("refund");
  }

  @Test
  void a_run_waits_for_no_task_that_a_worker_of_another_process_takes() {
    Runlane worker = worker();
    Runlane other = fleet.process(Task.define("local", String.class).description());
    RunRecord run = done(other
            .operator()
            .trigger("mail", "\"hello\"", new TriggerOptions().setDelay(Duration.ofHours(1))))
        .run();
    assertThat(reasons(run)).contains(Code.NOT_DUE).doesNotContain(Code.NO_TASK, Code.NO_QUEUE);

    done(worker.close());
    fleet.pass(KnownProcess.GONE_AFTER);

    assertThat(reasons(run)).startsWith(Code.NO_TASK);
    assertThat(done(console.runs().explain(run.id())).text())
        .contains("no worker that lives says it has");
  }

  private static TriggerResult keyed(Runlane elsewhere, String taskId, String payload) {
    return done(trigger(elsewhere, taskId, payload));
  }

  /** With one key, in the queue that the task has. */
  private static Future<TriggerResult> trigger(Runlane elsewhere, String taskId, String payload) {
    TriggerOptions options = new TriggerOptions().setIdempotencyKey("A-1");
    return elsewhere.queues().isEmpty()
        ? elsewhere.triggerJson(taskId, payload, options.setQueue(TaskQueue.of("default")))
        : elsewhere.operator().trigger(taskId, payload, options);
  }

  private List<Code> reasons(RunRecord run) {
    return done(console.runs().explain(run.id())).reasons().stream()
        .map(Reason::code)
        .toList();
  }

  private RunRecord failedRun(Runlane process, String payload) {
    RunRecord run = done(process.trigger(refund, payload)).run();
    done(process.executeNext());
    fleet.pass(Duration.ofSeconds(5));
    RunRecord ended = fleet.run(process, run.id());
    assertThat(ended.status()).isEqualTo(RunStatus.FAILED);
    return ended;
  }
}
