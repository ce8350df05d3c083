package dev.runlane.runtime.sweep;

import static dev.runlane.runtime.SharedTransport.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.conformance.kit.BlockedLoops;
import dev.runlane.lane.Lane;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.MaintenanceFleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.ScriptedStorage;
import dev.runlane.runtime.SharedTransport;
import dev.runlane.runtime.maintenance.CancellationFinalizerVerticle;
import dev.runlane.runtime.maintenance.DispatcherVerticle;
import dev.runlane.runtime.maintenance.RetentionOptions;
import dev.runlane.runtime.maintenance.RetentionVerticle;
import dev.runlane.runtime.process.NewRun;
import dev.runlane.runtime.publish.OutboxPublisherOptions;
import dev.runlane.runtime.publish.OutboxPublisherVerticle;
import dev.runlane.runtime.schedule.SchedulerVerticle;
import dev.runlane.runtime.task.MissedFires;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The verticles on a real Vert.x, in real time; no assertion depends on how long anything takes. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SweepVerticleTest {
  private static final Task<String> PLAIN = MaintenanceFleet.TASK;
  private static final Task<String> OFTEN = Task.define("test.often", String.class)
      .schedule(Schedule.every("often", Duration.ofMillis(50))
          .payload("x")
          .missedFires(MissedFires.all(3)))
      .handler((payload, context) -> MaintenanceFleet.done());

  private final BlockedLoops blocked = new BlockedLoops();
  private final Vertx vertx = blocked.watched();
  private final MemoryStorage memory = new MemoryStorage();
  private final ScriptedStorage storage = new ScriptedStorage(memory);
  private final SharedTransport wakeups = new SharedTransport();

  @AfterEach
  void no_event_loop_was_blocked() {
    soon(vertx.close());
    blocked.assertNone();
  }

  @Test
  void a_publisher_publishes_what_is_committed_after_it_was_deployed() {
    Runlane runlane = runlane(storage.adapter(), PLAIN);
    deploy(() -> new OutboxPublisherVerticle(runlane), 1);

    RunRecord run = create(runlane, MaintenanceFleet.QUEUE);

    soon(wakeups.of(run.id()));
  }

  @Test
  void a_dispatcher_and_a_publisher_get_a_run_of_a_bounded_queue_delivered() {
    Runlane runlane = runlane(storage.adapter(), PLAIN);
    deploy(() -> new OutboxPublisherVerticle(runlane), 1);
    deploy(() -> new DispatcherVerticle(runlane), 1);

    RunRecord run = create(runlane, MaintenanceFleet.BOUNDED);

    soon(wakeups.of(run.id()));
  }

  @Test
  void several_instances_of_every_role_make_one_run_of_each_fire_and_publish_it_once() {
    Runlane runlane = runlane(memory, OFTEN);
    deploy(() -> new SchedulerVerticle(runlane), 3);
    deploy(() -> new OutboxPublisherVerticle(runlane), 3);
    deploy(() -> new DispatcherVerticle(runlane), 2);
    deploy(() -> new CancellationFinalizerVerticle(runlane), 2);
    deploy(
        () ->
            new RetentionVerticle(runlane, new RetentionOptions().setOlderThan(Duration.ofDays(1))),
        2);

    soon(wakeups.after(40));
    undeployAll();

    List<RunSummary> runs = runs();
    Set<Object> fires = new HashSet<>();
    runs.forEach(run -> assertThat(fires.add(MaintenanceFleet.await(
                memory.getRun(new GetRun(MaintenanceFleet.ENVIRONMENT, run.id())))
            .orElseThrow()
            .source()
            .fireAt()))
        .as("one run of each fire")
        .isTrue());
    assertThat(wakeups.runs()).doesNotHaveDuplicates();
  }

  static Stream<Arguments> roles() {
    return Stream.of(
        role(OutboxPublisherVerticle::new, "claimOutboxMessages"),
        role(DispatcherVerticle::new, "listRunsNeedingDelivery"),
        role(SchedulerVerticle::new, "claimScheduleOccurrence"),
        role(CancellationFinalizerVerticle::new, "listRunsNeedingCancellationFinalization"),
        role(
            runlane -> new RetentionVerticle(
                runlane, new RetentionOptions().setOlderThan(Duration.ofDays(1))),
            "pruneRuns"));
  }

  @ParameterizedTest
  @MethodSource("roles")
  void an_undeployment_waits_for_the_sweep_in_flight_and_nothing_comes_after_it(
      Function<Runlane, Deployable> verticle, String firstCall) {
    Promise<Void> gate = Promise.promise();
    Future<Void> sweeping = holdNext(firstCall, gate.future());
    Runlane runlane = runlane(storage.adapter(), OFTEN);
    String deployment = soon(vertx.deployVerticle(verticle.apply(runlane)));
    soon(sweeping);

    Future<Void> undeployed = vertx.undeploy(deployment);
    assertThat(undeployed.isComplete()).isFalse();
    gate.complete();
    soon(undeployed);

    int calls = storage.calls().size();
    create(runlane, MaintenanceFleet.QUEUE);
    create(runlane, MaintenanceFleet.BOUNDED);
    soon(turns(50));
    assertThat(storage.calls()).as("two creations and nothing else").hasSize(calls + 2);
  }

  @Test
  void an_undeployment_whose_sweep_takes_too_long_fails_and_says_so() {
    Future<Void> sweeping =
        holdNext("claimOutboxMessages", Promise.<Void>promise().future());
    Runlane runlane = runlane(storage.adapter(), PLAIN);
    OutboxPublisherOptions impatient =
        new OutboxPublisherOptions().setDrainTimeout(Duration.ofMillis(20));
    String deployment = soon(vertx.deployVerticle(new OutboxPublisherVerticle(runlane, impatient)));
    soon(sweeping);

    assertThatThrownBy(() -> soon(vertx.undeploy(deployment)))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.OPERATION_CANCELLED));
  }

  @Test
  void a_storage_that_answers_on_threads_of_its_own_is_swept_on_the_verticles_context() {
    for (String method : List.of("claimOutboxMessages", "markOutboxMessagesPublished")) {
      for (int call = 0; call < 20; call++) {
        storage.next(method, real -> () -> answerElsewhere(real));
      }
    }
    Runlane runlane = runlane(storage.adapter(), PLAIN);
    deploy(() -> new OutboxPublisherVerticle(runlane), 1);

    for (int index = 0; index < 5; index++) {
      soon(wakeups.of(create(runlane, MaintenanceFleet.QUEUE).id()));
    }
    undeployAll();
  }

  @Test
  void options_that_contradict_one_another_are_refused_before_anything_is_deployed() {
    Runlane runlane = runlane(memory, PLAIN);
    OutboxPublisherOptions options =
        new OutboxPublisherOptions().setPublishTimeout(Duration.ofMinutes(1));

    assertThatThrownBy(() -> new OutboxPublisherVerticle(runlane, options))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }

  private static Arguments role(Function<Runlane, Deployable> verticle, String firstCall) {
    return Arguments.of(verticle, firstCall);
  }

  private Runlane runlane(StorageAdapter storage, Task<?> task) {
    Lane lane = Lanes.create(storage, wakeups);
    Runlane runlane = Runlane.builder(vertx, lane)
        .queues(List.of(MaintenanceFleet.QUEUE, MaintenanceFleet.BOUNDED))
        .task(task)
        .build();
    soon(runlane.start());
    return runlane;
  }

  private void deploy(Supplier<Deployable> verticle, int instances) {
    soon(vertx.deployVerticle(verticle, new DeploymentOptions().setInstances(instances)));
  }

  private void undeployAll() {
    List<Future<Void>> all = new ArrayList<>();
    vertx.deploymentIDs().forEach(id -> all.add(vertx.undeploy(id)));
    soon(Future.join(all));
  }

  private RunRecord create(Runlane runlane, TaskQueue queue) {
    NewRun wanted = new NewRun(
        runlane.context().ids().runId(),
        PLAIN.id(),
        queue.policy(),
        Json.ofChecked("\"hello\""),
        null,
        RunKeys.NONE,
        RunSource.TRIGGER,
        ContractDefaults.SYSTEM_ACTOR,
        null,
        null,
        Map.of(),
        false);
    return soon(runlane.context().creations().create(wanted)).run();
  }

  private List<RunSummary> runs() {
    return MaintenanceFleet.await(memory.listRuns(new ListRuns(
            MaintenanceFleet.ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, 200, null)))
        .data();
  }

  /** Completes once the call was made, which is answered when the gate opens. */
  private Future<Void> holdNext(String method, Future<Void> gate) {
    Promise<Void> called = Promise.promise();
    storage.next(method, real -> () -> {
      called.complete();
      return gate.compose(open -> real.get());
    });
    return called.future();
  }

  private static Future<?> answerElsewhere(Supplier<Future<?>> real) {
    return Future.fromCompletionStage(CompletableFuture.supplyAsync(() -> null)
        .thenCompose(start -> real.get().toCompletionStage()));
  }

  /** Lets every event loop take so many turns of a millisecond each. */
  private Future<Void> turns(int number) {
    return number == 0
        ? Future.succeededFuture()
        : vertx.timer(1, TimeUnit.MILLISECONDS).compose(turn -> turns(number - 1));
  }
}
