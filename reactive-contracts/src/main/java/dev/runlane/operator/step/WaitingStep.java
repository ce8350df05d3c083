package dev.runlane.operator.step;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A remote step without a result, without its input.
 *
 * @param id the step
 * @param runId its run
 * @param name as the handler calls it
 * @param group whose workers are asked
 * @param attempt which attempt a worker is, or is to be, asked for
 * @param requestedAt when the handler asked for it; null: nobody knows, which a release before may have left behind
 * @param dispatchedAt when its attempt was given to workers; null: it was not, as far as is known
 * @param nextAt when somebody is to look after it next
 * @param deadlineAt when it fails without a result
 * @param runEnded whether its run has ended, so that its task is only to be taken away
 */
public record WaitingStep(
    String id,
    String runId,
    String name,
    String group,
    int attempt,
    @Nullable Instant requestedAt,
    @Nullable Instant dispatchedAt,
    Instant nextAt,
    Instant deadlineAt,
    boolean runEnded) {
  /** Refuses null, except as two of the times, and cuts instants to microseconds. */
  public WaitingStep {
    Objects.requireNonNull(id);
    Objects.requireNonNull(runId);
    Objects.requireNonNull(name);
    Objects.requireNonNull(group);
    requestedAt = requestedAt == null ? null : requestedAt.truncatedTo(ChronoUnit.MICROS);
    dispatchedAt = dispatchedAt == null ? null : dispatchedAt.truncatedTo(ChronoUnit.MICROS);
    nextAt = nextAt.truncatedTo(ChronoUnit.MICROS);
    deadlineAt = deadlineAt.truncatedTo(ChronoUnit.MICROS);
  }
}
