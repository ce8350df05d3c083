package dev.runlane.runtime.operate;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.ScriptedStorage;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RunEndsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration TWO_SECONDS = Duration.ofSeconds(2);
  private static final RunActionOptions ANNA = RunActionOptions.by("anna");
  private static final List<TaskQueue> QUEUES = List.of(TaskQueue.of("default").asDefault());

  private final Fleet fleet = new Fleet();
  private final Task<String> task = Task.define("task", String.class)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
  private final Task<String> other = Task.define("other", String.class)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
  private final ScriptedStorage storage = new ScriptedStorage(fleet.storage);
  private final Runlane here =
      fleet.process(storage.adapter(), new RunlaneOptions(), QUEUES, task, other);
  private final Runlane there = fleet.process(task, other);
  private final List<String> heard = new ArrayList<>();
  private final List<Instant> missed = new ArrayList<>();
  private Duration ahead = Duration.ZERO;

  @Test
  void the_end_of_a_run_in_another_process_is_heard_within_two_seconds_and_once() {
    subscribe(RunFilter.ALL);
    RunRecord run = cancelled(there, task);

    fleet.pass(TWO_SECONDS);
    assertThat(heard).containsExactly(run.id());

    fleet.pass(Duration.ofSeconds(30));
    assertThat(heard).containsExactly(run.id());
  }

  @Test
  void the_end_of_a_run_in_the_same_process_is_heard_with_its_commit_and_once() {
    subscribe(RunFilter.ALL);
    fleet.settle();

    RunRecord run = cancelled(here, task);
    fleet.timers.advance(Duration.ZERO);
    assertThat(heard).containsExactly(run.id());

    fleet.pass(Duration.ofSeconds(30));
    assertThat(heard).containsExactly(run.id());
  }

  @Test
  void only_what_fits_the_filter_is_heard() {
    subscribe(RunFilter.ALL.withTaskIds(List.of("task")));
    List<String> succeeded = new ArrayList<>();
    done(here.subscribe(
        RunFilter.ALL.withStatuses(Set.of(RunStatus.SUCCEEDED)), run -> succeeded.add(run.id())));
    RunRecord ours = cancelled(there, task);
    cancelled(there, other);
    RunRecord now = done(there.runNow(other, "x")).run();

    fleet.pass(TWO_SECONDS);

    assertThat(heard).containsExactly(ours.id());
    assertThat(succeeded).containsExactly(now.id());
  }

  @Test
  void what_ended_long_before_is_not_heard() {
    cancelled(there, task);
    fleet.pass(Duration.ofSeconds(10));

    subscribe(RunFilter.ALL);
    fleet.pass(TWO_SECONDS);

    assertThat(heard).isEmpty();
  }

  @Test
  void an_end_that_is_committed_some_seconds_after_it_occurred_is_heard() {
    subscribe(RunFilter.ALL);
    RunRecord run = done(there.trigger(task, "x")).run();
    fleet.pass(Duration.ofSeconds(10));
    RunEvent.Cancelled late = new RunEvent.Cancelled(
        EventHeader.bySystem(
            run.environment(), run.id(), fleet.clock.now().minus(Duration.ofSeconds(4))),
        null);

    done(fleet.storage.appendRunEvents(new AppendRunEvents(
        run.environment(),
        run.id(),
        run.eventSequence(),
        List.of(late),
        RunReducer.projectRunEvents(run, run.eventSequence(), List.of(late)),
        null,
        fleet.clock.now(),
        null)));
    fleet.pass(TWO_SECONDS);

    assertThat(heard).containsExactly(run.id());
  }

  @Test
  void nothing_is_lost_while_the_storage_is_away_for_a_while() {
    subscribe(RunFilter.ALL);
    fleet.pass(SECOND);
    for (int i = 0; i < 20; i++) {
      storage.failNext("listRunEvents", ScriptedStorage.outage());
    }
    RunRecord run = cancelled(there, task);
    fleet.pass(Duration.ofSeconds(15));
    assertThat(heard).isEmpty();

    fleet.pass(Duration.ofSeconds(10));

    assertThat(heard).containsExactly(run.id());
    assertThat(missed).isEmpty();
  }

  @Test
  void what_may_be_missing_after_the_storage_was_away_for_long_is_told() {
    subscribe(RunFilter.ALL);
    fleet.pass(SECOND);
    for (int i = 0; i < 700; i++) {
      storage.failNext("listRunEvents", ScriptedStorage.outage());
    }
    cancelled(there, task);

    fleet.pass(Duration.ofSeconds(800));

    assertThat(heard).isEmpty();
    assertThat(missed).hasSize(1);
  }

  @Test
  void ends_of_the_same_process_are_not_remembered_for_ever_where_none_can_be_read() {
    RunEnds ends = new RunEnds(here.context());
    done(ends.subscribe(RunFilter.ALL, run -> heard.add(run.id())));
    for (int minute = 0; minute < 30; minute++) {
      cancelled(here, task);
      for (int i = 0; i < 60; i++) {
        storage.failNext("listRunEvents", ScriptedStorage.outage());
      }
      fleet.pass(Duration.ofMinutes(1));
    }

    assertThat(heard).hasSize(30);
    assertThat(ends.remembered()).isLessThanOrEqualTo(11);
    done(ends.close());
  }

  @Test
  void each_end_is_heard_and_once_while_the_clock_of_this_process_jumps() {
    MemoryStorage shared = new MemoryStorage(new Ids(fleet.clock, fleet.randomness), fleet.clock);
    Runlane jumping = onClock(shared, () -> fleet.clock.now().plus(ahead));
    Runlane steady = onClock(shared, fleet.clock);
    done(jumping.subscribe(RunFilter.ALL, run -> heard.add(run.id())));
    List<String> ended = new ArrayList<>();
    for (Duration jump :
        List.of(Duration.ofSeconds(32), Duration.ZERO, Duration.ofSeconds(-106), Duration.ZERO)) {
      fleet.pass(Duration.ofSeconds(20));
      ended.add(cancelled(steady, task).id());
      fleet.pass(TWO_SECONDS);
      ahead = jump;
      ended.add(cancelled(steady, task).id());
      ended.add(cancelled(jumping, task).id());
      fleet.pass(TWO_SECONDS);
      assertThat(heard).containsExactlyInAnyOrderElementsOf(ended);
    }
    fleet.pass(Duration.ofMinutes(3));

    assertThat(heard).containsExactlyInAnyOrderElementsOf(ended);
  }

  @Test
  void a_listener_that_throws_keeps_nothing_from_the_others() {
    done(here.subscribe(RunFilter.ALL, run -> {
      throw new IllegalStateException("this listener is broken");
    }));
    subscribe(RunFilter.ALL);

    cancelled(there, task);
    cancelled(here, task);
    fleet.pass(TWO_SECONDS);

    assertThat(heard).hasSize(2);
  }

  @Test
  void a_listener_that_throws_an_error_keeps_no_end_from_the_others_and_fails_no_commit() {
    done(here.subscribe(RunFilter.ALL, run -> {
      throw new NoClassDefFoundError("Missing");
    }));
    subscribe(RunFilter.ALL);

    List<String> ended = List.of(
        cancelled(here, task).id(),
        cancelled(there, task).id(),
        cancelled(there, other).id());
    fleet.pass(TWO_SECONDS);

    assertThat(heard).containsExactlyInAnyOrderElementsOf(ended);
  }

  @Test
  void nothing_is_heard_or_read_once_it_is_closed() {
    RunSubscription subscription = subscribe(RunFilter.ALL);
    fleet.pass(SECOND);
    subscription.close();
    fleet.settle();
    long reads = storage.calls("listRunEvents");

    cancelled(there, task);
    cancelled(here, task);
    fleet.pass(Duration.ofSeconds(60));

    assertThat(heard).isEmpty();
    assertThat(storage.calls("listRunEvents")).isLessThanOrEqualTo(reads + 1);
  }

  @Test
  void who_subscribes_again_after_a_while_hears_what_ends_then() {
    subscribe(RunFilter.ALL).close();
    fleet.pass(Duration.ofMinutes(30));
    subscribe(RunFilter.ALL);
    RunRecord run = cancelled(there, task);

    fleet.pass(TWO_SECONDS);

    assertThat(heard).containsExactly(run.id());
  }

  @Test
  void a_closed_runtime_tells_nobody() {
    subscribe(RunFilter.ALL);
    here.close();
    fleet.pass(SECOND);

    cancelled(there, task);
    fleet.pass(TWO_SECONDS);

    assertThat(heard).isEmpty();
  }

  private RunSubscription subscribe(RunFilter filter) {
    return done(here.subscribe(filter, new RunEndListener() {
      @Override
      public void ended(RunRecord run) {
        heard.add(run.id());
      }

      @Override
      public void missed(Instant from, Instant until) {
        missed.add(from);
      }
    }));
  }

  private RunRecord cancelled(Runlane process, Task<String> of) {
    return done(process.runs().cancel(done(process.trigger(of, "x")).run().id(), ANNA));
  }

  private Runlane onClock(StorageAdapter shared, Clock clock) {
    Runlane runlane = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers), Lanes.create(shared, fleet.transport))
        .clock(clock)
        .queues(QUEUES)
        .tasks(List.of(task))
        .build();
    done(runlane.start());
    return runlane;
  }
}
