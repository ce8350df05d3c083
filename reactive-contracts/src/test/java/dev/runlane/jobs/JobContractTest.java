package dev.runlane.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.jobs.store.JobTransitions;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class JobContractTest {
  private static final Instant NOON = Instant.parse("2026-03-04T12:00:00.123Z");
  private static final Json DATA = Json.ofChecked("1");

  @Test
  void states_and_events_keep_their_strings() {
    assertThat(Arrays.stream(JobState.values()).map(JobState::value))
        .containsExactly("waiting", "waiting-children", "delayed", "active", "completed", "failed");
    assertThat(Arrays.stream(StoreEventType.values()).map(StoreEventType::value))
        .containsExactly(
            "job:waiting",
            "job:waiting-children",
            "job:active",
            "job:completed",
            "job:failed",
            "job:progress",
            "job:stalled",
            "job:delayed",
            "job:removed",
            "job:cancelled",
            "queue:drained",
            "queue:paused",
            "queue:resumed",
            "queue:error");
    assertThat(JobState.ofValue("paused")).isEmpty();
    assertThat(StoreEventType.ofValue("job:waiting")).contains(StoreEventType.JOB_WAITING);
  }

  @Test
  void options_fill_the_gaps_with_defaults_one_by_one() {
    JobOptions defaults = JobOptions.builder()
        .attempts(3)
        .priority(2)
        .removeOnComplete(JobRemoval.atOnce())
        .build();
    JobOptions said =
        JobOptions.builder().priority(1).removeOnComplete(JobRemoval.never()).build();

    assertThat(said.withDefaults(defaults))
        .isEqualTo(said.toBuilder().attempts(3).build());
    assertThat(JobOptions.NONE.withDefaults(defaults)).isEqualTo(defaults);
    assertThat(JobOptions.NONE.effectiveAttempts()).isEqualTo(1);
    assertThat(JobOptions.NONE.effectivePriority()).isZero();
  }

  @Test
  void a_new_job_is_delayed_by_the_longer_of_delay_and_start() {
    JobRepeat late = JobRepeat.every(Duration.ofSeconds(1)).between(NOON.plusSeconds(60), null);
    JobOptions delay = JobOptions.builder().delay(Duration.ofSeconds(5)).build();

    assertThat(NewJob.of("a", DATA, delay, NOON).delayUntil()).isEqualTo(NOON.plusSeconds(5));
    assertThat(
            NewJob.of("a", DATA, delay.toBuilder().repeat(late).build(), NOON).delayUntil())
        .isEqualTo(NOON.plusSeconds(60));
    assertThat(NewJob.of("a", DATA, JobOptions.NONE, NOON).state()).isEqualTo(JobState.WAITING);
    assertThat(NewJob.of("a", DATA, delay, NOON).parentOf(List.of("c")).state())
        .isEqualTo(JobState.WAITING_CHILDREN);
    assertThat(NewJob.of("a", DATA, delay, NOON).dueAt(NOON).state()).isEqualTo(JobState.WAITING);
  }

  @Test
  void a_key_wins_over_the_payload() {
    JobOptions byKey =
        JobOptions.builder().deduplication(JobDeduplication.byKey("key")).build();
    JobOptions byPayload =
        JobOptions.builder().deduplication(JobDeduplication.byPayload()).build();

    assertThat(NewJob.of("a", DATA, byKey, NOON).deduplicationKey()).isEqualTo("key");
    assertThat(NewJob.of("a", DATA, byPayload, NOON).deduplicationKey()).hasSize(64);
  }

  @Test
  void an_update_writes_what_it_was_given_and_takes_the_token_of_what_it_ends() {
    JobData job = JobData.builder("id", "orders", "a", DATA, JobState.ACTIVE, JobOptions.NONE, NOON)
        .lockToken("token")
        .failedReason("why")
        .build();
    JobUpdate update = JobUpdate.NONE.failedReason(null);

    assertThat(update.applyTo(job).failedReason()).isNull();
    assertThat(update.applyTo(job).lockToken()).isEqualTo("token");
    assertThat(update.state(JobState.WAITING).applyTo(job).lockToken()).isNull();
    assertThat(update.lockUntil(null).applyTo(job).lockToken()).isNull();
    assertThat(update.has(JobUpdate.Field.FAILED_REASON)).isTrue();
    assertThat(update.has(JobUpdate.Field.STATE)).isFalse();
    assertThat(JobUpdate.NONE.fields()).isEmpty();
    assertThat(update).isEqualTo(JobUpdate.NONE.failedReason(null)).isNotEqualTo(JobUpdate.NONE);
    assertThat(update.toString()).isEqualTo("JobUpdate[FAILED_REASON]");
    assertThatThrownBy(() -> JobUpdate.NONE.state(null)).isInstanceOf(NullPointerException.class);
  }

  @Test
  void a_lock_is_that_of_a_hand_out() {
    JobData waiting = JobData.builder(
            "id", "orders", "a", DATA, JobState.WAITING, JobOptions.NONE, NOON)
        .build();
    JobData active =
        JobTransitions.fetched(waiting, "worker", "token", Duration.ofSeconds(1), NOON);

    assertThat(active.lock()).isEqualTo(new JobLock("orders", "id", "token"));
    assertThatThrownBy(waiting::lock).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void store_options_have_a_json_form_and_refuse_what_they_do_not_know() {
    JsonObject json = new JobStoreOptions()
        .setAutoMigrate(false)
        .setMetricsEnabled(true)
        .setMetricsMinuteRetention(Duration.ofMinutes(7))
        .setMetricsHourRetention(Duration.ofHours(8))
        .toJson();

    assertThat(new JobStoreOptions(json).toJson()).isEqualTo(json);
    assertThat(new JobStoreOptions(new JobStoreOptions(json)).toJson()).isEqualTo(json);
    assertThatThrownBy(() -> new JobStoreOptions(new JsonObject().put("metrics", true)))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
    assertThatThrownBy(() -> new JobStoreOptions().setMetricsHourRetention(Duration.ZERO))
        .isInstanceOf(RunlaneException.class);
  }
}
