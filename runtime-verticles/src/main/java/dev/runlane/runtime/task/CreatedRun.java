package dev.runlane.runtime.task;

import dev.runlane.run.RunRecord;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import java.util.List;

/**
 * What became of a {@link dev.runlane.runtime.process.NewRun NewRun}.
 *
 * @param run the new run, or the one that owns its key
 * @param outcome which of the two
 * @param samePayload whether the run has the payload that was wanted
 * @param claimedOutbox the messages the creation claimed, for its caller to publish
 */
public record CreatedRun(
    RunRecord run,
    TriggerOutcome outcome,
    boolean samePayload,
    List<ClaimedOutboxMessage> claimedOutbox) {}
