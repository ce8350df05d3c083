package dev.runlane.runtime.maintenance;

import static dev.runlane.runtime.MaintenanceFleet.NOON;
import static dev.runlane.runtime.MaintenanceFleet.QUEUE;
import static dev.runlane.runtime.MaintenanceFleet.await;
import static dev.runlane.runtime.MaintenanceFleet.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.lane.Lanes;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.action.RecordAction;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.ListThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.operator.webhook.ClaimWebhookDeliveries;
import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.MaintenanceFleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.ScriptedStorage;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.schedule.Scheduler;
import dev.runlane.runtime.schedule.SchedulerOptions;
import dev.runlane.runtime.task.MissedFires;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.schedule.ScheduleOccurrence;
import dev.runlane.timing.Ids;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RetentionTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration WEEK = Duration.ofDays(7);

  private final MaintenanceFleet fleet = new MaintenanceFleet();
  private final MaintenanceFleet.Process process = fleet.process();

  @Test
  void no_run_is_removed_and_none_looked_for_until_somebody_says_how_old() {
    succeeded("run_1");
    fleet.advance(Duration.ofDays(3650));

    assertThat(await(retention(new RetentionOptions()).sweepOnce())).isFalse();

    assertThat(process.storage.calls()).isEmpty();
    assertThat(fleet.runs()).hasSize(1);
  }

  @Test
  void only_terminal_runs_that_are_old_enough_are_removed() {
    succeeded("run_old");
    fleet.create("run_active", QUEUE);
    fleet.advance(Duration.ofDays(3));
    succeeded("run_young");
    fleet.advance(Duration.ofDays(5));

    assertThat(await(retention(options()).sweepOnce())).isFalse();

    assertThat(remaining()).containsExactly("run_active", "run_young");
  }

  @Test
  void only_the_statuses_asked_for_are_removed() {
    succeeded("run_succeeded");
    cancelled("run_cancelled");
    fleet.advance(WEEK.plusSeconds(1));

    await(retention(options().setStatuses(Set.of(RunStatus.CANCELLED))).sweepOnce());

    assertThat(remaining()).containsExactly("run_succeeded");
  }

  @Test
  void a_sweep_is_bounded_and_the_next_one_goes_on_where_it_stopped() {
    for (int index = 0; index < 10; index++) {
      succeeded("run_" + index);
    }
    fleet.advance(WEEK.plusSeconds(1));
    Retention retention = retention(options().setBatchSize(2).setBatchesPerSweep(2));

    assertThat(await(retention.sweepOnce())).isTrue();
    assertThat(remaining()).hasSize(6);
    fleet.advance(
        Duration.ofSeconds(1)); // the cutoff stays that of the pass, or the cursor is refused
    assertThat(await(retention.sweepOnce())).isTrue();
    assertThat(remaining()).hasSize(2);
    while (await(retention.sweepOnce())) {
      assertThat(remaining()).hasSizeLessThan(2);
    }
    assertThat(remaining()).isEmpty();
  }

  @Test
  void a_failure_fails_the_sweep_and_the_next_one_begins_anew() {
    for (int index = 0; index < 4; index++) {
      succeeded("run_" + index);
    }
    fleet.advance(WEEK.plusSeconds(1));
    Retention retention = retention(options().setBatchSize(1).setBatchesPerSweep(1));
    assertThat(await(retention.sweepOnce())).isTrue();
    process.storage.failNext("pruneRuns", ScriptedStorage.outage());

    assertThat(((RunlaneException) failure(retention.sweepOnce())).code())
        .isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);

    while (await(retention.sweepOnce())) {
      fleet.advance(Duration.ofSeconds(1));
    }
    assertThat(remaining()).isEmpty();
  }

  @Test
  void two_processes_can_prune_at_the_same_time() {
    for (int index = 0; index < 10; index++) {
      succeeded("run_" + index);
    }
    fleet.advance(WEEK.plusSeconds(1));
    Retention mine = retention(options().setBatchSize(1).setBatchesPerSweep(1));
    Retention other =
        new Retention(fleet.process().context(), options().setBatchSize(3).setBatchesPerSweep(1));

    for (int sweep = 0; sweep < 10; sweep++) {
      await(mine.sweepOnce());
      await(other.sweepOnce());
    }

    assertThat(remaining()).isEmpty();
  }

  @Test
  void a_storage_that_prunes_nothing_is_refused_only_when_something_is_to_be_removed() {
    Set<StorageCapability> without = EnumSet.copyOf(MemoryStorage.CAPABILITIES);
    without.remove(StorageCapability.PRUNES_RUNS);
    RuntimeContext context = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers),
            Lanes.create(fleet.storage.reporting(without), process.transport))
        .queue(QUEUE)
        .clock(fleet.clock)
        .build()
        .context();

    assertThat(await(new Retention(context, new RetentionOptions()).sweepOnce()))
        .isFalse();
    assertThatThrownBy(() -> new Retention(context, options()))
        .satisfies(failure -> assertThat(((RunlaneException) failure).code())
            .isEqualTo(ErrorCode.CAPABILITY_UNSUPPORTED));
  }

  @Test
  void occurrences_that_nobody_needs_are_removed_and_their_fires_not_made_again() {
    Task<String> hourly = Task.define("app.hourly", String.class)
        .schedule(Schedule.every("hourly", HOUR).payload("x").missedFires(MissedFires.all(100)))
        .handler((payload, context) -> MaintenanceFleet.done());
    Scheduler scheduler = new Scheduler(
        fleet.process(hourly).knowsSchedulesSince(NOON.minusSeconds(1)).context(),
        new SchedulerOptions());
    for (int hour = 0; hour < 40; hour++) {
      await(scheduler.sweep());
      fleet.runs().stream()
          .filter(run -> run.status() == RunStatus.QUEUED)
          .forEach(run -> fleet.succeed(fleet.start(run.id())));
      fleet.advance(HOUR);
    }

    Retention retention = retention(options().setOlderThan(HOUR.multipliedBy(2)).setBatchSize(4));
    while (await(retention.sweepOnce())) {
      assertThat(fleet.runs()).hasSizeLessThan(40);
    }

    assertThat(fleet.runs()).hasSize(2);
    assertThat(occurrence(NOON)).isEmpty();
    assertThat(occurrence(NOON.plus(HOUR.multipliedBy(15)))).isEmpty();
    assertThat(occurrence(NOON.plus(HOUR.multipliedBy(16)))).as("a day old").isPresent();
    Scheduler next = new Scheduler(fleet.process(hourly).context(), new SchedulerOptions());
    assertThat(await(next.sweep()).done()).as("the fire that is due now").isEqualTo(1);
    assertThat(await(next.sweep()).done()).isZero();
    assertThat(fleet.runs()).hasSize(3);
    assertThat(next.nextDue()).contains(NOON.plus(HOUR.multipliedBy(41)));
  }

  @Test
  void actions_of_operators_go_after_two_weeks_although_no_run_does() {
    for (int day = 0; day < 5; day++) {
      await(operator()
          .recordAction(new RecordAction(
              MaintenanceFleet.ENVIRONMENT,
              "action_" + day,
              Actor.operator("anna"),
              "queue.pause",
              null,
              null,
              fleet.clock.now())));
      fleet.advance(Duration.ofDays(1));
    }
    fleet.advance(Duration.ofDays(11));
    Retention retention = retention(new RetentionOptions().setBatchSize(1).setBatchesPerSweep(1));

    assertThat(await(retention.sweepOnce())).isTrue();
    while (await(retention.sweepOnce())) {
      assertThat(fleet.runs()).isEmpty();
    }

    assertThat(
            await(operator().listActions(new ListActions(MaintenanceFleet.ENVIRONMENT, null, null)))
                .data())
        .extracting(OperatorAction::id)
        .containsExactly("action_4", "action_3", "action_2");
  }

  @Test
  void minutes_of_throughput_go_after_two_weeks() {
    await(operator()
        .addThroughput(new AddThroughput(
            MaintenanceFleet.ENVIRONMENT,
            List.of(
                ThroughputBucket.of(NOON, "mail", "send", List.of(1L)),
                ThroughputBucket.of(NOON.plus(HOUR), "mail", "send", List.of(2L))))));
    fleet.advance(OperatorStore.THROUGHPUT_KEPT.plusSeconds(1));

    assertThat(await(retention(new RetentionOptions()).sweepOnce())).isFalse();

    assertThat(await(operator()
                .listThroughput(new ListThroughput(
                    MaintenanceFleet.ENVIRONMENT, NOON, NOON.plus(WEEK), null, null, null, null)))
            .data())
        .extracting(ThroughputBucket::triggered)
        .containsExactly(2L);
  }

  @Test
  void a_webhook_that_no_process_has_any_more_is_forgotten_although_none_tells_of_another() {
    await(operator()
        .registerWebhooks(new RegisterWebhooks(
            MaintenanceFleet.ENVIRONMENT, Map.of("old", EndFilter.ALL), NOON)));
    succeeded("run_1");
    fleet.advance(OperatorStore.WEBHOOK_KEPT.plusSeconds(1));
    assertThat(owed("old", NOON.plus(WEEK))).isOne();

    await(retention(new RetentionOptions()).sweepOnce());
    await(retention(new RetentionOptions()).sweepOnce());

    assertThat(owed("old", NOON.plus(WEEK).plus(HOUR))).isZero();
  }

  private int owed(String webhookId, Instant now) {
    return await(operator()
            .claimWebhookDeliveries(new ClaimWebhookDeliveries(
                MaintenanceFleet.ENVIRONMENT,
                List.of(webhookId),
                "tok_" + webhookId,
                now,
                Duration.ofMillis(1),
                10)))
        .size();
  }

  private OperatorStore operator() {
    return fleet.storage.operator().orElseThrow();
  }

  private Optional<ScheduleOccurrence> occurrence(Instant fireAt) {
    return await(fleet
        .storage
        .schedules()
        .orElseThrow()
        .getScheduleOccurrence(new GetScheduleOccurrence(
            MaintenanceFleet.ENVIRONMENT,
            Ids.occurrenceId(
                MaintenanceFleet.ENVIRONMENT.environmentKey(), "hourly", fireAt.toString()))));
  }

  private RetentionOptions options() {
    return new RetentionOptions().setOlderThan(WEEK);
  }

  @Test
  void one_sweep_makes_very_many_batches_where_it_may() {
    int batches = 20_000;
    Deque<Promise<PrunedRuns>> begun = new ArrayDeque<>();
    for (int batch = 0; batch < batches; batch++) {
      process.storage.next("pruneRuns", real -> () -> {
        begun.add(Promise.promise());
        return begun.getLast().future();
      });
    }

    Future<Boolean> swept = retention(options().setBatchesPerSweep(batches)).sweepOnce();
    while (!swept.isComplete()) {
      begun.remove().complete(new PrunedRuns(1, "next"));
    }

    assertThat(await(swept)).as("more are left").isTrue();
    assertThat(process.storage.calls("pruneRuns")).isEqualTo(batches);
  }

  private Retention retention(RetentionOptions options) {
    return new Retention(process.context(), options);
  }

  private void succeeded(String runId) {
    fleet.create(runId, QUEUE);
    fleet.succeed(fleet.start(runId));
  }

  private void cancelled(String runId) {
    RunRecord run = fleet.create(runId, QUEUE);
    fleet.append(run, new RunEvent.Cancelled(fleet.appends().header(run), null));
  }

  private List<String> remaining() {
    return fleet.runs().stream().map(RunSummary::id).sorted().toList();
  }
}
