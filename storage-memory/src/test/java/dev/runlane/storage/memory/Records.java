package dev.runlane.storage.memory;

import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.run.AppendRunEvents;
import java.util.function.UnaryOperator;

/** Appends with one thing changed, as only broken adapters make them. */
final class Records {
  private Records() {}

  /** The creation as if it had these keys. */
  static AppendRunEvents withKeys(AppendRunEvents creation, RunKeys keys) {
    return with(
        creation,
        event -> event instanceof RunEvent.Created created
            ? new RunEvent.Created(
                created.header(),
                created.taskId(),
                created.queue(),
                created.payload(),
                created.runAt(),
                keys,
                created.source())
            : event,
        creation.projectedRun().toBuilder().keys(keys).build());
  }

  /** The append with other events in the place of its own and the same projection. */
  static AppendRunEvents withEvents(AppendRunEvents append, UnaryOperator<RunEvent> change) {
    return with(append, change, append.projectedRun());
  }

  static AppendRunEvents with(AppendRunEvents append, RunRecord projected) {
    return with(append, event -> event, projected);
  }

  static AppendRunEvents withoutClaim(AppendRunEvents append) {
    return new AppendRunEvents(
        append.environment(),
        append.runId(),
        append.expectedSequence(),
        append.events(),
        append.projectedRun(),
        append.queuePolicy(),
        append.now(),
        null,
        append.heldLease());
  }

  static AppendRunEvents withoutLease(AppendRunEvents append) {
    return new AppendRunEvents(
        append.environment(),
        append.runId(),
        append.expectedSequence(),
        append.events(),
        append.projectedRun(),
        append.queuePolicy(),
        append.now(),
        append.claimOutboxFor());
  }

  private static AppendRunEvents with(
      AppendRunEvents append, UnaryOperator<RunEvent> change, RunRecord projected) {
    return new AppendRunEvents(
        append.environment(),
        append.runId(),
        append.expectedSequence(),
        append.events().stream().map(change).toList(),
        projected,
        append.queuePolicy(),
        append.now(),
        append.claimOutboxFor(),
        append.heldLease());
  }
}
