package dev.runlane.connector.controller;

import static dev.runlane.connector.store.StoreCase.HERE;
import static dev.runlane.connector.store.StoreCase.IDS;
import static dev.runlane.connector.store.StoreCase.NOON;
import static dev.runlane.connector.store.StoreCase.SHELF;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.schedule.RetryRules;
import dev.runlane.connector.schedule.RetryVerdict;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.key.AutomationMode;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.ManualClock;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RunEventsTest {
  private final ActiveRun run = new ActiveRun(
      new RunIdentity("run_1", "trc_1", SHELF),
      RunTrigger.scheduled(AutomationMode.UNATTENDED, 1),
      null,
      1,
      HERE,
      NOON,
      null,
      null);

  private RunHistoryEntry failed(Throwable failure) {
    return new RunEvents(ManualClock.at(NOON), IDS)
        .failed(run, new RunTally(), TerminalReason.LAUNCH_FAILED, failure)
        .history();
  }

  @Test
  void R8_S3_a_launch_that_fails_for_an_invalid_connector_is_not_tried_again_any_other_is() {
    RunHistoryEntry invalid =
        failed(RunlaneException.of(ErrorCode.CONNECTOR_INVALID, "the manifest is invalid"));
    RunHistoryEntry other = failed(new IllegalStateException("no program"));

    assertThat(invalid.terminalReason()).isEqualTo("launch_failed");
    assertThat(invalid.failureReason()).isEqualTo("connector_invalid");
    assertThat(RetryRules.of(invalid)).isEqualTo(RetryVerdict.FINAL);
    assertThat(other.failureReason()).isEqualTo("launch_failed");
    assertThat(RetryRules.of(other)).isEqualTo(RetryVerdict.RETRY);
  }
}
