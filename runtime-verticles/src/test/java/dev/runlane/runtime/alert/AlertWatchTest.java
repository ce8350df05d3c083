package dev.runlane.runtime.alert;

import static dev.runlane.runtime.MaintenanceFleet.ENVIRONMENT;
import static dev.runlane.runtime.MaintenanceFleet.await;
import static dev.runlane.runtime.MaintenanceFleet.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.alert.AlertChange;
import dev.runlane.operator.alert.AlertFinding;
import dev.runlane.operator.alert.ListAlerts;
import dev.runlane.operator.alert.ObserveAlerts;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.Actor;
import dev.runlane.run.Json;
import dev.runlane.runtime.MaintenanceFleet;
import dev.runlane.runtime.ScriptedStorage;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.testinfra.process.CapturedErrors;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every alert is told, whatever the storage, the channels and the processes do. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class AlertWatchTest {
  private static final Actor ANNA = new Actor(Actor.Type.OPERATOR, "anna");
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int SUCCEEDED = 2; // its place among a bucket's numbers

  private final MaintenanceFleet fleet = new MaintenanceFleet();
  private final MaintenanceFleet.Process process = fleet.process();
  private final List<AlertNotice> told = new ArrayList<>();
  private Future<Void> answer = Future.succeededFuture();

  @Test
  void each_try_says_when_it_is_made_so_that_a_late_one_is_not_taken_for_an_old_request() {
    putRule("gone");
    loseProcess();
    AlertWatch watch = watch(process);
    answer = Future.failedFuture("connection refused");
    sweep(watch);
    answer = Future.succeededFuture();
    Instant before = now();
    fleet.advance(MINUTE.multipliedBy(2));

    sweep(watch);

    assertThat(told).extracting(AlertNotice::deliveryId).hasSize(2).containsOnly(id());
    assertThat(told.get(0).toldAt()).isEqualTo(before);
    assertThat(told.get(1).toldAt()).isEqualTo(before.plus(MINUTE.multipliedBy(2)));
  }

  @Test
  void rules_are_looked_at_again_after_the_clocks_were_set_back() {
    putRule("gone");
    AlertWatch watch = watch(process);
    sweep(watch);
    fleet.clock.advance(Duration.ofHours(-1));
    loseProcess();

    fleet.advance(MINUTE);
    sweep(watch);

    assertThat(told).extracting(AlertNotice::change).containsExactly(AlertChange.OPENED);
  }

  @Test
  void a_channel_that_does_not_answer_is_told_again_when_the_timers_of_the_process_say_so() {
    putRule("gone");
    loseProcess();
    AlertWatch watch = watch(process);
    answer = Promise.<Void>promise().future();
    Future<Boolean> first = watch.sweepOnce();
    fleet.advance(MINUTE);
    await(first);

    answer = Future.succeededFuture();
    fleet.advance(MINUTE);
    sweep(watch);

    assertThat(told).extracting(AlertNotice::deliveryId).hasSize(2).containsOnly(id());
  }

  @Test
  void a_channel_that_answers_no_future_has_failed_and_is_told_again() {
    putRule("gone");
    loseProcess();
    AlertWatch watch = watch(process);
    answer = null;
    sweep(watch);

    answer = Future.succeededFuture();
    fleet.advance(MINUTE);
    sweep(watch);
    fleet.advance(MINUTE);
    sweep(watch);

    assertThat(told).extracting(AlertNotice::deliveryId).hasSize(2).containsOnly(id());
  }

  @Test
  void what_a_channel_throws_is_what_the_log_tells() {
    putRule("gone");
    loseProcess();
    AlertWatch watch = watch(process, (channel, notice) -> {
      throw new IllegalStateException("no room ops");
    });

    List<String> log = CapturedErrors.during(() -> sweep(watch));

    assertThat(log).anyMatch(line -> line.contains("no room ops"));
    assertThat(log).noneMatch(line -> line.contains("RunlaneException"));
  }

  @Test
  void a_rule_that_cannot_be_looked_at_holds_no_other_back() {
    putRule("first");
    putRule("second");
    loseProcess();
    AlertWatch watch = watch(process);
    process.storage.failNext("listProcesses", ScriptedStorage.outage());

    assertThat(failure(watch.sweepOnce())).hasMessageContaining("is down");
    sweep(watch);

    assertThat(told).extracting(each -> each.alert().ruleId()).containsExactly("second");
    fleet.advance(MINUTE);
    sweep(watch);
    assertThat(told).extracting(each -> each.alert().ruleId()).containsExactly("second", "first");
  }

  @Test
  void a_rule_that_only_a_later_release_can_read_holds_no_other_back_and_keeps_its_alerts() {
    putRule("later");
    putRule("gone");
    loseProcess();
    AlertWatch watch = watch(process);
    sweep(watch);
    Json unknown = Json.ofChecked("{\"kind\":\"not_yet\",\"threshold\":1}");
    await(store()
        .putDocument(
            new PutDocument(ENVIRONMENT, "alert_rule", "later", null, unknown, ANNA, now())));

    fleet.advance(MINUTE);
    sweep(watch);

    assertThat(await(store().listAlerts(new ListAlerts(ENVIRONMENT, null, true, null, null)))
            .data())
        .extracting(Alert::ruleId)
        .containsExactlyInAnyOrder("later", "gone");
  }

  @Test
  void alerts_of_a_removed_rule_are_resolved_however_many_newer_ones_are_open() {
    await(store()
        .observeAlerts(new ObserveAlerts(ENVIRONMENT, "removed", found(1), List.of(), now())));
    for (String rule : List.of("later_1", "later_2", "later_3")) {
      fleet.advance(Duration.ofSeconds(1));
      Json unknown =
          Json.ofChecked("{\"kind\":\"not_yet\",\"threshold\":1}"); // is not resolved here
      await(store()
          .putDocument(
              new PutDocument(ENVIRONMENT, "alert_rule", rule, null, unknown, ANNA, now())));
      await(store()
          .observeAlerts(new ObserveAlerts(ENVIRONMENT, rule, found(100), List.of(), now())));
    }

    sweep(watch(process));

    assertThat(open("removed")).isEmpty();
    assertThat(open("later_1")).hasSize(100);
  }

  private List<AlertFinding> found(int subjects) {
    return IntStream.range(0, subjects)
        .mapToObj(
            each -> new AlertFinding(process.context().ids().token(), "subject_" + each, "wrong"))
        .toList();
  }

  private List<Alert> open(String rule) {
    return await(store().listAlerts(new ListAlerts(ENVIRONMENT, rule, true, 200, null)))
        .data();
  }

  @Test
  void
      a_process_is_gone_for_a_window_from_the_threshold_on_though_that_is_longer_than_the_window() {
    AlertRule rule = AlertRule.of("gone", AlertKind.WORKER_GONE, 900, List.of("pager"));
    await(new AlertRules(store(), ENVIRONMENT).put(rule, 0L, ANNA, now()));
    loseProcess();
    AlertWatch watch = watch(process);
    fleet.advance(MINUTE.multipliedBy(14));
    sweep(watch);
    assertThat(told).isEmpty();

    fleet.advance(MINUTE.multipliedBy(2));
    sweep(watch);
    assertThat(told).extracting(AlertNotice::change).containsExactly(AlertChange.OPENED);

    fleet.advance(AlertRule.DEFAULT_WINDOW);
    sweep(watch);
    sweep(watch);
    assertThat(told)
        .extracting(AlertNotice::change)
        .containsExactly(AlertChange.OPENED, AlertChange.RESOLVED);
  }

  @Test
  void
      a_failure_rate_is_that_of_the_latest_minutes_however_many_rows_there_are_and_late_they_come() {
    await(new AlertRules(store(), ENVIRONMENT)
        .put(failing("day", Duration.ofDays(1)), 0L, ANNA, now()));
    await(new AlertRules(store(), ENVIRONMENT).put(failing("minute", MINUTE), 0L, ANNA, now()));
    for (int minute = 1_400; minute > 2; minute--) {
      Instant at = now().minus(MINUTE.multipliedBy(minute));
      await(store()
          .addThroughput(new AddThroughput(
              ENVIRONMENT,
              IntStream.range(0, 16)
                  .mapToObj(task -> ended(at, "task_" + task, 1, 0))
                  .toList())));
    }
    Instant lastMinute = now().minus(MINUTE);
    await(store()
        .addThroughput(
            new AddThroughput(ENVIRONMENT, List.of(ended(lastMinute, "broken", 0, 20)))));

    sweep(watch(process));

    assertThat(told)
        .extracting(each -> each.alert().ruleId(), each -> each.alert().subject())
        .containsExactlyInAnyOrder(tuple("day", "broken"), tuple("minute", "broken"));
  }

  @Test
  void a_run_is_late_by_how_long_it_had_waited_when_depths_were_counted() {
    AlertRule late = AlertRule.of("late", AlertKind.OLDEST_DUE, 60, List.of("pager"));
    await(new AlertRules(store(), ENVIRONMENT).put(late, 0L, ANNA, now()));
    fleet.create("run_1", TaskQueue.of("default"));
    AlertWatch watch = watch(process);
    fleet.advance(Duration.ofSeconds(20));
    sample();

    fleet.advance(Duration.ofSeconds(50)); // by now it may have started
    sweep(watch);
    assertThat(told).isEmpty();

    sample();
    fleet.advance(MINUTE); // of its looks
    sweep(watch);
    assertThat(told).extracting(AlertNotice::change).containsExactly(AlertChange.OPENED);
  }

  @Test
  void a_run_is_late_where_no_process_but_the_one_that_looks_counts_depths() {
    AlertRule late = AlertRule.of("late", AlertKind.OLDEST_DUE, 300, List.of("pager"));
    await(new AlertRules(store(), ENVIRONMENT).put(late, 0L, ANNA, now()));
    AlertWatch watch = watch(process);
    sweep(watch); // counts nothing
    fleet.create("run_1", TaskQueue.of("default"));
    fleet.advance(MINUTE);

    sweep(watch);
    assertThat(told).isEmpty();

    fleet.advance(MINUTE.multipliedBy(5));
    sweep(watch);
    assertThat(told).extracting(AlertNotice::change).containsExactly(AlertChange.OPENED);
  }

  @Test
  void rules_are_looked_at_though_depths_cannot_be_counted() {
    putRule("gone");
    loseProcess();
    process.storage.failNext("takeSample", ScriptedStorage.outage());

    sweep(watch(process));

    assertThat(told).extracting(AlertNotice::change).containsExactly(AlertChange.OPENED);
  }

  @Test
  void a_run_is_late_by_the_time_of_the_look_where_depths_are_not_counted_any_more() {
    AlertRule late = AlertRule.of("late", AlertKind.OLDEST_DUE, 60, List.of("pager"));
    await(new AlertRules(store(), ENVIRONMENT).put(late, 0L, ANNA, now()));
    fleet.create("run_1", TaskQueue.of("default"));
    sample();

    fleet.advance(MINUTE.multipliedBy(2));
    sweep(watch(process));

    assertThat(told).extracting(AlertNotice::change).containsExactly(AlertChange.OPENED);
  }

  @Test
  void a_run_is_late_by_the_time_of_the_look_while_an_older_release_looks_too() {
    AlertRule late = AlertRule.of("late", AlertKind.OLDEST_DUE, 60, List.of("pager"));
    await(new AlertRules(store(), ENVIRONMENT).put(late, 0L, ANNA, now()));
    fleet.create("run_1", TaskQueue.of("default"));
    AlertWatch watch = watch(process);
    lookAsAnOlderRelease();
    fleet.advance(Duration.ofSeconds(20));
    sample();

    fleet.advance(Duration.ofSeconds(50)); // late for who goes by now, not when it was counted
    sweep(watch);
    fleet.advance(AlertOptions.DEFAULT_EVERY);
    sweep(watch);
    assertThat(told).extracting(AlertNotice::change).containsExactly(AlertChange.OPENED);

    for (int quarter = 0; quarter < 4; quarter++) {
      fleet.advance(MINUTE.multipliedBy(15));
      sweep(watch);
    }
    fleet.create("run_2", TaskQueue.of("other"));
    fleet.advance(Duration.ofSeconds(20));
    sample();
    fleet.advance(Duration.ofSeconds(50));
    sweep(watch);
    assertThat(told)
        .as("an hour after the last look of the older release")
        .extracting(each -> each.alert().subject())
        .containsOnly("default");
  }

  /** As it was kept before waits were those that were counted. */
  private void lookAsAnOlderRelease() {
    await(store()
        .putDocument(new PutDocument(
            ENVIRONMENT,
            "alert_pass",
            "alert_pass",
            null,
            Json.ofChecked("{\"channels\":[\"pager\"]}"),
            ANNA,
            now())));
  }

  @Test
  void a_fire_that_nobody_made_a_run_of_is_told_once_it_is_late() {
    AlertRule rule = AlertRule.of("missed", AlertKind.SCHEDULE_MISSED, 600, List.of("pager"));
    await(new AlertRules(store(), ENVIRONMENT).put(rule, 0L, ANNA, now()));
    register("hourly");
    Instant fire = now().plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.HOURS);
    AlertWatch watch = watch(process);
    fleet.advance(Duration.between(now(), fire).plusSeconds(599));
    sweep(watch);
    assertThat(told).isEmpty();

    fleet.advance(MINUTE);
    sweep(watch);

    assertThat(told)
        .extracting(notice -> notice.alert().text())
        .containsExactly("schedule hourly of task report made no run of its fire at " + fire);
  }

  @Test
  void
      a_missed_schedule_stays_open_while_all_schedulers_are_gone_and_ends_where_it_left_the_program() {
    AlertWatch watch = watchMissed();
    register("hourly");
    fleet.advance(Duration.ofHours(25));
    sweep(watch);
    assertThat(told).extracting(AlertNotice::change).containsExactly(AlertChange.OPENED);
    fleet.advance(Duration.ofHours(25));
    sweep(watch);
    assertThat(told).extracting(AlertNotice::change).containsExactly(AlertChange.OPENED);

    register("nightly");
    fleet.advance(AlertOptions.DEFAULT_EVERY);
    sweep(watch);
    sweep(watch);

    assertThat(told)
        .extracting(AlertNotice::change)
        .containsExactly(AlertChange.OPENED, AlertChange.RESOLVED);
  }

  @Test
  void a_schedule_is_not_missed_where_a_scheduler_lives_that_has_none() {
    AlertWatch watch = watchMissed();
    register("hourly");
    fleet.advance(Duration.ofHours(25));
    live(new RuntimeProcess(
        "another",
        "machine",
        "1",
        List.of("worker", "scheduler"),
        List.of(),
        List.of(),
        List.of(),
        4,
        0,
        Duration.ofSeconds(30),
        now()));

    sweep(watch);

    assertThat(told).isEmpty();
  }

  private AlertWatch watchMissed() {
    AlertRule rule = AlertRule.of("missed", AlertKind.SCHEDULE_MISSED, 600, List.of("pager"));
    await(new AlertRules(store(), ENVIRONMENT).put(rule, 0L, ANNA, now()));
    return watch(process);
  }

  private void live(RuntimeProcess of) {
    await(store().signOfLife(new SignOfLife(ENVIRONMENT, of, now())));
  }

  private void register(String schedule) {
    await(process
        .context()
        .storage()
        .schedules()
        .orElseThrow()
        .registerSchedules(new RegisterSchedules(
            ENVIRONMENT,
            List.of(new RegisterSchedules.Definition("report", schedule, "every PT1H")),
            now(),
            Duration.ofHours(1))));
  }

  private void sample() {
    await(store().takeSample(new TakeSample(ENVIRONMENT, now(), Duration.ofSeconds(1))));
  }

  private static AlertRule failing(String id, Duration window) {
    return new AlertRule(
        id, AlertKind.FAILURE_RATE, 0.5, window, null, null, List.of("pager"), true, null);
  }

  private static ThroughputBucket ended(Instant at, String task, long succeeded, long failed) {
    List<Long> numbers = new ArrayList<>(Collections.nCopies(ThroughputBucket.NUMBERS, 0L));
    numbers.set(SUCCEEDED, succeeded);
    numbers.set(SUCCEEDED + 1, failed);
    ThroughputBucket bucket = ThroughputBucket.of(at, "default", task, numbers);
    assertThat(List.of(bucket.succeeded(), bucket.failed())).containsExactly(succeeded, failed);
    return bucket;
  }

  @Test
  void a_channel_that_is_named_late_is_told_again_when_it_fails() {
    List<AlertFinding> found = List.of(new AlertFinding("alert_1", "outbox", "given up"));
    await(store().observeAlerts(new ObserveAlerts(ENVIRONMENT, "old", found, List.of(), now())));
    fleet.advance(Duration.ofDays(2));
    await(store()
        .observeAlerts(new ObserveAlerts(ENVIRONMENT, "old", found, List.of("pager"), now())));
    AlertWatch watch = watch(process);
    answer = Future.failedFuture("503");
    sweep(watch);
    answer = Future.succeededFuture();
    fleet.advance(MINUTE);

    sweep(watch);
    sweep(watch);

    assertThat(told)
        .extracting(AlertNotice::change)
        .containsExactly(AlertChange.OPENED, AlertChange.OPENED, AlertChange.RESOLVED);
  }

  @Test
  void what_is_due_when_a_rule_is_silenced_is_told_once_the_silence_has_ended() {
    putRule("gone");
    loseProcess();
    AlertWatch watch = watch(process);
    answer = Future.failedFuture("503");
    sweep(watch);
    silence("gone", now().plus(Duration.ofHours(30)));
    for (int quarter = 0; quarter < 119; quarter++) { // longer than it is tried to tell of an alert
      fleet.advance(Duration.ofMinutes(15));
      loseProcess();
      sweep(watch);
    }
    assertThat(told).as("before the end of the silence").hasSize(1);

    fleet.advance(Duration.ofMinutes(15));
    sweep(watch);
    answer = Future.succeededFuture();
    fleet.advance(Duration.ofSeconds(1));
    sweep(watch);

    assertThat(told).extracting(AlertNotice::deliveryId).hasSize(3).containsOnly(id());
  }

  @Test
  void the_end_of_an_alert_is_held_while_its_rule_is_silenced() {
    putRule("gone");
    loseProcess();
    AlertWatch watch = watch(process);
    sweep(watch);
    silence("gone", now().plus(Duration.ofDays(7)));
    fleet.advance(Duration.ofMinutes(20)); // a process that is gone for long is none any more
    sweep(watch);
    sweep(watch);
    assertThat(told).extracting(AlertNotice::change).containsExactly(AlertChange.OPENED);

    silence("gone", null);
    fleet.advance(AlertWatch.HELD_AT_ONCE);
    sweep(watch);

    assertThat(told)
        .extracting(AlertNotice::change)
        .containsExactly(AlertChange.OPENED, AlertChange.RESOLVED);
  }

  @Test
  void what_is_held_keeps_the_alerts_of_other_rules_waiting_for_no_more_than_one_look() {
    putRule("gone");
    for (int process = 0; process < 3 * AlertWatch.AT_ONCE; process++) {
      loseProcess("lost_" + process);
    }
    AlertWatch watch = watch(process);
    answer = Future.failedFuture("503");
    sweepThrice(watch);
    silence("gone", now().plus(Duration.ofDays(7)));
    fleet.advance(Duration.ofSeconds(10));
    sweepThrice(watch);
    answer = Future.succeededFuture();
    told.clear();
    putRule("other");

    fleet.advance(AlertOptions.DEFAULT_EVERY);
    sweep(watch);

    assertThat(told)
        .extracting(each -> each.alert().ruleId())
        .hasSize(AlertWatch.AT_ONCE)
        .containsOnly("other");
  }

  private static void sweepThrice(AlertWatch watch) {
    for (int sweep = 0; sweep < 3; sweep++) {
      sweep(watch);
    }
  }

  @Test
  void rules_that_cannot_be_read_at_the_moment_keep_nothing_from_being_told() {
    putRule("gone");
    loseProcess();
    AlertWatch watch = watch(process);
    process.storage.next("listDocuments", real -> real); // of the pass
    process.storage.next("listDocuments", real -> real); // of the look
    process.storage.failNext("listDocuments", ScriptedStorage.outage());

    sweep(watch);

    assertThat(told).extracting(AlertNotice::change).containsExactly(AlertChange.OPENED);
  }

  @Test
  void a_process_looks_as_soon_as_one_that_looked_before_is_late() {
    putRule("gone");
    sweep(watch(fleet.process())); // and is gone
    AlertWatch watch = watch(process);
    fleet.advance(AlertOptions.DEFAULT_EVERY.minusSeconds(1));
    sweep(watch);
    loseProcess();

    fleet.advance(Duration.ofSeconds(1));
    sweep(watch);

    assertThat(told).extracting(AlertNotice::change).containsExactly(AlertChange.OPENED);
  }

  static Stream<Arguments> kills() {
    return Stream.of(
            "listDocuments",
            "putDocument",
            "takeSample",
            "listProcesses",
            "observeAlerts",
            "listAlerts",
            "claimAlertDeliveries",
            "finishAlertDeliveries")
        .flatMap(call -> Stream.of(Arguments.of(call, false), Arguments.of(call, true)));
  }

  @ParameterizedTest(name = "at {0}, made: {1}")
  @MethodSource("kills")
  void whenever_a_process_is_killed_another_one_tells(String call, boolean isMade) {
    putRule("gone");
    loseProcess();
    MaintenanceFleet.Process dying = fleet.process();
    dying.storage.next(call, real -> () -> unanswered(real, isMade));

    assertThat(watch(dying).sweepOnce().isComplete()).isFalse();
    AlertWatch other = watch(process);
    for (int minute = 0; minute < 3; minute++) {
      fleet.advance(MINUTE);
      sweep(other);
    }

    assertThat(told).extracting(AlertNotice::deliveryId).hasSizeBetween(1, 2).containsOnly(id());
  }

  private static Future<?> unanswered(Supplier<Future<?>> real, boolean isMade) {
    if (isMade) {
      real.get();
    }
    return Promise.promise().future();
  }

  private AlertWatch watch(MaintenanceFleet.Process of) {
    return watch(of, (channel, notice) -> {
      told.add(notice);
      return answer;
    });
  }

  private static AlertWatch watch(
      MaintenanceFleet.Process of, BiFunction<AlertChannel, AlertNotice, Future<Void>> tell) {
    return new AlertWatch(of.context(), List.of(new Pager()), new AlertOptions(), tell);
  }

  private static void sweep(AlertWatch watch) {
    await(watch.sweepOnce());
  }

  private void putRule(String id) {
    AlertRule rule = AlertRule.of(id, AlertKind.WORKER_GONE, 1, List.of("pager"));
    await(new AlertRules(store(), ENVIRONMENT).put(rule, 0L, ANNA, now()));
  }

  private void silence(String id, @Nullable Instant until) {
    AlertRules rules = new AlertRules(store(), ENVIRONMENT);
    StoredRule stored = await(rules.list()).stream()
        .filter(each -> each.rule().id().equals(id))
        .findFirst()
        .orElseThrow();
    await(rules.put(stored.rule().silencedUntil(until), stored.version(), ANNA, now()));
  }

  private void loseProcess() {
    loseProcess("lost");
  }

  private void loseProcess(String id) {
    Instant minuteAgo = now().minus(MINUTE);
    await(store()
        .signOfLife(new SignOfLife(
            ENVIRONMENT,
            new RuntimeProcess(
                id,
                "machine",
                "1",
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                4,
                3,
                Duration.ofSeconds(30),
                minuteAgo),
            minuteAgo)));
  }

  /** Of the one alert that is open. */
  private String id() {
    return told.get(0).deliveryId();
  }

  private OperatorStore store() {
    return process.context().storage().operator().orElseThrow();
  }

  private Instant now() {
    return process.context().clock().now();
  }

  /** Says in the test, not here. */
  private static final class Pager implements AlertChannel {
    @Override
    public String name() {
      return "pager";
    }

    @Override
    public Future<Void> tell(Vertx vertx, AlertNotice notice) {
      throw new AssertionError("the test tells");
    }
  }
}
