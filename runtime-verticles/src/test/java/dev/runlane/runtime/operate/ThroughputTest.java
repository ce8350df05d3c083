package dev.runlane.runtime.operate;

import static dev.runlane.runtime.Fleet.NOON;
import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.ForwardingStorageAdapter;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ThroughputTest {
  private final Fleet fleet = new Fleet();
  private final Task<String> task = Task.define("task", String.class)
      .handler((payload, context) -> payload.equals("bad")
          ? Future.failedFuture("bad")
          : Future.succeededFuture(TaskResult.done()));
  private int calls;
  private boolean isAway;

  @Test
  void what_processes_do_is_added_up_by_minute_queue_and_task() {
    Runlane one = counting();
    Runlane other = counting();
    run(one, "good");
    run(one, "bad");
    run(other, "good");
    fleet.pass(Duration.ofMinutes(2));

    ThroughputBucket minute = only(one);
    assertThat(minute.minute()).isEqualTo(NOON);
    assertThat(minute.queue()).isEqualTo("default");
    assertThat(minute.taskId()).isEqualTo("task");
    assertThat(minute.triggered()).isEqualTo(3);
    assertThat(minute.started()).isEqualTo(3);
    assertThat(minute.succeeded()).isEqualTo(2);
    assertThat(minute.failed() + minute.retried()).isEqualTo(1);
    assertThat(minute.waited().count()).isEqualTo(3);
    assertThat(minute.attempt().count()).isEqualTo(3);
    assertThat(calls).as("one call a process").isEqualTo(2);
  }

  @Test
  void what_could_not_be_added_is_added_with_the_next_minute() {
    Runlane process = counting();
    isAway = true;
    run(process, "good");
    fleet.pass(Duration.ofMinutes(1));
    isAway = false;
    fleet.pass(Duration.ofMinutes(2));

    assertThat(only(process).succeeded()).isEqualTo(1);
  }

  @Test
  void a_close_adds_what_is_left_and_a_process_that_does_nothing_adds_nothing() {
    Runlane idle = counting();
    Runlane closing = counting();
    run(closing, "good");
    fleet.pass(Duration.ofSeconds(5));
    Future<Void> closed = closing.close();
    fleet.settle();
    done(closed);
    fleet.pass(Duration.ofMinutes(5));

    assertThat(only(idle).succeeded()).isEqualTo(1);
    assertThat(calls).isEqualTo(1);
  }

  private void run(Runlane process, String payload) {
    done(process.trigger(task, payload));
    done(process.executeNext());
    fleet.settle();
  }

  private static ThroughputBucket only(Runlane process) {
    List<ThroughputBucket> found = done(process
            .operator()
            .throughput(ThroughputQuery.between(NOON, NOON.plus(Duration.ofHours(1)))))
        .data();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  private Runlane counting() {
    ForwardingStorageAdapter storage = new ForwardingStorageAdapter(fleet.storage) {
      @Override
      public Optional<OperatorStore> operator() {
        return super.operator().map(real -> new ForwardingOperatorStore(real) {
          @Override
          public Future<Void> addThroughput(AddThroughput command) {
            calls++;
            return isAway ? Future.failedFuture("away") : super.addThroughput(command);
          }
        });
      }
    };
    Runlane made = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers), Lanes.create(storage, fleet.transport))
        .clock(fleet.clock)
        .randomness(fleet.randomness)
        .queue(TaskQueue.of("default").asDefault())
        .task(task)
        .build();
    done(made.start());
    return made;
  }
}
