package dev.runlane.connector.schedule;

import static dev.runlane.connector.store.StoreCase.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.schedule.ScheduleNotice;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What somebody outside learns of a schedule, and when: at the look that follows a run's end, not at the next tick. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ScheduleNoticesTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final ScheduleScene scene = new ScheduleScene();

  @AfterEach
  void close() {
    scene.close();
  }

  private void failScheduled(String reason) {
    scene.clock.advance(Duration.ofHours(30));
    scene.sweep();
    scene.fail(reason);
    scene.sweep();
  }

  @Test
  void R8_S6_a_run_that_ends_for_want_of_a_person_is_told_at_once_and_once() {
    scene.every(HOUR);
    scene.sweep();
    String asking = scene.active().run().runId();
    scene.end(RunStatus.FAILED, "connector_reported_failed", "{\"retryable\":true}", true);
    scene.sweep();

    assertThat(scene.notices()).singleElement().satisfies(notice -> {
      assertThat(notice.kind()).isEqualTo("schedule.attention_needed");
      assertThat(notice.runId()).isEqualTo(asking);
      assertThat(notice.reason()).isEqualTo("connector_reported_failed");
    });
    scene.clock.advance(HOUR.multipliedBy(5));
    scene.sweep();
    assertThat(scene.notices()).isEmpty();
  }

  @Test
  void R8_S6_credentials_that_were_rejected_are_told_at_once_and_again_when_they_are_again() {
    scene.every(HOUR);
    for (int episode = 1; episode <= 2; episode++) {
      scene.clock.advance(HOUR);
      scene.sweep();
      scene.end(
          RunStatus.FAILED, "connector_reported_failed", "{\"code\":\"session_expired\"}", false);
      scene.sweep();
      assertThat(scene.noticeKinds()).containsExactly("schedule.attention_needed");
      scene.clock.advance(HOUR);
      scene.sweep();
      assertThat(scene.notices()).isEmpty();
      scene.runNow();
      scene.succeed();
      scene.sweep();
      assertThat(scene.notices()).isEmpty();
    }
  }

  @Test
  void R8_S6_a_scheduled_run_that_asks_is_told_while_it_waits_and_not_again_when_it_ends() {
    scene.every(HOUR);
    scene.sweep();
    String asking = scene.active().run().runId();
    scene.ask("q1");
    scene.sweep();
    assertThat(scene.notices()).singleElement().satisfies(notice -> {
      assertThat(notice.kind()).isEqualTo("schedule.attention_needed");
      assertThat(notice.runId()).isEqualTo(asking);
      assertThat(notice.reason()).isEqualTo("interaction_required");
    });

    scene.end(RunStatus.FAILED, "connector_reported_failed", null, true);
    scene.sweep();

    assertThat(scene.notices()).isEmpty();
    assertThat(scene.schedule().attention().runId()).isEqualTo(asking);
  }

  @Test
  void the_owners_own_run_that_asks_is_told_to_nobody() {
    scene.every(HOUR);
    scene.runNow();
    scene.ask("q1");
    scene.sweep();
    scene.end(RunStatus.FAILED, "connector_reported_failed", null, true);
    scene.sweep();

    assertThat(scene.notices()).isEmpty();
  }

  @Test
  void R8_S7_the_third_failure_in_a_row_starts_the_back_off_and_a_success_clears_it() {
    scene.every(HOUR);
    failScheduled("permission_error");
    failScheduled("permission_error");
    assertThat(scene.notices()).isEmpty();

    failScheduled("permission_error");
    assertThat(scene.notices()).singleElement().satisfies(notice -> {
      assertThat(notice.kind()).isEqualTo("schedule.back_off.started");
      assertThat(notice.reason()).isEqualTo("permission_error");
    });
    failScheduled("permission_error");
    assertThat(scene.notices()).isEmpty();
    scene.runNow();
    scene.succeed();
    scene.sweep();

    assertThat(scene.notices()).singleElement().satisfies(notice -> {
      assertThat(notice.kind()).isEqualTo("schedule.back_off.cleared");
      assertThat(notice.reason()).isEqualTo("permission_error");
    });
  }

  @Test
  void R8_S7_a_failure_of_another_class_clears_the_back_off_of_the_first() {
    scene.every(HOUR);
    for (int failures = 1; failures <= 3; failures++) {
      failScheduled("permission_error");
    }
    failScheduled("run_timed_out");

    assertThat(scene.noticeKinds())
        .containsExactly("schedule.back_off.started", "schedule.back_off.cleared");
  }

  @Test
  void R8_S7_the_seventh_failure_is_told_as_the_end_and_each_scheduled_one_after_a_restart() {
    scene.every(HOUR);
    for (int failures = 1; failures <= 7; failures++) {
      failScheduled("permission_error");
    }
    assertThat(scene.noticeKinds())
        .containsExactly("schedule.back_off.started", "schedule.gave_up");

    scene.runNow();
    scene.fail("permission_error");
    scene.sweep();
    assertThat(scene.notices()).isEmpty();

    scene.clock.advance(Duration.ofSeconds(1));
    done(scene.store.schedules().resume("shelf", scene.clock.now()));
    failScheduled("permission_error");
    assertThat(scene.noticeKinds()).containsExactly("schedule.gave_up");
  }

  @Test
  void R8_S2_attempts_that_are_followed_by_another_say_nothing() {
    scene.every(HOUR);
    failScheduled("permission_error");
    failScheduled("permission_error");
    scene.clock.advance(Duration.ofHours(30));
    for (int attempt = 1; attempt <= 3; attempt++) {
      scene.sweep();
      scene.fail("rate_limit_error");
      scene.pass(Duration.ofSeconds(2));
    }
    assertThat(scene.requests).hasSize(5);
    assertThat(scene.notices()).isEmpty();
  }

  @Test
  void runs_from_before_the_schedule_are_told_to_nobody() {
    for (int failures = 1; failures <= 3; failures++) {
      scene.runNow();
      scene.fail("permission_error");
    }
    scene.every(HOUR);
    scene.sweep();

    assertThat(scene.notices()).isEmpty();
  }

  @Test
  void what_no_scheduler_was_there_to_tell_is_told_by_the_next_one_before_it_launches() {
    scene.every(HOUR);
    for (int failures = 1; failures <= 3; failures++) {
      scene.clock.advance(Duration.ofHours(30));
      scene.sweep();
      scene.fail("permission_error");
    }
    scene.clock.advance(Duration.ofHours(30));

    done(scene.scheduler(scene.store).sweepOnce());
    assertThat(scene.isRunning()).isFalse();
    List<ScheduleNotice> told = scene.notices();
    scene.sweep();

    assertThat(told).extracting(ScheduleNotice::kind).containsExactly("schedule.back_off.started");
    assertThat(scene.isRunning()).isTrue();
    assertThat(scene.notices()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"21, 1", "22, 0"})
  void of_runs_that_no_scheduler_saw_the_latest_22_are_told_of(int later, int told) {
    scene.every(HOUR);
    scene.sweep();
    scene.end(RunStatus.FAILED, "connector_reported_failed", "{\"retryable\":true}", true);
    for (int run = 0; run < later; run++) {
      scene.clock.advance(HOUR);
      scene.runNow();
      scene.succeed();
    }

    scene.sweep();

    assertThat(scene.notices()).hasSize(told);
  }

  @Test
  void of_schedulers_that_look_at_once_one_tells() {
    scene.every(HOUR);
    List<ConnectorScheduler> schedulers = scene.schedulers(20);
    scene.sweep();
    for (int episode = 1; episode <= 5; episode++) {
      scene.end(RunStatus.FAILED, "connector_reported_failed", null, true);
      scene.together(schedulers);
      assertThat(scene.noticeKinds()).containsExactly("schedule.attention_needed");
      scene.runNow();
      scene.succeed();
      scene.clock.advance(HOUR);
      scene.together(schedulers);
    }
  }
}
