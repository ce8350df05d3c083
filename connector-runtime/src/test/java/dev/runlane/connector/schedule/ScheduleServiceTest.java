package dev.runlane.connector.schedule;

import static dev.runlane.connector.store.StoreCase.SHELF;
import static dev.runlane.connector.store.StoreCase.done;
import static dev.runlane.connector.store.StoreCase.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.protocol.manifest.RefreshPolicy;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.AutomationMode;
import dev.runlane.connector.store.schedule.PutSchedule;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ScheduleServiceTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final ScheduleScene scene = new ScheduleScene();
  private final ScheduleService scheduleService = new ScheduleService(
      scene.store, scene.store.schedules(), scene, scene.clock, new SchedulerOptions());

  @AfterEach
  void close() {
    scene.close();
  }

  private ScheduleChange put(boolean enabled) {
    return done(scheduleService.put(
        new PutSchedule(SHELF, MINUTE, Duration.ofSeconds(5), enabled, null, scene.clock.now())));
  }

  private ScheduleView view() {
    return done(scheduleService.find("shelf")).orElseThrow();
  }

  @Test
  void R6_S9_a_schedule_is_made_listed_paused_resumed_and_deleted() {
    assertThat(put(true)).isInstanceOf(ScheduleChange.Changed.class);
    assertThat(done(scheduleService.list())).containsExactly(view());
    assertThat(view().schedule().interval()).isEqualTo(MINUTE);
    assertThat(view().schedule().jitter()).isEqualTo(Duration.ofSeconds(5));

    done(scheduleService.pause("shelf"));
    assertThat(view().effectiveMode()).isEqualTo(RefreshPolicy.Mode.PAUSED);
    assertThat(view().nextDueAt()).isNull();
    scene.pass(Duration.ofMinutes(2));
    assertThat(scene.requests).isEmpty();

    done(scheduleService.resume("shelf"));
    scene.pass(Duration.ofSeconds(10));
    assertThat(scene.requests).hasSize(1);
    assertThat(done(scheduleService.delete("shelf"))).isTrue();
    assertThat(done(scheduleService.delete("shelf"))).isFalse();
    assertThat(done(scheduleService.find("shelf"))).isEmpty();
    assertThat(done(scheduleService.pause("shelf"))).isEqualTo(new ScheduleChange.NotFound());
    assertThat(done(scheduleService.resume("shelf"))).isEqualTo(new ScheduleChange.NotFound());
    assertThat(scene.isRunning()).isTrue();
  }

  @Test
  void R6_S9_a_schedule_can_be_changed_and_stay_under_its_grant() {
    PutSchedule change =
        new PutSchedule(SHELF, Duration.ofHours(1), Duration.ZERO, true, null, scene.clock.now());
    scene.every(MINUTE, "once");

    done(scheduleService.put(change.keepingGrant()));
    assertThat(view().schedule().interval()).isEqualTo(Duration.ofHours(1));
    assertThat(view().schedule().grantId()).isEqualTo("once");

    done(scheduleService.put(change));
    assertThat(view().schedule().grantId()).isNull();
  }

  @Test
  void R6_S10_a_projection_explains_the_run_in_progress_the_latest_and_the_next() {
    scene.policy =
        Optional.of(ScheduleScene.policy(RefreshPolicy.Mode.AUTOMATIC, Duration.ofHours(1)));
    scene.every(MINUTE);
    scene.sweep();
    String active = scene.active().run().runId();
    assertThat(view().activeRunId()).isEqualTo(active);
    assertThat(view().minimumIntervalWarning()).contains("3600 seconds");
    scene.clock.advance(Duration.ofSeconds(3));
    scene.fail("connector_protocol_violation");

    ScheduleView view = view();

    assertThat(view.activeRunId()).isNull();
    assertThat(view.effectiveMode()).isEqualTo(RefreshPolicy.Mode.AUTOMATIC);
    assertThat(view.automationMode()).isEqualTo(AutomationMode.UNATTENDED);
    assertThat(view.lastErrorCode()).isEqualTo("connector_protocol_violation");
    assertThat(view.stats().lastFinishedAt()).isEqualTo(scene.clock.now());
    assertThat(view.stats().lastSuccessfulAt()).isNull();
    assertThat(view.nextDueAt()).isEqualTo(scene.clock.now().plus(MINUTE));
    assertThat(view.humanAttentionNeeded()).isFalse();
    assertThat(view.streak().length()).isEqualTo(1);
    assertThat(view.recommendedPolicy()).isEqualTo(scene.policy.orElseThrow());
    scene.every(Duration.ofHours(1));
    assertThat(view().minimumIntervalWarning()).isNull();

    scene.clock.advance(Duration.ofSeconds(3));
    scene.runNow();
    scene.succeed();
    assertThat(view().stats().lastStartedAt()).isEqualTo(scene.clock.now());
    assertThat(view().stats().lastSuccessfulAt()).isEqualTo(scene.clock.now());
    assertThat(view().lastErrorCode()).isNull();
    scene.policy = Optional.of(ScheduleScene.policy(RefreshPolicy.Mode.MANUAL, null));
    assertThat(view().effectiveMode()).isEqualTo(RefreshPolicy.Mode.MANUAL);
    assertThat(view().nextDueAt()).isNull();
  }

  @Test
  void R8_S6_a_projection_says_that_a_person_is_needed_while_a_run_waits_for_one() {
    scene.every(MINUTE);
    scene.sweep();
    scene.ask("q1");

    assertThat(view().humanAttentionNeeded()).isTrue();
    assertThat(view().nextDueAt()).isNull();
  }

  @Test
  void R8_S7_a_projection_tells_what_a_due_run_waits_for() {
    scene.grant(GrantAccessMode.SINGLE_USE);
    scene.every(MINUTE, "grant-1");
    scene.sweep();
    scene.succeed();
    assertThat(view().ineligibilityReason()).isEqualTo("single-use grant already consumed");
    assertThat(view().nextDueAt()).isNull();
    assertThat(view().humanAttentionNeeded()).isFalse();

    scene.every(MINUTE);
    assertThat(view().ineligibilityReason()).isNull();
    assertThat(view().nextDueAt()).isEqualTo(scene.clock.now().plus(MINUTE));

    for (int failures = 1; failures <= FailureStreak.GIVEN_UP; failures++) {
      scene.runNow();
      scene.fail("permission_error");
      assertThat(view().isBackedOff()).isEqualTo(failures >= 3);
    }
    assertThat(view().ineligibilityReason())
        .isEqualTo(
            "scheduler_backoff_applied: given up after 7 failures in a row: permission_error");
    assertThat(view().nextDueAt()).isNull();
  }

  @Test
  void R8_S6_a_projection_says_that_a_person_is_needed_as_long_as_the_scheduler_waits_for_one() {
    scene.every(MINUTE);
    scene.sweep();
    scene.end(
        RunStatus.FAILED, "connector_reported_failed", "{\"code\":\"session_expired\"}", false);
    assertThat(view().humanAttentionNeeded()).isTrue();
    assertThat(view().ineligibilityReason())
        .isEqualTo("needs_human_attention: connector_reported_failed");

    scene.clock.advance(Duration.ofSeconds(1));
    done(scheduleService.resume("shelf"));
    assertThat(view().humanAttentionNeeded()).isFalse();
    scene.pass(MINUTE);
    assertThat(scene.requests).hasSize(2);
  }

  @Test
  void a_schedule_against_the_policy_cannot_be_enabled() {
    scene.policy = Optional.of(ScheduleScene.policy(RefreshPolicy.Mode.MANUAL, null));

    assertThat(put(true))
        .isEqualTo(new ScheduleChange.AgainstPolicy(
            "the connector recommends manual runs: the source is slow"));
    assertThat(done(scheduleService.find("shelf"))).isEmpty();
    assertThat(put(false)).isInstanceOf(ScheduleChange.Changed.class);
    assertThat(done(scheduleService.resume("shelf")))
        .isInstanceOf(ScheduleChange.AgainstPolicy.class);
    assertThat(view().automationMode()).isEqualTo(AutomationMode.MANUAL_ONLY);
  }

  @Test
  void times_out_of_range_are_refused_before_anything_is_stored() {
    for (Duration interval : List.of(
        Duration.ZERO, Duration.ofSeconds(-1), Duration.ofMillis(1_500), Duration.ofDays(40_000))) {
      Throwable failure = failure(scheduleService.put(
          new PutSchedule(SHELF, interval, Duration.ZERO, true, null, scene.clock.now())));
      assertThat(((RunlaneException) failure).code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    }
    assertThat(done(scheduleService.list())).isEmpty();
  }
}
