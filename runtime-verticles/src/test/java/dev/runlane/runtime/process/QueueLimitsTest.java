package dev.runlane.runtime.process;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.MaintenanceFleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.ScriptedStorage;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.storage.limit.QueueLimitStorage;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.testinfra.process.CapturedErrors;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Processes that give one queue different limits. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class QueueLimitsTest {
  private static final Duration INTERVAL = RunlaneOptions.DEFAULT_QUEUE_LIMIT_INTERVAL;
  private static final TaskQueue TWO = TaskQueue.of("mail").concurrencyLimit(2).asDefault();
  private static final TaskQueue FIVE = TaskQueue.of("mail").concurrencyLimit(5).asDefault();
  private static final TaskQueue UNBOUNDED = TaskQueue.of("mail").asDefault();

  private final Fleet fleet = new Fleet();
  private final Task<String> endless = Task.define("endless", String.class)
      .handler((payload, context) -> Promise.<TaskResult>promise().future());

  @Test
  void the_lowest_limit_of_the_living_processes_holds_in_all_of_them() {
    Runlane strict = process(TWO);
    Runlane lax = process(FIVE);
    triggerEight(lax);

    done(lax.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(30));

    assertThat(running(lax)).isEqualTo(2);
    done(strict.close());
    fleet.pass(INTERVAL.multipliedBy(2));
    assertThat(running(lax)).as("once the stricter process has gone").isEqualTo(5);
  }

  @Test
  void
      what_is_closed_while_it_starts_publishes_nothing_later_and_says_last_that_it_has_no_queues() {
    Promise<List<PublishedQueue>> first = Promise.promise();
    List<PublishQueues> published = new ArrayList<>();
    QueueLimitStorage slow = new QueueLimitStorage() {
      @Override
      public Future<List<PublishedQueue>> publishQueues(PublishQueues command) {
        published.add(command);
        return published.size() == 1 ? first.future() : Future.succeededFuture(List.of());
      }

      @Override
      public Future<List<PublishedQueue>> listPublishedQueues(ListPublishedQueues query) {
        return Future.succeededFuture(List.of());
      }
    };
    ManualTimers timers = new ManualTimers(fleet.clock);
    QueueLimits limits = new QueueLimits(
        new Environment("default"),
        Optional.of(slow),
        List.of(TWO.policy()),
        fleet.clock,
        timers,
        new LocalNotifications(),
        INTERVAL);

    Future<Void> started = limits.start("ours");
    Future<Void> closed = limits.close();
    assertThat(published).as("nothing overtakes the first").hasSize(1);
    first.complete(List.of());

    assertFails(ErrorCode.OPERATION_CANCELLED, started);
    assertThat(closed.succeeded()).isTrue();
    assertThat(published)
        .extracting(PublishQueues::queues)
        .containsExactly(List.of(TWO.policy()), List.of());
    assertThat(timers.pending()).isZero();
    assertFails(ErrorCode.OPERATION_CANCELLED, limits.start("ours"));
  }

  @Test
  void a_process_without_a_limit_obeys_that_of_another() {
    process(TWO);
    Runlane unbounded = process(UNBOUNDED);
    triggerEight(unbounded);

    done(unbounded.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(30));

    assertThat(running(unbounded)).isEqualTo(2);
  }

  @Test
  void wakeups_of_a_process_without_a_limit_obey_that_of_another() {
    process(TWO);
    Runlane unbounded = process(UNBOUNDED);
    List<RunRecord> runs = IntStream.range(0, 3)
        .mapToObj(run -> done(unbounded.trigger(endless, "x")).run())
        .toList();

    runs.forEach(run -> unbounded.executeDelivery(Fleet.wakeup(run)));

    assertThat(running(unbounded)).isEqualTo(2);
  }

  @Test
  void
      maintenance_of_a_process_without_a_limit_names_no_queue_as_unbounded_that_another_gives_one() {
    ScriptedStorage way = new ScriptedStorage(fleet.storage);
    Runlane strict = process(TWO);
    Runlane unbounded =
        fleet.process(way.adapter(), new RunlaneOptions(), List.of(UNBOUNDED), endless);

    done(unbounded.tick());

    assertThat(way.calls("listRunsNeedingDelivery")).isZero();
    done(strict.close());
    fleet.pass(INTERVAL);
    done(unbounded.tick());
    assertThat(way.calls("listRunsNeedingDelivery"))
        .as("once the stricter process has gone")
        .isEqualTo(1);
  }

  @Test
  void a_limit_that_comes_later_holds_one_interval_after_it_was_published() {
    Runlane lax = process(FIVE);
    process(TWO);
    fleet.pass(INTERVAL);
    triggerEight(lax);

    done(lax.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(30));

    assertThat(running(lax)).isEqualTo(2);
  }

  @Test
  void the_limit_of_a_killed_process_holds_until_it_expires() {
    ScriptedStorage way = new ScriptedStorage(fleet.storage);
    fleet.process(way.adapter(), new RunlaneOptions(), List.of(TWO), endless);
    Runlane lax = process(FIVE);
    triggerEight(lax);
    way.kill();

    done(lax.worker(new WorkerOptions()));
    fleet.pass(INTERVAL.multipliedBy(3));
    assertThat(running(lax)).isEqualTo(2);
    fleet.pass(INTERVAL.multipliedBy(8));

    assertThat(running(lax)).isEqualTo(5);
  }

  @Test
  void a_limit_of_another_outlives_an_outage_that_keeps_both_from_publishing() {
    ScriptedStorage strictWay = new ScriptedStorage(fleet.storage);
    ScriptedStorage laxWay = new ScriptedStorage(fleet.storage);
    fleet.process(strictWay.adapter(), new RunlaneOptions(), List.of(TWO), endless);
    Runlane lax = fleet.process(laxWay.adapter(), new RunlaneOptions(), List.of(FIVE), endless);
    for (int call = 0; call < 6; call++) {
      laxWay.failNext("publishAndCompare", ScriptedStorage.outage());
      strictWay.failNext("publishAndCompare", ScriptedStorage.outage());
    }
    strictWay.failNext("publishAndCompare", ScriptedStorage.outage()); // it comes back last
    triggerEight(lax);

    done(lax.worker(new WorkerOptions()));
    fleet.pass(Duration.ofMinutes(2));

    assertThat(published()).hasSize(2);
    assertThat(running(lax)).isEqualTo(2);
  }

  @Test
  void the_limit_of_a_process_that_died_in_an_outage_ends_soon_after_it() {
    ScriptedStorage strictWay = new ScriptedStorage(fleet.storage);
    ScriptedStorage laxWay = new ScriptedStorage(fleet.storage);
    fleet.process(strictWay.adapter(), new RunlaneOptions(), List.of(TWO), endless);
    Runlane lax = fleet.process(laxWay.adapter(), new RunlaneOptions(), List.of(FIVE), endless);
    for (int call = 0; call < 6; call++) {
      laxWay.failNext("publishAndCompare", ScriptedStorage.outage());
    }
    strictWay.kill();
    triggerEight(lax);

    done(lax.worker(new WorkerOptions()));
    fleet.pass(INTERVAL.multipliedBy(12));

    assertThat(running(lax)).isEqualTo(5);
  }

  @Test
  void the_limit_of_a_killed_process_ends_though_answers_are_always_far_apart() {
    ScriptedStorage strictWay = new ScriptedStorage(fleet.storage);
    ScriptedStorage laxWay = new ScriptedStorage(fleet.storage);
    fleet.process(strictWay.adapter(), new RunlaneOptions(), List.of(TWO), endless);
    Runlane lax = fleet.process(laxWay.adapter(), new RunlaneOptions(), List.of(FIVE), endless);
    for (int call = 0; call < 20; call++) {
      laxWay.next(
          "publishAndCompare",
          real -> () -> fleet.timers.after(INTERVAL.multipliedBy(3)).compose(late -> real.get()));
    }
    strictWay.kill();
    triggerEight(lax);

    done(lax.worker(new WorkerOptions()));
    fleet.pass(INTERVAL.multipliedBy(24));

    assertThat(running(lax)).isEqualTo(5);
  }

  @Test
  void both_are_told_once_by_name() {
    List<String> log = CapturedErrors.during(() -> {
      process(TWO);
      process(FIVE);
      fleet.pass(Duration.ofMinutes(10));
    });

    assertThat(log)
        .filteredOn(line -> line.contains("WARN") && line.contains("mail"))
        .hasSize(2)
        .anyMatch(line -> line.contains("limit 5 in this process and limit 2 in process wrk_"))
        .anyMatch(line -> line.contains("limit 2 in this process and limit 5 in process wrk_"));
  }

  @Test
  void equal_limits_are_nothing_to_tell() {
    List<String> log = CapturedErrors.during(() -> {
      process(TWO);
      process(TWO);
      fleet.pass(Duration.ofMinutes(1));
    });

    assertThat(log).noneMatch(line -> line.contains("mail"));
  }

  @Test
  void a_process_publishes_once_in_an_interval_and_takes_it_back_when_it_is_closed() {
    Runlane runlane = process(TWO);
    fleet.pass(Duration.ofMinutes(1));
    assertThat(published()).hasSize(1);

    done(runlane.close());

    assertThat(published()).isEmpty();
  }

  @Test
  void a_storage_that_cannot_be_told_keeps_no_process_from_its_start_or_its_end() {
    ScriptedStorage way = new ScriptedStorage(fleet.storage);
    for (int call = 0; call < 3; call++) {
      way.failNext("publishAndCompare", ScriptedStorage.outage());
    }

    Runlane runlane = fleet.process(way.adapter(), new RunlaneOptions(), List.of(TWO), endless);
    assertThat(published()).isEmpty();
    fleet.pass(INTERVAL.multipliedBy(3));
    assertThat(published()).hasSize(1);
    way.kill();
    Future<Void> closed = runlane.close();
    fleet.pass(Duration.ofSeconds(2));

    assertThat(closed.isComplete()).isTrue();
  }

  private List<PublishedQueue> published() {
    return done(fleet
        .storage
        .queueLimits()
        .orElseThrow()
        .listPublishedQueues(
            new ListPublishedQueues(MaintenanceFleet.ENVIRONMENT, fleet.clock.now())));
  }

  private Runlane process(TaskQueue queue) {
    return fleet.process(new RunlaneOptions(), List.of(queue), endless);
  }

  private void triggerEight(Runlane runlane) {
    for (int run = 0; run < 8; run++) {
      done(runlane.trigger(endless, "x"));
    }
  }

  private long running(Runlane runlane) {
    return done(runlane.runs().list(RunFilter.ALL)).data().stream()
        .filter(run -> run.status() == RunStatus.RUNNING)
        .count();
  }
}
