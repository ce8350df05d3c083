package dev.runlane.run;

import static dev.runlane.run.StorageConflictKind.EVENT_SEQUENCE;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns events into the state of a run: the only place that knows lifecycle rules. */
public final class RunReducer {
  private RunReducer() {}

  /**
   * The state of a run after {@code events}. Pure: same input, same result, nothing else happens.
   *
   * <p>Event <i>i</i> gets sequence {@code expectedSequence + i + 1}. Fails with {@link
   * ErrorCode#INVARIANT_VIOLATION} when the sequence is malformed, when there are no events, and when
   * an event is impossible; with a retryable {@link ErrorCode#STORAGE_CONFLICT} of kind {@link
   * StorageConflictKind#EVENT_SEQUENCE} when the run has moved on, which is looked at before any event.
   *
   * @param currentRun the state so far, or null for a run that does not exist yet
   * @param expectedSequence the sequence the caller read, {@link ContractDefaults#NEW_EVENT_SEQUENCE}
   *     for a new run
   * @param events at least one, in order
   */
  public static RunRecord projectRunEvents(
      @Nullable RunRecord currentRun, long expectedSequence, List<? extends RunEvent> events) {
    requireSafeSequence(expectedSequence);
    if (events.isEmpty()) {
      throw RunlaneException.invariantViolation(
          "a command must carry at least one event, but carries none");
    }
    RunEvent first = events.get(0);
    long currentSequence =
        currentRun == null ? ContractDefaults.NEW_EVENT_SEQUENCE : currentRun.eventSequence();
    if (currentSequence != expectedSequence) {
      throw RunlaneException.conflict(
          EVENT_SEQUENCE,
          "run %s is at sequence %d, not %d",
          currentRun == null ? first.header().runId() : currentRun.id(),
          currentSequence,
          expectedSequence);
    }
    requireSafeSequence(expectedSequence + events.size());
    RunRecord run = currentRun == null ? created(first) : RunTransitions.apply(currentRun, first);
    for (RunEvent event : events.subList(1, events.size())) {
      run = RunTransitions.apply(run, event);
    }
    return run;
  }

  private static RunRecord created(RunEvent first) {
    if (first instanceof RunEvent.Created creation) {
      return RunRecord.builder(creation).build();
    }
    throw RunlaneException.invariantViolation(
        "run %s: the first event must be run.created, but is %s",
        first.header().runId(), first.type().value());
  }

  private static void requireSafeSequence(long sequence) {
    if (sequence < 0 || sequence > ContractDefaults.MAX_EVENT_SEQUENCE) {
      throw RunlaneException.invariantViolation(
          "a sequence must be between 0 and %d, but is %d",
          ContractDefaults.MAX_EVENT_SEQUENCE, sequence);
    }
  }
}
