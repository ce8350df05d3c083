package dev.runlane.runtime.process;

import static dev.runlane.runtime.MaintenanceFleet.await;
import static dev.runlane.runtime.MaintenanceFleet.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.MaintenanceFleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TriggerOptions;
import io.vertx.core.Future;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What loses races again and again in a storage that is slow keeps its caller waiting no longer than some seconds. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RetryBudgetTest {
  private final MaintenanceFleet fleet = new MaintenanceFleet();
  private final MaintenanceFleet.Process process = fleet.process();
  private final Runlane runlane = process.runlane();

  @BeforeEach
  void start() {
    await(runlane.start());
  }

  /** Each append is answered after so long that somebody else was before it. */
  private void everyAppendLoses(StorageConflictKind kind, Duration after) {
    for (int call = 0; call < 200; call++) {
      process.storage.next(
          "appendRunEvents",
          real -> () -> fleet.timers.after(after).compose(answered -> lost(kind)));
    }
  }

  private static Future<?> lost(StorageConflictKind kind) {
    return Future.failedFuture(RunlaneException.conflict(kind, "somebody else was before"));
  }

  private void assertLost(Future<?> call, StorageConflictKind kind, int appends) {
    fleet.advance(Duration.ofMinutes(10));

    RunlaneException refused = (RunlaneException) failure(call);
    assertThat(refused.code()).isEqualTo(ErrorCode.STORAGE_CONFLICT);
    assertThat(refused.conflictKind()).contains(kind);
    assertThat(process.storage.calls("appendRunEvents")).isEqualTo(appends);
  }

  @Test
  void a_cancellation_is_tried_again_for_ten_seconds() {
    String runId = fleet.create("run_1", MaintenanceFleet.QUEUE).id();
    everyAppendLoses(StorageConflictKind.EVENT_SEQUENCE, Duration.ofSeconds(3));

    Future<?> cancelled = runlane.runs().cancel(runId, new RunActionOptions());

    assertLost(cancelled, StorageConflictKind.EVENT_SEQUENCE, 4);
  }

  @Test
  void a_cancellation_is_tried_again_a_bounded_number_of_times() {
    String runId = fleet.create("run_1", MaintenanceFleet.QUEUE).id();
    everyAppendLoses(StorageConflictKind.EVENT_SEQUENCE, Duration.ofMillis(100));

    Future<?> cancelled = runlane.runs().cancel(runId, new RunActionOptions());

    assertLost(cancelled, StorageConflictKind.EVENT_SEQUENCE, 20);
  }

  @Test
  void a_trigger_is_tried_again_for_ten_seconds() {
    everyAppendLoses(StorageConflictKind.IDEMPOTENCY_KEY, Duration.ofSeconds(11));

    Future<?> triggered =
        runlane.trigger(MaintenanceFleet.TASK, "x", new TriggerOptions().setIdempotencyKey("gone"));

    assertLost(triggered, StorageConflictKind.IDEMPOTENCY_KEY, 1);
  }

  @Test
  void a_run_that_is_worked_on_at_once_is_tried_again_for_ten_seconds() {
    everyAppendLoses(StorageConflictKind.IDEMPOTENCY_KEY, Duration.ofSeconds(11));

    Future<?> run =
        runlane.runNow(MaintenanceFleet.TASK, "x", new TriggerOptions().setIdempotencyKey("gone"));

    assertLost(run, StorageConflictKind.IDEMPOTENCY_KEY, 1);
  }
}
