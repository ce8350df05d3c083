package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static dev.runlane.runtime.MaintenanceFleet.BOUNDED;
import static dev.runlane.runtime.MaintenanceFleet.QUEUE;
import static dev.runlane.runtime.MaintenanceFleet.await;
import static dev.runlane.runtime.RemoteFleet.asking;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.maintenance.CancellationFinalizer;
import dev.runlane.runtime.maintenance.CancellationFinalizerOptions;
import dev.runlane.runtime.maintenance.Dispatcher;
import dev.runlane.runtime.maintenance.DispatcherOptions;
import dev.runlane.runtime.process.RunReads;
import dev.runlane.runtime.sweep.PhaseCount;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.read.RunFilter;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A run that cannot be read, as a later release or somebody by hand has written it, keeps back no other. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class UnreadableRunTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final List<String> RUNS = List.of("run_a", "run_b", "run_c");

  private final MaintenanceFleet fleet = new MaintenanceFleet();
  private final MaintenanceFleet.Process process = fleet.process();

  @Test
  void the_others_of_a_sweep_get_their_deliveries() {
    start(QUEUE);

    assertThat(await(dispatcher().recoverDeliveries())).isEqualTo(new PhaseCount(2, false));

    assertThat(statuses()).containsExactly(RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.QUEUED);
  }

  @Test
  void the_others_of_bounded_queues_get_their_slots() {
    RUNS.forEach(id -> fleet.create(id, BOUNDED, id));
    process.storage.makeUnreadable("run_b");

    assertThat(await(dispatcher().reserveDispatches())).isEqualTo(new PhaseCount(2, false));

    assertThat(RUNS.stream().map(id -> fleet.run(id).reservation() != null))
        .containsExactly(true, false, true);
  }

  @Test
  void the_others_that_were_asked_to_cancel_are_cancelled() {
    start(QUEUE).forEach(fleet::requestCancellation);

    assertThat(
            await(new CancellationFinalizer(process.context(), new CancellationFinalizerOptions())
                .sweep()))
        .isEqualTo(new PhaseCount(2, false));

    assertThat(statuses())
        .containsExactly(
            RunStatus.CANCELLED, RunStatus.CANCELLATION_REQUESTED, RunStatus.CANCELLED);
  }

  @Test
  void results_of_the_others_remote_steps_arrive() {
    RemoteFleet remote = new RemoteFleet();
    Task<String> task =
        asking(context -> context.remote("charge", null, String.class).map(TaskResult::done));
    Runlane runlane = remote.process(task);
    remote.work(runlane);
    List<String> ids = Stream.of("a", "b", "c")
        .map(payload -> done(runlane.trigger(task, payload)).run().id())
        .toList();
    remote.pass(Duration.ofMillis(200));
    remote.fleet.faults.makeUnreadable(ids.get(1));

    remote.take("charge").forEach(each -> remote.complete(each, "\"paid\""));
    remote.pass(Duration.ofSeconds(1));

    Runlane readable = remote.process(task);
    assertThat(ids.stream().map(id -> remote.run(readable, id).status()))
        .containsExactly(RunStatus.SUCCEEDED, RunStatus.RELEASED, RunStatus.SUCCEEDED);
  }

  @Test
  void whoever_awaits_another_hears_of_its_end_and_whoever_awaits_it_is_told_why_not() {
    Fleet here = new Fleet();
    Task<String> task = Task.define("task", String.class)
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane runlane = here.process(task);
    String ended = done(runlane.trigger(task, "x")).run().id();
    String unreadable = done(runlane.trigger(task, "x")).run().id();
    here.faults.makeUnreadable(unreadable);

    Future<RunRecord> first = runlane.awaitRun(ended, LEASE);
    Future<RunRecord> second = runlane.awaitRun(unreadable, LEASE);
    cancelElsewhere(here, task, ended);
    here.pass(Duration.ofSeconds(2));

    assertThat(done(first).status()).isEqualTo(RunStatus.CANCELLED);
    assertFails(ErrorCode.INVARIANT_VIOLATION, second);
  }

  @Test
  void ends_of_the_others_are_heard() {
    Fleet here = new Fleet();
    Task<String> task = Task.define("task", String.class)
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane runlane = here.process(task);
    List<String> heard = new ArrayList<>();
    done(runlane.subscribe(RunFilter.ALL, run -> heard.add(run.id())));
    String first = done(runlane.trigger(task, "x")).run().id();
    String second = done(runlane.trigger(task, "x")).run().id();
    here.faults.makeUnreadable(first);

    cancelElsewhere(here, task, first, second);
    here.pass(Duration.ofSeconds(2));

    assertThat(heard).containsExactly(second);
  }

  @Test
  void readers_of_others_in_the_same_query_get_their_answers() {
    start(QUEUE);
    RunReads reads = new RunReads(process.context());
    Promise<Void> underWay = Promise.promise();
    for (String before : List.of("run_x", "run_y")) {
      process.storage.holdNext("getRuns", underWay.future());
      reads.read(before);
    }

    List<Future<Optional<RunRecord>>> answers = RUNS.stream().map(reads::read).toList();
    underWay.complete();

    assertThat(await(answers.get(0))).contains(fleet.run("run_a"));
    assertFails(ErrorCode.INVARIANT_VIOLATION, answers.get(1));
    assertThat(await(answers.get(2))).contains(fleet.run("run_c"));
  }

  /** Three runs whose leases have ended, of which one cannot be read. */
  private List<RunRecord> start(TaskQueue queue) {
    RUNS.forEach(id -> fleet.create(id, queue));
    List<RunRecord> started = RUNS.stream().map(fleet::start).toList();
    fleet.advance(LEASE);
    process.storage.makeUnreadable("run_b");
    return started;
  }

  private static void cancelElsewhere(Fleet here, Task<String> task, String... ids) {
    Runlane elsewhere = here.process(
        here.storage, new RunlaneOptions(), List.of(TaskQueue.of("default").asDefault()), task);
    for (String id : ids) {
      done(elsewhere.runs().cancel(id, RunActionOptions.by("anna")));
    }
  }

  private Dispatcher dispatcher() {
    return new Dispatcher(process.context(), new DispatcherOptions());
  }

  private Stream<RunStatus> statuses() {
    return RUNS.stream().map(id -> fleet.run(id).status());
  }
}
