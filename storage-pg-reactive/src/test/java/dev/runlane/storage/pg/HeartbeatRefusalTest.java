package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.failure;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.run.HeartbeatRunLease;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** An inconsistent heartbeat is a fault only of him who owns the lease; anybody else has lost it. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class HeartbeatRefusalTest {
  private final Scene scene = Scene.open();
  private final PgStorageAdapter storage = scene.start();
  private final RunRecord running =
      scene.store(TestRuns.running("run_1", NOON.plus(MINUTE)), storage);

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void the_owner_is_told_of_its_fault() {
    assertThat(inconsistent("run_1", running.lease().token(), running.eventSequence())
            .code())
        .isEqualTo(ErrorCode.ADAPTER_CONTRACT_VIOLATION);
  }

  @Test
  void the_owner_at_an_older_sequence_is_told_of_that_first() {
    assertThat(inconsistent("run_1", running.lease().token(), running.eventSequence() - 1)
            .isConflict(StorageConflictKind.EVENT_SEQUENCE))
        .isTrue();
  }

  @Test
  void others_are_told_that_they_do_not_own_the_lease() {
    assertThat(inconsistent("run_1", "tok_other", running.eventSequence())
            .isConflict(StorageConflictKind.LEASE_OWNERSHIP))
        .isTrue();
    assertThat(inconsistent("run_unknown", "tok_other", 3)
            .isConflict(StorageConflictKind.LEASE_OWNERSHIP))
        .isTrue();
  }

  /** Projects to another lease than the one of its event. */
  private RunlaneException inconsistent(String runId, String token, long expected) {
    Instant until = NOON.plus(MINUTE.multipliedBy(2));
    Lease lease = new Lease(token, "worker_1", until);
    Lease another = new Lease(token, "worker_1", until.plus(MINUTE));
    RunRecord projected = projected(runId, expected + 1, another);
    return failure(storage.heartbeatRunLease(new HeartbeatRunLease(
        ENVIRONMENT,
        runId,
        expected,
        new RunEvent.LeaseHeartbeat(EventHeader.bySystem(ENVIRONMENT, runId, NOON), lease),
        projected,
        NOON)));
  }

  private RunRecord projected(String runId, long sequence, Lease lease) {
    return running.toBuilder().id(runId).eventSequence(sequence).lease(lease).build();
  }
}
