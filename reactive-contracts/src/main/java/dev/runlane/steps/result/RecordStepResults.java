package dev.runlane.steps.result;

import dev.runlane.steps.task.StepClaim;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Records how attempts ended.
 *
 * @param results no step twice; may be empty
 * @param now the worker's time
 */
public record RecordStepResults(List<Ended> results, Instant now) {
  /** Copies the results and refuses null. */
  public RecordStepResults {
    results = List.copyOf(results);
    Objects.requireNonNull(now);
  }

  /**
   * One attempt that ended.
   *
   * @param claim the worker's lease
   * @param outcome how it ended
   * @param startedAt when the handler was called, by the worker's clock; queue-wait is counted up to it
   */
  public record Ended(StepClaim claim, StepOutcome outcome, Instant startedAt) {
    /** Refuses null. */
    public Ended {
      Objects.requireNonNull(claim);
      Objects.requireNonNull(outcome);
      Objects.requireNonNull(startedAt);
    }
  }
}
