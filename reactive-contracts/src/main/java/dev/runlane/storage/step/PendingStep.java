package dev.runlane.storage.step;

import dev.runlane.run.RunEvent;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A remote step that has no result yet, or whose run has ended before it had one.
 *
 * @param request the event that asked for it, with name, group, input and dispatch
 * @param attempt which attempt a worker is, or is to be, asked for; the request's at first
 * @param nextAt when somebody is to look after it: to dispatch it, or to see whether it is still under way.
 *     While it is claimed, when the claim ends
 * @param dispatchedAt when its attempt was dispatched; null: it was not, as far as is known
 * @param lastResultAt which result was dealt with last, by the instant its worker wrote it; null: none
 * @param runEnded whether its run has ended, so that its task is to be taken away
 */
public record PendingStep(
    RunEvent.StepRequested request,
    int attempt,
    Instant nextAt,
    @Nullable Instant dispatchedAt,
    @Nullable Instant lastResultAt,
    boolean runEnded) {
  /** Refuses null and cuts the instants to microseconds. */
  public PendingStep {
    Objects.requireNonNull(request);
    nextAt = nextAt.truncatedTo(ChronoUnit.MICROS);
    dispatchedAt = dispatchedAt == null ? null : dispatchedAt.truncatedTo(ChronoUnit.MICROS);
    lastResultAt = lastResultAt == null ? null : lastResultAt.truncatedTo(ChronoUnit.MICROS);
  }

  /** Its run. */
  public String runId() {
    return request.header().runId();
  }

  /** Its identity. */
  public String stepId() {
    return request.stepId();
  }

  /** How often a worker was, or is to be, asked for it since it was requested. */
  public int tries() {
    return attempt - request.attempt() + 1;
  }
}
