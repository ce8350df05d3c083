package dev.runlane.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The strings that are stored and sent, literally: changing one breaks data that exists. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WireValuesTest {

  @Test
  void statuses_keep_their_strings() {
    assertThat(strings(RunStatus.values(), RunStatus::value))
        .containsExactly(
            "queued",
            "scheduled",
            "running",
            "retrying",
            "released",
            "cancellation_requested",
            "succeeded",
            "failed",
            "cancelled");
    assertThat(RunStatus.values())
        .allSatisfy(status -> assertThat(RunStatus.ofValue(status.value())).contains(status));
    assertThat(RunStatus.ofValue("QUEUED")).isEmpty();
  }

  @Test
  void event_types_keep_their_strings() {
    assertThat(strings(RunEventType.values(), RunEventType::value))
        .containsExactly(
            "run.created",
            "run.delivery_requested",
            "run.lease_claimed",
            "run.lease_heartbeat",
            "run.started",
            "run.succeeded",
            "run.failed",
            "run.retry_scheduled",
            "run.released",
            "run.step_requested",
            "run.step_completed",
            "run.cancellation_requested",
            "run.cancelled");
    assertThat(RunEventType.values())
        .allSatisfy(type -> assertThat(RunEventType.ofValue(type.value())).contains(type));
    assertThat(RunEventType.ofValue("run.paused")).isEmpty();
  }

  @Test
  void error_codes_keep_their_strings() {
    assertThat(strings(ErrorCode.values(), ErrorCode::value))
        .containsExactly(
            "adapter_contract_violation",
            "capability_unsupported",
            "configuration_invalid",
            "connector_invalid",
            "internal_error",
            "invariant_violation",
            "job_not_found",
            "operation_cancelled",
            "run_not_found",
            "schedule_not_found",
            "storage_conflict",
            "storage_unavailable",
            "task_failed",
            "task_not_found",
            "transport_publish_failed",
            "transport_unavailable",
            "validation_failed");
    assertThat(ErrorCode.values())
        .allSatisfy(code -> assertThat(ErrorCode.ofValue(code.value())).contains(code));
    assertThat(ErrorCode.ofValue("40001")).isEmpty();
  }

  @Test
  void conflict_kinds_keep_their_strings() {
    assertThat(strings(StorageConflictKind.values(), StorageConflictKind::value))
        .containsExactly(
            "event_sequence",
            "idempotency_key",
            "singleton_key",
            "lease_ownership",
            "outbox_claim",
            "schedule_occurrence",
            "queue_capacity",
            "queue_paused",
            "job_state",
            "job_id");
    assertThat(RunlaneException.CONFLICT_KIND).isEqualTo("storageConflictKind");
    assertThat(RunlaneException.OWNER_RUN_ID).isEqualTo("ownerRunId");
  }

  @Test
  void what_runs_await_keeps_its_strings() {
    assertThat(strings(Awaiting.values(), Awaiting::value)).containsExactly("steps");
    assertThat(Awaiting.ofValue("steps")).contains(Awaiting.STEPS);
    assertThat(Awaiting.ofValue("STEPS")).isEmpty();
  }

  @Test
  void sources_and_actors_keep_their_strings() {
    assertThat(strings(RunSource.Type.values(), RunSource.Type::value))
        .containsExactly("trigger", "schedule", "rerun", "manual_retry");
    assertThat(strings(Actor.Type.values(), Actor.Type::value))
        .containsExactly("system", "operator");
  }

  private static <T> String[] strings(T[] values, Function<T, String> value) {
    return Arrays.stream(values).map(value).toArray(String[]::new);
  }
}
