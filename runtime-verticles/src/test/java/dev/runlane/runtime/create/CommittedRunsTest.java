package dev.runlane.runtime.create;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Environment;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.RunlaneRole;
import dev.runlane.runtime.host.DispatchMode;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.PreparedRun;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.WakeupListener;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Runs that a process without roles prepares, and somebody else stores and commits. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class CommittedRunsTest {
  private static final TaskQueue DEFAULT = TaskQueue.of("default").asDefault();
  private static final TaskQueue SINGLE = TaskQueue.of("single").concurrencyLimit(1);

  private final Fleet fleet = new Fleet();
  private final List<String> woken = new ArrayList<>();
  private final Task<String> task = Task.define("task", String.class)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));

  @BeforeEach
  void listen() {
    done(fleet.transport.subscribe(
        new Environment(RunlaneOptions.DEFAULT_ENVIRONMENT), new WakeupListener() {
          @Override
          public void onWakeups(List<DeliveryMessage> messages) {
            messages.forEach(message -> woken.add(message.runId()));
          }

          @Override
          public void onPossibleLoss() {}
        }));
  }

  private Runlane process() {
    return process(new RunlaneOptions());
  }

  private Runlane process(RunlaneOptions options) {
    return fleet.process(options, List.of(DEFAULT, SINGLE), task);
  }

  private String committed(Runlane runlane, TriggerOptions options) {
    PreparedRun prepared = runlane.prepare(task, "x", options);
    TriggerOptions same = new TriggerOptions(options).setRunId(prepared.runId());
    done(runlane.inTransaction(fleet.storage).trigger(task, "x", same));
    runlane.committed(prepared);
    fleet.settle();
    return prepared.runId();
  }

  @Test
  void a_worker_of_another_process_is_woken() {
    Runlane working = process();
    done(working.worker(new WorkerOptions()));
    fleet.settle();

    String run = committed(process(), new TriggerOptions());

    assertThat(woken).containsExactly(run);
    assertThat(fleet.run(working, run).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void what_is_due_later_or_of_a_bounded_queue_wakes_nobody() {
    Runlane triggering = process();

    committed(triggering, new TriggerOptions().setDelay(Duration.ofHours(1)));
    committed(triggering, new TriggerOptions().setQueue(SINGLE));

    assertThat(woken).isEmpty();
  }

  @Test
  void what_the_options_leave_to_the_publishers_wakes_nobody() {
    committed(
        process(new RunlaneOptions().setDispatchOnTrigger(DispatchMode.DEFERRED)),
        new TriggerOptions());

    assertThat(woken).isEmpty();
  }

  @Test
  void a_process_with_a_publisher_leaves_it_to_that() {
    Runlane publishing = process();
    done(publishing.host(new RunlaneDeployment().setRoles(Set.of(RunlaneRole.OUTBOX_PUBLISHER))));
    fleet.settle();
    String run = committed(publishing, new TriggerOptions());
    assertThat(woken).isEmpty();

    publishing.wake();
    fleet.settle();

    assertThat(woken).containsExactly(run);
  }

  @Test
  void a_transport_that_is_away_changes_nothing() {
    Runlane triggering = process();
    done(fleet.transport.close());

    String run = committed(triggering, new TriggerOptions());

    assertThat(fleet.run(triggering, run).status()).isEqualTo(RunStatus.QUEUED);
  }
}
