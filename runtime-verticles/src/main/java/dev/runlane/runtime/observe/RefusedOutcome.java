package dev.runlane.runtime.observe;

import dev.runlane.run.ErrorCode;
import java.time.Instant;
import java.util.Objects;

/**
 * What an attempt of this process came to, or a step of it, that the storage refuses for what somebody can mend, such
 * as a trigger of the user's that fails. It is offered again while its lease is kept, for {@code outcomeTimeout} at
 * most, and has the place of a run meanwhile.
 *
 * @param runId the run
 * @param taskId its task
 * @param queue its queue
 * @param workerId who holds the run
 * @param attempt the number of the attempt
 * @param since when it was refused first
 * @param times how often it was refused
 * @param code of the last refusal
 * @param message of the last refusal
 */
public record RefusedOutcome(
    String runId,
    String taskId,
    String queue,
    String workerId,
    int attempt,
    Instant since,
    int times,
    ErrorCode code,
    String message) {
  /** Refuses null. */
  public RefusedOutcome {
    Objects.requireNonNull(runId);
    Objects.requireNonNull(taskId);
    Objects.requireNonNull(queue);
    Objects.requireNonNull(workerId);
    Objects.requireNonNull(since);
    Objects.requireNonNull(code);
    Objects.requireNonNull(message);
  }
}
