package dev.runlane.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.StorageConformanceSuite;
import dev.runlane.conformance.StorageFixture;
import io.vertx.core.Vertx;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A storage that does nothing passes no case but those about what is not there. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class DoNothingStorageTest {
  /** What they ask for is empty, or done, where nothing was ever stored. */
  private static final List<String> TRUE_OF_NOTHING = List.of(
      "DispatchReservation.a_reservation_of_a_run_that_does_not_exist_is_empty",
      "LeaseClaim.a_claim_of_a_run_that_does_not_exist_is_empty",
      "LeaseRelease.releasing_a_run_that_does_not_exist_changes_nothing",
      "OutboxMark.marking_no_message_is_no_failure",
      "State.every_capability_that_a_full_storage_promises_is_reported");

  @Test
  void only_cases_about_what_does_not_exist_pass() {
    SuiteRun run = SuiteRun.of(Suite.class, "does nothing");

    assertThat(run.outcomes()).isNotEmpty();
    assertThat(run.passed()).containsExactlyInAnyOrderElementsOf(TRUE_OF_NOTHING);
  }

  /** Run by the case above only: its name fits no pattern of the build. */
  static final class Suite extends StorageConformanceSuite {
    @Override
    protected StorageFixture fixture(Vertx vertx) {
      return new MemoryStorageFixture(storage -> new DoNothingStorage());
    }
  }
}
