package dev.runlane.connector.store.history;

import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.json.JsonCodec;
import dev.runlane.run.Json;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One run, or one run that was not started, as the history keeps it.
 *
 * @param run which run; one that was not started has an id too, which no handle resolves
 * @param trigger why it existed
 * @param status how it ended
 * @param startedAt when it was accepted, or would have been started
 * @param completedAt when it ended; never before {@code startedAt}
 * @param terminalReason the reason on the terminal event, or null after success
 * @param failureReason the same, or the reason behind it, such as the code of a refused call; null after success
 * @param error for people: what went wrong, or why nothing was started; at most 500 characters, or null
 * @param httpStatus what the sink's server answered where that ended the run, or null
 * @param result what it handed back
 */
public record RunHistoryEntry(
    RunIdentity run,
    RunTrigger trigger,
    RunStatus status,
    Instant startedAt,
    Instant completedAt,
    @Nullable String terminalReason,
    @Nullable String failureReason,
    @Nullable String error,
    @Nullable Integer httpStatus,
    RunResultFacts result) {
  /** Refuses null where the components say nothing else. */
  public RunHistoryEntry {
    Objects.requireNonNull(run);
    Objects.requireNonNull(trigger);
    Objects.requireNonNull(status);
    Objects.requireNonNull(startedAt);
    Objects.requireNonNull(completedAt);
    Objects.requireNonNull(result);
  }

  /** Whether it was to leave no cursors, as under a single-use grant or where the owner asked for a part. */
  public boolean leavesNoCursors() {
    Json summary = result.checkpointSummary();
    return summary != null
        && JsonCodec.standard()
            .tree("the checkpoint summary of run " + run.runId(), summary)
            .path("commit_status")
            .asText()
            .equals("disabled");
  }

  /** The same without what may be large and says nothing of how the run ended, as {@link RunHistory#outcomes}. */
  public RunHistoryEntry outcome() {
    return new RunHistoryEntry(
        run,
        trigger,
        status,
        startedAt,
        completedAt,
        terminalReason,
        failureReason,
        error,
        httpStatus,
        result.outcome(status == RunStatus.FAILED));
  }

  /** The same with another reason behind how it ended. */
  public RunHistoryEntry because(String reason) {
    return new RunHistoryEntry(
        run,
        trigger,
        status,
        startedAt,
        completedAt,
        terminalReason,
        reason,
        error,
        httpStatus,
        result);
  }
}
