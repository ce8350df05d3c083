package dev.runlane.connector.schedule;

import static dev.runlane.connector.store.StoreCase.SHELF;
import static dev.runlane.connector.store.StoreCase.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.protocol.manifest.RefreshPolicy;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.grant.GrantState;
import dev.runlane.connector.store.history.RecordedRun;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.AutomationMode;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunSource;
import dev.runlane.connector.store.key.TriggerKind;
import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ConnectorSchedulerTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final ScheduleScene scene = new ScheduleScene();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void R8_S1_a_scheduled_run_that_succeeds_is_kept_with_its_result_and_shown_in_the_statistics() {
    scene.every(MINUTE);
    scene.sweep();
    RunIdentity run = scene.active().run();
    scene.succeed();

    RecordedRun kept = scene.history().get(0);
    assertThat(kept.entry().run()).isEqualTo(run);
    assertThat(kept.entry().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(kept.entry().trigger().source()).isEqualTo(RunSource.SCHEDULED);
    assertThat(kept.entry().trigger().kind()).isEqualTo(TriggerKind.SCHEDULED);
    assertThat(kept.entry().result()).isEqualTo(ScheduleScene.result(null, false));
    assertThat(done(scene.store.history().stats("shelf")).lastRun()).contains(kept);
  }

  @Test
  void a_run_is_due_an_interval_after_the_end_of_the_last_one() {
    scene.every(MINUTE);
    scene.sweep();
    scene.pass(Duration.ofSeconds(30));
    scene.succeed();

    scene.pass(Duration.ofSeconds(59));
    assertThat(scene.requests).hasSize(1);
    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.requests).hasSize(2);
  }

  @Test
  void
      a_run_of_the_owner_that_leaves_no_cursors_puts_off_neither_the_next_run_nor_the_next_attempt() {
    scene.every(MINUTE);
    scene.sweep();
    scene.succeed();
    scene.pass(Duration.ofSeconds(30));
    scene.runNow();
    scene.succeedWithoutCursors();

    scene.pass(Duration.ofSeconds(30));
    assertThat(scene.attempts()).containsExactly(1, 1);
    scene.fail("rate_limit_error");
    scene.runNow();
    scene.succeedWithoutCursors();
    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.attempts()).containsExactly(1, 1, 2);
  }

  @Test
  void a_run_that_its_process_stopped_uses_up_no_attempt_and_counts_as_no_failure() {
    scene.every(Duration.ofMinutes(10));
    scene.sweep();
    for (int roll = 1; roll <= 8; roll++) {
      scene.stopped();
      scene.pass(Duration.ofSeconds(1));
      assertThat(scene.requests).hasSize(roll + 1);
    }
    assertThat(scene.attempts()).containsOnly(1);
    scene.fail("rate_limit_error");
    scene.pass(Duration.ofSeconds(1));
    scene.stopped();
    scene.pass(Duration.ofSeconds(2));

    assertThat(scene.attempts()).endsWith(1, 2, 2);
    assertThat(scene.noticeKinds()).isEmpty();
  }

  @Test
  void an_attempt_whose_process_died_counts() {
    scene.every(Duration.ofMinutes(10));
    scene.sweep();
    scene.fail("controller_terminated_before_run_finished");
    scene.pass(Duration.ofSeconds(1));

    assertThat(scene.attempts()).containsExactly(1, 2);
  }

  @Test
  void a_scheduler_without_the_connector_leaves_the_run_to_one_that_has_it() {
    ConnectorScheduler having = scene.scheduler;
    ConnectorScheduler lacking = scene.schedulerWithoutConnectors();
    scene.every(Duration.ofMinutes(10));

    done(lacking.sweepOnce());
    done(lacking.sweepOnce());
    assertThat(scene.requests).isEmpty();
    done(having.sweepOnce());

    assertThat(scene.isRunning()).isTrue();
    assertThat(scene.skips()).isEmpty();
  }

  @Test
  void a_run_whose_connector_no_scheduler_has_for_minutes_is_skipped_and_says_why() {
    scene.scheduler = scene.schedulerWithoutConnectors();
    scene.every(Duration.ofMinutes(10));

    scene.sweep();
    scene.pass(Duration.ofSeconds(119), Duration.ofSeconds(7));
    assertThat(scene.skips()).isEmpty();
    scene.pass(Duration.ofMinutes(4), Duration.ofSeconds(7));
    assertThat(scene.skips()).containsExactly("not_ready: no runnable connector");
  }

  @Test
  void who_reads_the_cursors_a_run_begins_from_decides_how_much_it_collects() {
    scene.every(MINUTE);
    scene.sweep();
    scene.succeed();
    done(scene
        .store
        .states()
        .edit(StateScope.of(SHELF), "books", Json.ofChecked("{}"), scene.clock.now()));
    scene.pass(MINUTE);

    assertThat(scene.requests)
        .extracting(ScheduledRuns.Request::mode)
        .as("the scheduler's own store may not be where cursors are kept")
        .containsExactly(null, null);
    assertThat(scene.requests).allSatisfy(request -> {
      assertThat(request.trigger().mode()).isEqualTo(AutomationMode.UNATTENDED);
      assertThat(request.keepsState()).isTrue();
    });
  }

  @Test
  void R8_S2_a_passing_failure_is_tried_again_after_growing_pauses_up_to_the_limit() {
    scene.every(Duration.ofMinutes(10));
    scene.sweep();
    scene.fail("rate_limit_error");
    scene.sweep();
    assertThat(scene.attempts()).containsExactly(1);
    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.attempts()).containsExactly(1, 2);
    assertThat(scene.active().trigger().kind()).isEqualTo(TriggerKind.RETRY);
    scene.fail("rate_limit_error");
    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.attempts()).containsExactly(1, 2);
    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.attempts()).containsExactly(1, 2, 3);
    scene.fail("rate_limit_error");

    scene.pass(Duration.ofSeconds(599));
    assertThat(scene.attempts()).containsExactly(1, 2, 3);
    assertThat(scene.history().get(0).entry().trigger().attempt()).isEqualTo(3);
    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.attempts()).containsExactly(1, 2, 3, 1);
  }

  @Test
  void R8_S2_pauses_grow_to_the_longest_and_attempts_end_at_the_limit() {
    scene.scheduler = scene.scheduler(
        scene.store,
        new SchedulerOptions().setMaxRetries(5).setLongestPause(Duration.ofSeconds(5)));
    scene.every(Duration.ofHours(1));
    scene.sweep();
    for (int pause : new int[] {1, 2, 4, 5, 5}) {
      int made = scene.requests.size();
      scene.fail("rate_limit_error");
      scene.pass(Duration.ofSeconds(pause - 1));
      assertThat(scene.requests).as("before %d s", pause).hasSize(made);
      scene.pass(Duration.ofSeconds(1));
      assertThat(scene.requests).as("after %d s", pause).hasSize(made + 1);
    }
    scene.fail("rate_limit_error");

    scene.pass(Duration.ofMinutes(59), MINUTE);

    assertThat(scene.attempts()).containsExactly(1, 2, 3, 4, 5, 6);
    assertThat(scene.history().get(0).entry().trigger().attempt()).isEqualTo(6);
  }

  @Test
  void R8_S3_a_deterministic_failure_is_not_tried_again_before_the_interval_is_over() {
    scene.every(MINUTE);
    scene.sweep();
    String error = "{\"code\":\"broken\",\"message\":\"x\"}";
    scene.end(RunStatus.FAILED, "connector_protocol_violation", error, false);

    scene.pass(Duration.ofSeconds(59));
    assertThat(scene.attempts()).containsExactly(1);
    RunHistoryEntry kept = scene.history().get(0).entry();
    assertThat(kept.terminalReason()).isEqualTo("connector_protocol_violation");
    assertThat(kept.failureReason()).isEqualTo("connector_protocol_violation");
    assertThat(kept.result()).isEqualTo(ScheduleScene.result(error, false));
    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.attempts()).containsExactly(1, 1);
  }

  @Test
  void
      R8_S3_a_connector_that_cannot_be_used_fails_its_run_visibly_and_is_not_tried_again_at_once() {
    scene.every(MINUTE);
    scene.beforeStart = () -> Future.failedFuture(RunlaneException.of(
        ErrorCode.CONNECTOR_INVALID, "the manifest is invalid: it has no streams"));
    scene.pass(Duration.ofSeconds(60));

    assertThat(scene.requests).hasSize(1);
    RunHistoryEntry failed = scene.history().get(0).entry();
    assertThat(failed.status()).isEqualTo(RunStatus.FAILED);
    assertThat(failed.terminalReason()).isEqualTo("launch_failed");
    assertThat(failed.failureReason()).isEqualTo("connector_invalid");
    assertThat(failed.error()).isEqualTo("the manifest is invalid: it has no streams");
    assertThat(done(scene.store.timeline().bounds(failed.run().runId())).terminal())
        .isPresent();
    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.attempts()).containsExactly(1, 1);
    scene.pass(Duration.ofHours(2), MINUTE);
    assertThat(scene.requests).hasSize(7);
    assertThat(scene.noticeKinds())
        .containsExactly("schedule.back_off.started", "schedule.gave_up");
  }

  @Test
  void a_start_that_fails_for_a_passing_reason_is_made_again_when_the_claim_is_over() {
    scene.every(MINUTE);
    scene.beforeStart = () -> Future.failedFuture(
        RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "the database is away"));
    scene.sweep();
    scene.beforeStart = Future::succeededFuture;
    scene.pass(Duration.ofSeconds(59));
    assertThat(scene.requests).hasSize(1);
    scene.pass(Duration.ofSeconds(1));

    assertThat(scene.isRunning()).isTrue();
    assertThat(scene.history()).isEmpty();
  }

  @Test
  void R8_S4_a_tick_during_the_schedule_s_own_run_starts_no_second_one_and_skips_nothing() {
    scene.every(MINUTE);
    scene.sweep();

    scene.pass(Duration.ofMinutes(4));

    assertThat(scene.requests).hasSize(1);
    assertThat(scene.skips()).isEmpty();

    scene.succeed();
    scene.pass(MINUTE);
    assertThat(scene.requests).hasSize(2);
  }

  @Test
  void R8_S7_a_tick_during_the_owner_s_run_starts_no_second_one_and_says_why_once() {
    scene.runNow();
    String running = scene.active().run().runId();
    scene.every(MINUTE);

    scene.pass(Duration.ofMinutes(4));

    assertThat(scene.requests).isEmpty();
    assertThat(scene.skips()).containsExactly("run_already_active: " + running);
  }

  @Test
  void R8_S5_a_scheduler_that_stops_during_a_pause_starts_nothing_and_its_successor_goes_on() {
    scene.every(Duration.ofMinutes(10));
    scene.sweep();
    scene.fail("rate_limit_error");

    scene.scheduler.stop();
    scene.pass(Duration.ofSeconds(5));
    assertThat(scene.attempts()).containsExactly(1);

    done(scene.scheduler(scene.store).sweepOnce());
    assertThat(scene.attempts()).containsExactly(1, 2);
  }

  @Test
  void R8_S6_a_run_that_asked_for_a_person_is_not_followed_by_another_until_the_owner_ran_one() {
    scene.every(MINUTE);
    scene.sweep();
    String asking = scene.active().run().runId();
    scene.end(RunStatus.FAILED, "connector_reported_failed", "{\"retryable\":true}", true);

    scene.pass(Duration.ofMinutes(5), MINUTE);
    assertThat(scene.attempts()).containsExactly(1);
    assertThat(scene.schedule().attention().runId()).isEqualTo(asking);
    assertThat(scene.skips()).containsExactly("attention_unresolved: connector_reported_failed");

    scene.runNow();
    assertThat(scene.schedule().attention()).isNull();
    scene.succeed();
    scene.pass(MINUTE);
    assertThat(scene.attempts()).containsExactly(1, 1);
  }

  @Test
  void R8_S6_rejected_credentials_hold_the_schedule_until_a_person_has_seen_to_them() {
    scene.every(MINUTE);
    scene.sweep();
    scene.end(
        RunStatus.FAILED, "connector_reported_failed", "{\"code\":\"session_expired\"}", false);

    scene.pass(Duration.ofMinutes(3));
    assertThat(scene.attempts()).containsExactly(1);
    assertThat(scene.skips()).containsExactly("needs_human_attention: connector_reported_failed");
  }

  @Test
  void R8_S7_a_policy_against_automatic_runs_is_told_once_and_run_now_stays_possible() {
    scene.policy = Optional.of(ScheduleScene.policy(RefreshPolicy.Mode.PAUSED, null));
    scene.every(MINUTE);

    scene.pass(Duration.ofMinutes(3));

    assertThat(scene.requests).isEmpty();
    assertThat(scene.skips()).containsExactly("automation_policy_blocked: paused");
    scene.runNow();
    assertThat(scene.isRunning()).isTrue();
  }

  @Test
  void R8_S7_failures_in_a_row_delay_the_next_run_and_in_the_end_stop_the_schedule() {
    scene.every(MINUTE);
    scene.sweep();
    for (int failures = 1; failures <= 3; failures++) {
      scene.fail("permission_error");
      scene.pass(MINUTE);
      assertThat(scene.requests).hasSize(failures + 1);
    }
    scene.fail("permission_error");
    scene.pass(MINUTE);
    assertThat(scene.requests).hasSize(4);
    assertThat(scene.skips())
        .containsExactly("scheduler_backoff_applied: 4 failures in a row: permission_error");
    scene.pass(MINUTE);
    assertThat(scene.requests).hasSize(5);
    for (int failures = 5; failures <= 6; failures++) {
      scene.fail("permission_error");
      scene.pass(Duration.ofMinutes(1L << failures - 3), MINUTE);
    }
    scene.fail("permission_error");
    scene.pass(Duration.ofMinutes(30), MINUTE);

    assertThat(scene.requests).hasSize(7);
    assertThat(scene.isRunning()).isFalse();
    assertThat(scene.skips().get(scene.skips().size() - 1))
        .isEqualTo(
            "scheduler_backoff_applied: given up after 7 failures in a row: permission_error");
    scene.runNow();
    scene.succeed();
    scene.pass(MINUTE);
    assertThat(scene.requests).hasSize(8);
  }

  @Test
  void R8_S7_the_last_attempts_of_the_seventh_occurrence_are_still_made() {
    scene.every(MINUTE);
    for (int occurrence = 1; occurrence <= 7; occurrence++) {
      scene.pass(Duration.ofMinutes(20), Duration.ofMinutes(20));
      scene.fail("rate_limit_error");
      scene.pass(Duration.ofSeconds(1));
      scene.fail("rate_limit_error");
      scene.pass(Duration.ofSeconds(2));
      assertThat(scene.active().trigger().attempt()).isEqualTo(3);
      scene.fail("rate_limit_error");
    }
    assertThat(scene.requests).hasSize(21);
    scene.pass(Duration.ofMinutes(30), MINUTE);
    assertThat(scene.requests).hasSize(21);
  }

  @Test
  void R9_S1_a_single_use_grant_that_was_used_starts_nothing_more_and_every_tick_says_so() {
    scene.grant(GrantAccessMode.SINGLE_USE);
    scene.every(MINUTE, "grant-1");
    scene.sweep();
    scene.succeed();

    scene.pass(Duration.ofMinutes(3));

    assertThat(scene.requests).singleElement().satisfies(request -> {
      assertThat(request.keepsState()).isFalse();
      assertThat(request.mode()).isEqualTo(CollectionMode.FULL_REFRESH);
      assertThat(request.grantId()).isEqualTo("grant-1");
    });
    assertThat(scene.grantState()).isEqualTo(GrantState.CONSUMED);
    assertThat(scene.schedule().stopReason()).as("the ticks go on").isNull();
    assertThat(scene.skips())
        .containsExactly(
            "single-use grant already consumed",
            "single-use grant already consumed",
            "single-use grant already consumed");
  }

  @Test
  void R9_S2_a_single_use_grant_stays_usable_after_a_failure_and_no_attempt_keeps_state() {
    scene.grant(GrantAccessMode.SINGLE_USE);
    scene.every(MINUTE, "grant-1");
    scene.sweep();
    scene.fail("connector_protocol_violation");
    scene.pass(MINUTE);

    assertThat(scene.requests).hasSize(2).noneMatch(ScheduledRuns.Request::keepsState);
    assertThat(scene.grantState()).isEqualTo(GrantState.ACTIVE);
  }

  @Test
  void
      R9_S2_a_run_whose_process_died_under_a_single_use_grant_leaves_the_grant_for_the_next_attempt() {
    scene.grant(GrantAccessMode.SINGLE_USE);
    scene.every(MINUTE, "grant-1");
    scene.sweep();
    scene.fail("controller_terminated_before_run_finished");
    assertThat(scene.grantState()).isEqualTo(GrantState.ACTIVE);

    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.attempts()).containsExactly(1, 2);
    scene.succeed();
    assertThat(scene.grantState()).isEqualTo(GrantState.CONSUMED);
    scene.pass(Duration.ofMinutes(2));
    assertThat(scene.attempts()).containsExactly(1, 2);
  }

  @Test
  void R9_S3_a_grant_that_can_no_longer_be_used_stops_the_schedule_with_one_word() {
    for (String code :
        List.of("grant_consumed", "grant_expired", "grant_invalid", "grant_revoked")) {
      int before = scene.skips().size();
      int started = scene.requests.size();
      scene.grant(GrantAccessMode.CONTINUOUS);
      scene.clock.advance(Duration.ofSeconds(1));
      scene.every(MINUTE, "grant-1");
      scene.pass(MINUTE);
      assertThat(scene.requests).hasSize(started + 1);
      scene.fail(code);
      scene.sweep();
      assertThat(scene.schedule().stopReason()).isEqualTo("grant no longer usable: " + code);
      assertThat(scene.noticeKinds()).contains("schedule.gave_up");

      scene.pass(Duration.ofMinutes(5), MINUTE);

      assertThat(scene.requests).hasSize(started + 1);
      assertThat(scene.skips())
          .hasSize(before + 1)
          .last()
          .isEqualTo("grant no longer usable: " + code);
    }
    assertThat(scene.schedule().stopReason()).isEqualTo("grant no longer usable: grant_revoked");
    scene.clock.advance(Duration.ofSeconds(1));
    done(scene.store.schedules().resume("shelf", scene.clock.now()));
    scene.pass(MINUTE);
    assertThat(scene.isRunning()).isTrue();
  }

  @Test
  void R9_S3_a_schedule_that_is_resumed_starts_nothing_until_its_grant_can_be_used() {
    scene.grant(GrantAccessMode.CONTINUOUS);
    scene.every(MINUTE, "grant-1");
    done(scene.store.grants().revoke("grant-1", scene.clock.now()));
    scene.pass(Duration.ofMinutes(5), MINUTE);
    assertThat(scene.requests).isEmpty();
    assertThat(scene.skips()).containsExactly("grant no longer usable: grant_revoked");

    done(scene.store.schedules().resume("shelf", scene.clock.now()));
    scene.pass(Duration.ofMinutes(5), MINUTE);
    assertThat(scene.requests).isEmpty();
    assertThat(scene.schedule().stopReason()).isEqualTo("grant no longer usable: grant_revoked");

    scene.grant(GrantAccessMode.CONTINUOUS);
    done(scene.store.schedules().resume("shelf", scene.clock.now()));
    scene.pass(MINUTE);
    assertThat(scene.isRunning()).isTrue();
  }

  @Test
  void several_schedulers_start_one_run_an_occurrence() {
    PgConnectorStore other = scene.postgres.connected(scene.options);
    List<ConnectorScheduler> schedulers =
        List.of(scene.scheduler, scene.scheduler(other), scene.scheduler(scene.store));
    scene.every(MINUTE);
    for (int round = 1; round <= 10; round++) {
      done(Future.join(schedulers.stream().map(ConnectorScheduler::sweepOnce).toList()));
      done(Future.join(schedulers.stream().map(ConnectorScheduler::sweepOnce).toList()));
      scene.succeed();
      assertThat(scene.history()).hasSize(round);
      scene.clock.advance(MINUTE);
    }
    assertThat(scene.requests).hasSize(10);
  }

  @Test
  void a_tick_that_loses_to_a_run_begun_meanwhile_tells_of_it_once_like_any_other() {
    scene.every(MINUTE);
    scene.beforeStart = scene::beginNow;
    scene.sweep();
    String running = scene.active().run().runId();
    assertThat(scene.active().trigger().source()).isEqualTo(RunSource.MANUAL);

    scene.pass(Duration.ofMinutes(3));

    assertThat(scene.skips()).containsExactly("run_already_active: " + running);
  }

  @Test
  void a_decision_from_facts_that_a_runs_end_has_overtaken_is_void_and_made_anew() {
    scene.every(MINUTE);
    scene.sweep();
    Instant now = scene.clock.now();
    scene.clock.advance(MINUTE);
    done(scene.store.schedules().claimDue("tok_slow", scene.clock.now(), now.plusSeconds(600), 10));
    scene.fail("rate_limit_error");

    assertThat(done(scene.store.schedules().settle(scene.later("tok_slow", now.plusSeconds(300)))))
        .isFalse();

    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.attempts()).containsExactly(1, 2);
  }

  @Test
  void a_connector_that_is_not_ready_is_told_and_looked_at_again() {
    scene.readiness = connector -> Future.succeededFuture(Optional.of("no browser"));
    scene.every(MINUTE);
    scene.pass(Duration.ofMinutes(3));
    assertThat(scene.requests).isEmpty();
    assertThat(scene.skips()).containsExactly("not_ready: no browser");

    scene.readiness = connector -> Future.succeededFuture(Optional.empty());
    scene.pass(MINUTE);
    assertThat(scene.isRunning()).isTrue();
  }

  @Test
  void a_process_that_dies_with_a_claim_holds_the_schedule_up_for_as_long_as_the_claim_lasts() {
    scene.every(MINUTE);
    done(scene
        .store
        .schedules()
        .claimDue("tok_dead", scene.clock.now(), scene.clock.now().plusSeconds(60), 10));

    scene.pass(Duration.ofSeconds(59));
    assertThat(scene.requests).isEmpty();
    scene.pass(Duration.ofSeconds(1));
    assertThat(scene.requests).hasSize(1);
  }
}
